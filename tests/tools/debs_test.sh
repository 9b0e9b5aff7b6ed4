#!/bin/sh
# SPDX-License-Identifier: MIT
# debs_test.sh FOLDER - the three packages in it: what each says of itself, what is in it, how the library was
# linked; and lintian, where it is installed, has nothing against them that is not overridden with a reason.
set -eu

cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "debs_test: $*" >&2
    [ ! -s "$scratch/log" ] || head -n 30 "$scratch/log" >&2
    exit 1
}

# has FILE PATTERN WHAT
has() {
    grep -Eq -- "$2" "$1" || {
        cp "$1" "$scratch/log"
        fail "no $3:"
    }
}

set -- *umsshim*.deb
[ $# = 3 ] || fail "not three packages, but: $*"
runtime=$(echo libumsshim0_*_amd64.deb)
dev=$(echo libumsshim-dev_*_amd64.deb)
tools=$(echo umsshim-tools_*_amd64.deb)
version=$(dpkg-deb --field "$runtime" Version)
[ "$version" = "$(dpkg-deb --field "$dev" Version)" ] || fail "the packages differ in their version"
case $version in
*[0-9].[0-9]*.[0-9]*-[0-9]*) ;;
*) fail "no version with a revision: $version" ;;
esac

dpkg-deb --field "$runtime" >"$scratch/control"
has "$scratch/control" '^Depends:.*libc6 \(>= 2\.[0-9]+\)' "dependency on libc6 in $runtime"
has "$scratch/control" '^Depends:.*liburing2' "dependency on liburing2"
has "$scratch/control" '^Description: User-Mode Scheduling' "description of one line"
dpkg-deb --field "$dev" >"$scratch/control"
has "$scratch/control" "^Depends: libumsshim0 \(= $version\), libc6-dev\$" "right dependency of $dev"
dpkg-deb --field "$tools" >"$scratch/control"
has "$scratch/control" "^Depends: python3\$" "right dependency of $tools"

dpkg-deb --control "$runtime" "$scratch/DEBIAN"
has "$scratch/DEBIAN/shlibs" "^libumsshim 0 libumsshim0 \(>= ${version%-*}" "shlibs"
has "$scratch/DEBIAN/triggers" '^activate-noawait ldconfig' "trigger of ldconfig"
for script in postinst postrm preinst prerm; do
    [ ! -e "$scratch/DEBIAN/$script" ] || fail "$runtime has a script $script"
done

for package in "$runtime" "$dev" "$tools"; do
    dpkg-deb --contents "$package" >"$scratch/contents"
    has "$scratch/contents" "/share/doc/${package%%_*}/copyright" "copyright in $package"
    has "$scratch/contents" "/share/doc/${package%%_*}/changelog.Debian.gz" "changelog.Debian.gz in $package"
    awk '$2 != "root/root" || $1 ~ /^[^l]....w/ || $1 ~ /^[^l].......w/' "$scratch/contents" >"$scratch/log"
    [ ! -s "$scratch/log" ] || fail "$package has files that are not root's, or that others may write:"
done
dpkg-deb --contents "$runtime" >"$scratch/contents"
if grep -E '/include/|\.so$|\.so ->|/pkgconfig/|/cmake/' "$scratch/contents" >"$scratch/log"; then
    fail "$runtime has files that are for development:"
fi
dpkg-deb --contents "$dev" >"$scratch/contents"
for name in include/umsshim/windows.h include/umsshim/umsshim.h pkgconfig/umsshim.pc \
    cmake/umsshim/umsshim-config.cmake 'libumsshim\.so -> libumsshim\.so\.0$'; do
    has "$scratch/contents" "$name" "$name in $dev"
done
for name in tutorial.md index.md lanes.svg; do
    has "$scratch/contents" "/share/doc/libumsshim-dev/docs/$name\$" "$name in $dev"
done
for name in hello/main.c fastthreads/context_linux.S CMakeLists.txt nbody/CMakeLists.txt; do
    has "$scratch/contents" "/share/doc/libumsshim-dev/examples/$name\$" "sample's $name in $dev"
done
has "$scratch/contents" '/share/man/man7/umsshim\.7\.gz$' "manual page umsshim.7.gz in $dev"
if grep -E '/share/man/.*\.[1-9]$' "$scratch/contents" >"$scratch/log"; then
    fail "$dev has manual pages that are not compressed:"
fi

dpkg-deb --contents "$tools" >"$scratch/contents"
for name in bin/umsshim-trace share/man/man1/umsshim-trace.1.gz '/gdb/auto-load/.*-gdb\.py'; do
    has "$scratch/contents" "$name" "$name in $tools"
done

# A source that includes <windows.h> compiles where Wine's headers are in the package alone.
dpkg-deb --extract "$dev" "$scratch/dev"
[ -f "$scratch/dev/usr/include/umsshim/wine/winbase.h" ] || fail "$dev carries no header of Wine's"
printf '#include <windows.h>\n#include <Process.h>\n#include <sysinfoapi.h>\n#include <strsafe.h>\n' >"$scratch/app.c"
flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$scratch/dev" -name umsshim.pc)") \
    pkg-config --define-variable=wineincludedir=/nowhere --cflags umsshim)
# shellcheck disable=SC2086
${CC:-cc} -fsyntax-only -Wall -Wextra -Werror $flags "$scratch/app.c" >"$scratch/log" 2>&1 ||
    fail "without libwine-dev a source does not compile:"

dpkg-deb --extract "$runtime" "$scratch/files"
library=$(find "$scratch/files" -type f -name 'libumsshim.so.*')
readelf --wide --dynamic --program-headers --sections "$library" >"$scratch/elf"
has "$scratch/elf" 'SONAME.*\[libumsshim\.so\.0\]' "SONAME libumsshim.so.0"
has "$scratch/elf" 'GNU_RELRO' "read-only relocations"
has "$scratch/elf" 'FLAGS.*NOW' "immediate binding"
has "$scratch/elf" 'GNU_STACK .*RW ' "stack that is not executable"
if grep -E 'RPATH|RUNPATH|TEXTREL|\.symtab|\.debug_' "$scratch/elf" >"$scratch/log"; then
    fail "the library is not as it is shipped:"
fi

if command -v lintian >/dev/null 2>&1; then
    lintian --no-cfg --allow-root --display-info --fail-on error,warning,info "$@" >"$scratch/log" 2>&1 ||
        fail "lintian:"
    if grep -E '^[EWI]: ' "$scratch/log" >/dev/null; then
        fail "lintian:"
    fi
    lintian="lintian has nothing against them"
else
    lintian="lintian is not installed here"
fi
echo "debs_test: $runtime, $dev and $tools are sound; $lintian"
