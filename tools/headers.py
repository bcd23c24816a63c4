#!/usr/bin/env python3
"""Public headers as programs meet them: each compiles alone in C11, C17, C++11 and C++17, and so do all INIT macros.

Usage: tools/headers.py [ROOT]
"""
import re
import subprocess
import sys
from pathlib import Path

LANGUAGES = (("gcc", "c", "c11"), ("gcc", "c", "c17"), ("g++", "c++", "c++11"), ("g++", "c++", "c++17"))


def compiles(root, text, what):
    good = True
    for compiler, language, standard in LANGUAGES:
        done = subprocess.run([compiler, f"-std={standard}", "-x", language, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                               f"-I{root / 'include'}", "-"], input=text, text=True, capture_output=True, check=False)
        if done.returncode:
            print(f"{what} does not compile as {standard}:\n{done.stderr}")
            good = False
    return good


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    headers = sorted((root / "include").rglob("*.h"))
    inits = re.findall(r"#define (FRZ_\w+_INIT) ", "\n".join(header.read_text() for header in headers))
    lines = [f"{{ {init.removesuffix('_INIT').lower()} made = {init}; sum += made.struct_size; }}" for init in inits]
    program = f"#include <frazil/frazil.h>\nsize_t sizes(void);\nsize_t sizes(void) {{ size_t sum = 0;\n{chr(10).join(lines)}\nreturn sum; }}\n"
    good = [compiles(root, f'#include "{header.relative_to(root / "include")}"\ntypedef int one_declaration;\n', header.relative_to(root)) for header in headers]
    return 0 if inits and all([*good, compiles(root, program, "the program of all INIT macros")]) else 1


if __name__ == "__main__":
    sys.exit(main())
