#!/usr/bin/env bash
# The main job, command by command: each is printed before it runs, so that the output is the tutorial.
# Usage: quickstart.sh [FRAZIL]. Works in a warehouse of its own under build/quickstart, made anew each time.
set -euo pipefail
cd "$(dirname "$0")/.."
frazil=$(realpath "${1:-build/release/frazil}")
orders=$PWD/examples/orders
work=$PWD/build/quickstart
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export PATH="$(dirname "$frazil"):$PATH"
export FRAZIL_WAREHOUSE=$work/warehouse

say() { printf '\n# %s\n' "$*"; }

# Prints the command as a person would type it, then runs it.
run() {
    local word shown='$ frazil'
    for word in "$@"; do
        if [[ $word =~ ^[A-Za-z0-9_./:=,*-]+$ && $word != *'*'* ]]; then shown+=" $word"; else shown+=" \"$word\""; fi
    done
    printf '%s\n' "${shown//$orders/examples\/orders}"
    frazil "$@"
}

say "A table with a hidden partition: day(updated_at). The catalog is a file that PyIceberg and Java open too."
run create sales.orders \
    --schema "order_id long not null, customer string, country string, status string, amount decimal(18,2), discount double, items list<string>, updated_at timestamptz" \
    --partition "day(updated_at)"

say "Parquet, CSV and JSON lines go in as one snapshot."
run append sales.orders "$orders/day1.parquet" "$orders/day2.csv" "$orders/day3.jsonl"

say "A filtered scan with row ids: unsold orders above 990."
run scan sales.orders --where "status = 'NEW' and amount > 990" --select order_id,country,amount,updated_at,_row_id --limit 5

say "Delete some rows: V3 writes deletion vectors, no data file is rewritten."
before=$(frazil snapshots sales.orders --output jsonl | tail -1 | sed 's/.*"snapshot_id": *\([0-9]*\).*/\1/')
run delete sales.orders --where "status = 'CANCELLED' and country in ('DE', 'AT', 'CH')"

say "Now, and as it was before the delete."
run count sales.orders
run count sales.orders --snapshot-id "$before"
run scan sales.orders --where "status = 'CANCELLED' and country = 'AT'" --snapshot-id "$before" --select order_id,country,status --limit 3

say "Why a query is cheap: the planning funnel, level by level."
run plan sales.orders --where "updated_at >= '2026-01-03' and amount > 990"

say "The metadata tree: pointer, metadata.json, manifest list, manifests, files."
run tree sales.orders

say "What else: frazil help, frazil snapshots|files|partitions sales.orders, frazil inspect FILE."
