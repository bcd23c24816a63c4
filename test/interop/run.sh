#!/usr/bin/env bash
# Installs the peers and runs the interop suite against them: ./dev interop [--only WORD] [--keep FOLDER].
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peers=$("$here/setup.sh" | tail -1)
exec "$peers/python/bin/python" "$here/interop.py" "$here/../../build/release/frazil" "$peers" "$@"
