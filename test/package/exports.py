"""The shared library exports exactly the functions that the public headers declare with FRZ_API.

Usage: exports.py LIBRARY HEADERS
"""
import re
import subprocess
import sys
from pathlib import Path

DECLARED = re.compile(r"\bFRZ_API\b[^;{]*?\b(\w+)\s*\(")


def declared(headers):
    names = set()
    for path in sorted(Path(headers).rglob("*.h")):
        text = re.sub(r"/\*.*?\*/|^\s*#.*?$", "", path.read_text(), flags=re.S | re.M)
        text = re.sub(r"\bFRZ_PRINTF\([^)]*\)", "", text)
        names.update(DECLARED.findall(text))
    return names


def exported(library):
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in table.stdout.splitlines()}


def main():
    library, headers = sys.argv[1:]
    public, seen = declared(headers), exported(library)
    faults = [f"declared, not exported: {name}" for name in sorted(public - seen)]
    faults += [f"exported, not declared: {name}" for name in sorted(seen - public)]
    faults += [f"not named frz_*: {name}" for name in sorted(seen) if not name.startswith("frz_")]
    print("\n".join(faults) or f"{len(seen)} functions")
    return 1 if faults or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
