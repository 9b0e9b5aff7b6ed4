#!/bin/sh
# SPDX-License-Identifier: MIT
# consumer_test.sh - what a user does: build and install the library, then compile and run programs with it
# (use_installed.sh). Installed in each of the ways that there are, and moved before it is used.
#
#   consumer_test.sh SOURCE_DIR [C_COMPILER [CXX_COMPILER]]
set -eu

source_dir=$1
cc=${2:-gcc}
cxx=${3:-g++}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "consumer_test: $*" >&2
    [ ! -s "$scratch/log" ] || tail -n 30 "$scratch/log" >&2
    exit 1
}

use_installed() {
    sh "$source_dir/tests/tools/use_installed.sh" "$source_dir" "$@" "$cc" "$cxx"
}

# As for packages, with Debian's flags for them; what is installed by --prefix or with DESTDIR is the same.
if command -v dpkg-buildflags >/dev/null 2>&1; then
    CFLAGS="$(dpkg-buildflags --get CFLAGS) $(dpkg-buildflags --get CPPFLAGS)"
    LDFLAGS=$(dpkg-buildflags --get LDFLAGS)
    export CFLAGS LDFLAGS
fi
{
    cmake -S "$source_dir" -B "$scratch/build" -G Ninja -DUMSSHIM_DEBIAN=ON -DCMAKE_INSTALL_PREFIX=/usr \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
        -DUMSSHIM_BUILD_TESTS=OFF -DUMSSHIM_BUILD_BENCH=OFF -DUMSSHIM_BUILD_SAMPLES=OFF &&
        cmake --build "$scratch/build"
} >"$scratch/log" 2>&1 || fail "building failed"
unset CFLAGS LDFLAGS

# In folders that the build has not heard of, then moved: nothing may name a former place.
cmake --install "$scratch/build" --prefix "$scratch/first" >"$scratch/log" 2>&1 || fail "--prefix: no install"
mkdir "$scratch/moved"
mv "$scratch/first" "$scratch/moved/by-prefix"
use_installed --thorough "$scratch/moved/by-prefix"
DESTDIR=$scratch/stage cmake --install "$scratch/build" >"$scratch/log" 2>&1 || fail "DESTDIR: no install"
mv "$scratch/stage/usr" "$scratch/moved/by-destdir"
[ -z "$(find "$scratch/stage" -type f)" ] || fail "files outside /usr: $(find "$scratch/stage" -type f)"
use_installed "$scratch/moved/by-destdir"
for way in by-prefix by-destdir; do
    grep -rl -e "$scratch/first" -e "$scratch/stage" -e "$scratch/build" -e "$source_dir/" \
        "$scratch/moved/$way" --include=*.pc --include=*.cmake --include=*.h >"$scratch/log" &&
        fail "$way: files that name a former place:"
done

# Debian's packages, by content: where packages may be installed scripts/package.sh does that.
if command -v dpkg-shlibdeps >/dev/null 2>&1; then
    (cd "$scratch/build" && cpack) >"$scratch/log" 2>&1 || fail "cpack failed"
    sh "$source_dir/tests/tools/debs_test.sh" "$scratch/build"
    for deb in "$scratch"/build/*.deb; do
        dpkg-deb --extract "$deb" "$scratch/moved/by-deb"
    done
    use_installed "$scratch/moved/by-deb/usr"
else
    echo "consumer_test: no Debian packages here, for there is no dpkg-shlibdeps (package dpkg-dev)"
fi
echo "consumer_test: by prefix, by DESTDIR and from packages the library serves"
