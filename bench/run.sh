#!/usr/bin/env bash
# Builds and runs the benchmarks, one after the other: bench/run.sh [W1 W3 W5 W6 W7 W8 W9 W10 W11 W11b W15 memory changes sort tables avro].
# Peers: $FRAZIL_PEERS_PYTHON, else test/interop/.peers/python (test/interop/setup.sh installs it).
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A PROGRAMS=([W1]=manifest_decode [W3]=planning [W5]=deletion_vector [W6]=plain_scan [W7]=deleted_scan [W8]=position_scan [W9]=equality_scan
    [W10]=write [W11]=commit [W11a]=commit [W11b]=contention [W11c]=contention [W15]=start_up [memory]=memory [changes]=row_changes [sort]=sorted_write [tables]=metadata_tables [avro]=avro_blocks)
rows=("$@")
[ ${#rows[@]} -gt 0 ] || rows=(W1 W3 W5 W6 W7 W8 W9 W10 W11 W11b W15 memory changes sort tables avro)

programs=()
for row in "${rows[@]}"; do
    programs+=("bench_${PROGRAMS[$row]:?no such benchmark: $row}")
done
cmake --preset release -DFRZ_BENCH=ON >/dev/null
cmake --build --preset release --target frazil_command "${programs[@]}" >&2

missed=0
for program in "${programs[@]}"; do
    "build/release/bench/$program" || missed=1
    echo
done
exit $missed
