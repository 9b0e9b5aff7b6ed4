#!/bin/sh
# SPDX-License-Identifier: MIT
# versions_test.sh SOURCE LIBRARY PROGRAM... - what docs/versions.md promises of this version: the SONAME, the symbol
# versions, every function that an earlier version exported; the changelog has the version, and each program says it.
set -u
source=$1 library=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

version=$(sed -n 's/^project(umsshim VERSION \([0-9]*\.[0-9]*\.[0-9]*\) .*/\1/p' "$source/CMakeLists.txt")
major=${version%%.*}
[ -n "$version" ] || fail "CMakeLists.txt names no version"

soname=$(readelf -dW "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
[ "$soname" = "libumsshim.so.$major" ] || fail "the SONAME is '$soname', of version $version"

# The newest version that has a date is this one.
newest=$(sed -n 's/^## \([0-9][0-9.]*\) - [0-9-]*$/\1/p' "$source/CHANGELOG.md" | head -n 1)
[ "$newest" = "$version" ] || fail "CHANGELOG.md ends with '$newest', CMakeLists.txt has $version"

# Symbol versions are ours of this SONAME, or libc's.
readelf -VW "$library" | sed -n '/Version definition/,/Version needs/s/.*Name: \([^ ]*\).*/\1/p' |
    grep -v -e "^UMSSHIM_$major\$" -e '^GLIBC_' -e "^libumsshim\.so\.$major\$" > "$work/odd"
[ -s "$work/odd" ] && fail "there are other symbol versions: $(tr '\n' ' ' < "$work/odd")"

# With our version, or without any, which serves every request.
nm -D --defined-only "$library" | awk '{print $3}' |
    sed -n -e "s/@@UMSSHIM_$major\$//p" -e "s/@UMSSHIM_$major\$//p" -e '/@/!p' | sort -u > "$work/there"

# Each name of umsshim.map is exported: a function that no header declares is hidden, and the linker says nothing.
sed -n '/global:/,/local:/p' "$source/umsshim/umsshim.map" | sed -e 's|/[*].*[*]/||' | grep -o '[A-Za-z_][A-Za-z0-9_]*;' |
    tr -d ';' | sort -u > "$work/map"
[ "$(wc -l < "$work/map")" -gt 500 ] || fail "umsshim.map was not understood"
comm -23 "$work/map" "$work/there" > "$work/hidden"
[ -s "$work/hidden" ] && fail "umsshim.map names what is not exported: $(tr '\n' ' ' < "$work/hidden")"
lists=0
for list in "$source"/tests/tools/exports_"$major".*.txt; do
    lists=$((lists + 1))
    sort "$list" | comm -23 - "$work/there" > "$work/gone"
    [ -s "$work/gone" ] && fail "$(basename "$list") has what is not exported: $(tr '\n' ' ' < "$work/gone")"
    [ "$(wc -l < "$list")" -gt 100 ] || fail "$list is no list of exports"
done
[ "$lists" -gt 0 ] || fail "there is no list of earlier exports"
for program; do
    said=$("$program" --version 2>&1) || fail "$program --version: exit status $?"
    [ "$said" = "$(basename "$program") (umsshim) $version" ] || fail "$program --version says '$said'"
done
[ $failed = 0 ] && echo "versions_test: $version keeps what earlier versions promised"
exit $failed
