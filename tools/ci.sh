#!/usr/bin/env bash
# All gates, in order of cost. Each prints its name and how long it took; the first that fails ends the run.
set -euo pipefail
cd "$(dirname "$0")/.."

gate() {
    local name=$1 start
    shift
    start=$(date +%s)
    echo "== $name"
    "$@" || { echo "== $name FAILED after $(($(date +%s) - start)) s"; exit 1; }
    echo "== $name: $(($(date +%s) - start)) s"
}

check_format() {
    git ls-files '*.c' '*.h' '*.inc' | xargs clang-format --dry-run -Werror
}

# Every header compiles alone; public ones in C++ too.
check_headers() {
    local header
    python3 tools/headers.py
    git ls-files 'include/*.h' 'src/*.h' 'cli/*.h' | while read -r header; do
        printf '#include "%s"\ntypedef int one_declaration;\n' "$header" |
            gcc -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c - || { echo "$header does not compile alone"; return 1; }
    done
}

build() {
    cmake --preset "$1" -DFRZ_WERROR=ON >/dev/null
    cmake --build --preset "$1" "${@:2}"
}

check_tidy() {
    git ls-files 'src/*.c' 'cli/*.c' | xargs -P 2 -n 8 clang-tidy -p build/clang --quiet
}

# duplicateAssignExpression is a matter of style, which cppcheck reports with the warnings all the same.
check_cppcheck() {
    cppcheck --quiet -j 2 --enable=warning,portability --inline-suppr --error-exitcode=1 --std=c11 \
        --suppress=missingIncludeSystem --suppress=duplicateAssignExpression -Iinclude -Isrc src cli
}

gate format check_format
gate tidy.py python3 tools/tidy.py
gate headers check_headers
gate "build release (gcc)" build release
gate "tests" ctest --preset release -LE interop
gate "build clang" build clang
gate "build asan" build asan
gate "tests asan" ctest --preset asan -LE 'interop|slow'
gate "build fuzzers" build fuzz --target fuzzers
gate "fuzz corpora (clang asan)" ctest --preset fuzz -L fuzz
gate "build tsan" build tsan
gate "tests tsan" ctest --preset tsan -L threads
gate clang-tidy check_tidy
gate cppcheck check_cppcheck
