#!/bin/sh
# SPDX-License-Identifier: MIT
# unicode_test.sh LIBRARY WMAIN C_COMPILER CXX_COMPILER -- FLAGS - programs of Visual Studio's default, a Unicode
# build, are compiled with the flags of umsshim-unicode and run: output and exit status are as on Windows. A call
# that is not there does not link, and the linker names it.
set -eu

library=$1
wmain=$2
cc=$3
cxx=$4
shift 5
here=$(cd "$(dirname "$0")" && pwd)/unicode
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-Wall -Wextra -Werror -fshort-wchar -DUNICODE -D_UNICODE $*"
libraries="$wmain $library -Wl,-rpath,$(dirname "$library")"

fail() {
    echo "unicode_test: $*" >&2
    [ ! -s "$scratch/log" ] || head -n 30 "$scratch/log" >&2
    exit 1
}

# build SOURCE COMPILER OPTION...: the options stand behind the build's own flags, which they may change.
build() {
    source=$1
    compiler=$2
    shift 2
    # Word splitting is wanted: flags.
    # shellcheck disable=SC2086
    "$compiler" $flags "$@" "$source" -x none $libraries -o "$scratch/program" >"$scratch/log" 2>&1
}

cat >"$scratch/generic" <<'END'
3 héé narrow é 1099511627776| 1.50|ab    |€|wide|8
007-xé
007-xé|007-xé|6|1099511627776
42 abc -5 0
<a><b><c>-1
too 3
abcdef cdef def -1
1
[5 d83d][6 0065]0 1
0 -1
END
printf 'xsum=42 17 5 0 -1\na b\nnarrow streams 1.5\n' >"$scratch/strings"

fortified="-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
for how in "$cc -std=c11" "$cc $fortified" "$cxx $fortified -x c++"; do
    # shellcheck disable=SC2086
    build "$here/generic.c" $how || fail "generic.c does not compile: $how"
    status=0
    "$scratch/program" "$scratch" héé >"$scratch/out" || status=$?
    [ "$status" = 7 ] || fail "generic.c ended with $status: $how"
    diff "$scratch/generic" "$scratch/out" >"$scratch/log" || fail "generic.c printed something else: $how"
done
for how in "$cxx -std=c++11" "$cxx -O2 -std=c++20"; do
    # shellcheck disable=SC2086
    build "$here/strings.cpp" $how || fail "strings.cpp does not compile: $how"
    "$scratch/program" b a >"$scratch/out" || fail "strings.cpp ended with $?: $how"
    diff "$scratch/strings" "$scratch/out" >"$scratch/log" || fail "strings.cpp printed something else: $how"
done

# Each form that wmain has in C++; a program's own main comes before it.
for form in '()' '(int, wchar_t **)' '(int, const wchar_t **)' '(int, wchar_t **, wchar_t **)' \
    '(int, const wchar_t **, const wchar_t **)'; do
    printf 'int wmain%s { return 5; }\n' "$form" >"$scratch/form.cpp"
    build "$scratch/form.cpp" "$cxx" || fail "no program of wmain$form"
    status=0
    "$scratch/program" || status=$?
    [ "$status" = 5 ] || fail "wmain$form gave $status"
done
printf 'int main(void) { return 6; }\n' >"$scratch/main.c"
build "$scratch/main.c" "$cc" || fail "no program of main"
status=0
"$scratch/program" || status=$?
[ "$status" = 6 ] || fail "main gave $status"

# refused WORD SOURCE
refused() {
    printf '%s\n' "$2" >"$scratch/refused.cpp"
    ! build "$scratch/refused.cpp" "$cxx" || fail "links: $2"
    grep -q "$1" "$scratch/log" || fail "the linker does not name $1:"
}
refused umsshim_has_no_wcout '#include <iostream>
int wmain() { std::wcout << L"x"; return 0; }'
refused umsshim_w_swscanf '#include <cwchar>
int wmain() { int value = 0; return swscanf(L"1", L"%d", &value); }'
refused umsshim_w_wcsxfrm '#include <cwchar>
int wmain() { wchar_t text[8]; return (int)wcsxfrm(text, L"a", 8); }'
echo "unicode_test: programs of wmain are as on Windows"
