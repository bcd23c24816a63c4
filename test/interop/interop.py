#!/usr/bin/env python3
"""Tables that frazil makes, read and changed by PyIceberg, DuckDB, Spark and Java; tables that these make, by frazil.

Usage: interop.py FRAZIL PEERS [--only WORD] [--keep FOLDER]. Run by run.sh, with the Python of the peers' environment.
A peer that is missing or does not start fails the run. Prints one line a check and a summary; exits 1 on a failure.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import altered_by_frazil
import arrow_streams
import changed_by_others
import deltas
import histories
import layouts
import loaded
import made_by_frazil
import made_by_others
import random_tables
import row_changes
import transactions
from suite import Suite


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frazil")
    parser.add_argument("peers")
    parser.add_argument("--only", default="", help="run the scenarios that have this word in their name")
    parser.add_argument("--keep", help="leave the warehouse in this folder")
    options = parser.parse_args()
    start = time.monotonic()
    warehouse = Path(options.keep or tempfile.mkdtemp(prefix="frazil-interop-")).absolute()
    warehouse.mkdir(parents=True, exist_ok=True)
    suite = Suite(os.path.abspath(options.frazil), Path(options.peers).absolute(), warehouse)
    print(f"peers: {', '.join(f'{peer.name} {peer.version}' for peer in suite.peers)}; warehouse {warehouse}", flush=True)
    for module in (made_by_frazil, row_changes, transactions, altered_by_frazil, changed_by_others, made_by_others, random_tables, deltas, layouts, loaded, arrow_streams, histories):
        for name, scenario in module.scenarios():
            if options.only in name:
                suite.scenario(name, scenario)
    suite.close()
    suite.report(time.monotonic() - start)
    if not options.keep and not suite.failed:
        shutil.rmtree(warehouse)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
