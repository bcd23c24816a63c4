#!/usr/bin/env bash
# Installs into a folder of its own, and uses what lies there as a stranger would: by pkg-config, and by
# CMake with both libraries.
# Usage: install.sh SOURCE BUILD COMPILER
set -euo pipefail
source=$1 build=$2 compiler=$3
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$build" --prefix "$prefix/usr" >/dev/null
cd "$prefix"
for file in bin/frazil include/frazil/frazil.h include/frazil/extend/io.h share/man/man1/frazil.1 \
    share/bash-completion/completions/frazil share/zsh/site-functions/_frazil \
    share/fish/vendor_completions.d/frazil.fish; do
    [ -s "usr/$file" ] || { echo "not installed: $file"; exit 1; }
done
usr/bin/frazil --version
grep -q '^\.TH' usr/share/man/man1/frazil.1
bash -n usr/share/bash-completion/completions/frazil

# Runs a program of the documentation, which without arguments must say its usage.
check_program() {
    local answer
    answer=$("$1" 2>&1 || true)
    [ "$answer" = "invalid: usage: FROM FILTER TO" ] || { echo "$1 said: $answer"; exit 1; }
}

pc=$(dirname "$(find usr -name frazil.pc)")
export PKG_CONFIG_PATH="$PWD/$pc"
# shellcheck disable=SC2046
"$compiler" "$source/examples/scan_and_append.c" $(pkg-config --cflags --libs frazil) -o by_pkg_config
LD_LIBRARY_PATH=$(dirname "$pc") check_program ./by_pkg_config
# shellcheck disable=SC2046
"$compiler" -c "$source/examples/scan_and_append.c" $(pkg-config --cflags frazil) -o program.o
"$compiler" program.o "$(dirname "$pc")/libfrazil.a" \
    $(pkg-config --static --libs frazil | sed 's/-lfrazil//') -o by_archive
check_program ./by_archive

# A program that brings its own rows and writes in every way; under valgrind where that is installed.
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Werror "$source/test/package/embedding.c" $(pkg-config --cflags --libs frazil) -o embedding
watched=()
command -v valgrind >/dev/null && watched=(valgrind -q --leak-check=full --error-exitcode=9)
answer=$(LD_LIBRARY_PATH=$(dirname "$pc") "${watched[@]}" ./embedding "$PWD/warehouse" | LC_ALL=C sort | xargs)
wanted="0,u,0 1,u,1 2,a,2 21,d,16 22,t,15 3,o,12 30,n,17 4,a,4 6,am,6 7,m,10 8,m,11 append append delete id,name,_row_id"
[ "$answer" = "$wanted" ] || { echo "embedding said: $answer"; exit 1; }

mkdir user
cat >user/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(frazil 0.1 REQUIRED)
foreach(form frazil static)
    add_executable(by_cmake_\${form} $source/examples/scan_and_append.c)
    target_link_libraries(by_cmake_\${form} PRIVATE frazil::\${form})
endforeach()
EOF
cmake -S user -B user/build -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$PWD/usr" >/dev/null
cmake --build user/build >/dev/null
check_program user/build/by_cmake_frazil
check_program user/build/by_cmake_static
echo "installed and used"
