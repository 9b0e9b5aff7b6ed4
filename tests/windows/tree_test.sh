#!/bin/sh
# SPDX-License-Identifier: MIT
# tree_test.sh - the files that users copy, from a folder whose name has a space and a letter that is not
# ASCII.
#
#   tree_test.sh SOURCE_DIR BUILD_DIR    what cmake --install makes of a Windows build: what is in it, and
#                                        that umsrun finds it sound
#   tree_test.sh SOURCE_DIR FILE.zip     the package: the same, and it is used: programs are linked in C and
#                                        in C++, an old binary is run by umsrun, a clause of the contract is held
#   tree_test.sh SOURCE_DIR --pack BUILD_DIR    of the package that CPack makes of a build
set -eu

source_dir=$1
from=$2
compiler=x86_64-w64-mingw32
wine="timeout 60 sh $source_dir/scripts/wine.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8 # Wine takes file names for what the locale says

fail() {
    echo "tree_test: $*" >&2
    [ ! -s "$scratch/log" ] || head -n 30 "$scratch/log" >&2
    exit 1
}

if [ "$from" = --pack ]; then
    (cd "$3" && cpack -B "$scratch/packed") >"$scratch/log" 2>&1 || fail "cpack failed"
    from=$(echo "$scratch"/packed/*.zip)
fi

# Made in one place, used in another.
folder="$scratch/ein B$(printf '\303\244')r"
case $from in
*.zip)
    python3 -m zipfile -e "$from" "$scratch/made" || fail "$from cannot be unpacked"
    [ "$(ls "$scratch/made")" = "$(basename "$from" .zip)" ] ||
        fail "$from does not hold one folder of its own name, but: $(ls "$scratch/made")"
    mv "$scratch/made/$(basename "$from" .zip)" "$folder"
    ;;
*)
    cmake --install "$from" --prefix "$scratch/made" >"$scratch/log" 2>&1 || fail "cmake --install failed"
    mv "$scratch/made" "$folder"
    ;;
esac

cd "$folder"
for name in README.txt LICENSE.txt bin/umsshim.dll bin/umsrun.exe bin/ums_conformance.exe bin/umsshim-evidence.exe \
    lib/umsshim.lib lib/libumsshim.dll.a include/umsshim/umsshim.h include/umsshim/windows.h \
    docs/tutorial.md docs/windows.md samples/hello/main.c; do
    [ -s "$name" ] || fail "no $name in the tree"
done
find . | tr '[:upper:]' '[:lower:]' | sort | uniq -d >"$scratch/log"
[ ! -s "$scratch/log" ] || fail "names that Windows does not tell apart:"
for name in README.txt LICENSE.txt; do
    [ "$(wc -l <"$name")" = "$(grep -c "$(printf '\r')\$" "$name")" ] ||
        fail "lines of $name do not end as Windows' text files do"
done
version=$(sed -n 's/^project(umsshim VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
grep -q "^umsshim $version for Windows" README.txt || fail "README.txt is not that of $version"
LC_ALL=C tr -d '\r\n\t -~' <README.txt >"$scratch/log"
[ ! -s "$scratch/log" ] || fail "README.txt is not plain text"

# runs WHAT PATTERN COMMAND...: exit code 0, and the pattern in what it says.
runs() {
    what=$1
    pattern=$2
    shift 2
    # shellcheck disable=SC2086
    $wine "$@" >"$scratch/log" 2>&1 </dev/null || fail "$what: exit code $?"
    grep -q "$pattern" "$scratch/log" || fail "$what: no \"$pattern\""
}

runs "umsrun --check" "self-test: passed" bin/umsrun.exe --check
runs "umsshim-evidence --version" "^umsshim-evidence (umsshim) $version" bin/umsshim-evidence.exe --version

case $from in
*.zip) ;;
*)
    echo "tree_test: what cmake --install makes of $from is complete, and umsrun finds it sound"
    exit 0
    ;;
esac

# Linked; as README.txt says, and the DLL beside the program.
mkdir "$scratch/$(printf '\303\251')t$(printf '\303\251') 2"
cd "$scratch/$(printf '\303\251')t$(printf '\303\251') 2"
hello=$source_dir/samples/hello/main.c
taskpool=$source_dir/samples/taskpool
"$compiler-gcc" -Wall -Wextra -Werror -I "$folder/include/umsshim" "$hello" -o hello.exe \
    "$folder/lib/libumsshim.dll.a" >"$scratch/log" 2>&1 || fail "C, linked"
mkdir spellings # Windows does not tell cases apart, so the tree cannot have this one
echo '#include <windows.h>' >spellings/Windows.h
"$compiler-g++-posix" -std=c++17 -Wall -Wextra -I "$folder/include/umsshim" -I spellings "$taskpool"/*.cpp \
    -o taskpool.exe -static "$folder/lib/libumsshim.dll.a" >"$scratch/log" 2>&1 ||
    fail "C++, linked"
cp "$folder/bin/umsshim.dll" .
runs "a linked C program" "workers ended: 2" hello.exe
runs "a linked C++ program" . taskpool.exe

# As somebody built it long ago: its functions are kernel32's, which fail, but under umsrun.
"$compiler-gcc" -DUMSSHIM_BUILDING -I "$folder/include/umsshim" "$hello" -o old.exe >"$scratch/log" 2>&1 ||
    fail "an old binary cannot be made"
rm umsshim.dll
$wine old.exe >"$scratch/log" 2>&1 </dev/null && fail "the old binary needs no umsrun"
runs "umsrun with an old binary" "workers ended: 2" "$folder/bin/umsrun.exe" old.exe
runs "the conformance kit under umsrun" "1 passed, 0 failed" "$folder/bin/ums_conformance.exe" \
    --provider=kernel32 --launcher="$folder/bin/umsrun.exe" --clause=YD-1
echo "tree_test: linked programs and an old binary run with the files of $from"
