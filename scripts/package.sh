#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh - makes all packages, in build/packages, and checks them: the source archive, from it the .debs of
# this system and the zip for Windows. Can be run again.
#
#   scripts/package.sh                     makes and checks them
#   scripts/package.sh --check-in TREE...  installs the .debs made before in root trees of Debian systems (as
#                                          mmdebstrap makes them), builds and runs programs there, removes them
#
# A .deb works on the Debian release that it was made on, and on later ones. DEBFULLNAME and DEBEMAIL in the
# environment name its maintainer. --check-in enters the trees by chroot, in a mount namespace of its own: as
# root, or as an ordinary user where there are user namespaces. Its packages are fetched by the tree's apt-get.
set -eu

cd "$(dirname "$0")/.."
. scripts/lib.sh

out=$PWD/build/packages
work=$PWD/build/package
version=$(sed -n 's/^project(umsshim VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
jobs=$(nproc)
options="-G Ninja -DUMSSHIM_BUILD_TESTS=OFF -DUMSSHIM_BUILD_BENCH=OFF -DUMSSHIM_BUILD_SAMPLES=OFF"

# From the archive on everything is made of what is in the archive.
make_sources() {
    say "the source archive"
    # shellcheck disable=SC2086
    run_quietly "configuring" cmake -S . -B "$work/source" $options || exit 1
    run_quietly "packing the sources" cpack --config "$work/source/CPackSourceConfig.cmake" \
        -B "$work/source-archive" || exit 1
    mv "$work/source-archive/umsshim-$version.tar.gz" "$out"
    tar -xzf "$out/umsshim-$version.tar.gz" -C "$work"
    sources=$work/umsshim-$version
    [ -f "$sources/CMakeLists.txt" ] || die "the source archive has no umsshim-$version/CMakeLists.txt"
    if [ -e .git ] && command -v git >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard | sort >"$work/wanted"
        (cd "$sources" && find . ! -type d | sed 's/^\.\///' | sort) >"$work/packed"
        diff "$work/wanted" "$work/packed" >&2 || die "the source archive is not what git has (above)"
        # There is no git in the archive, and the packages bear a date.
        : "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
        export SOURCE_DATE_EPOCH
    fi
}

make_debs() {
    say "the .debs"
    # What debhelper gives a package's build.
    CFLAGS="$(dpkg-buildflags --get CFLAGS) $(dpkg-buildflags --get CPPFLAGS)"
    LDFLAGS=$(dpkg-buildflags --get LDFLAGS)
    export CFLAGS LDFLAGS
    # shellcheck disable=SC2086
    run_quietly "configuring for Debian" cmake -S "$sources" -B "$work/linux" $options \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/usr -DUMSSHIM_DEBIAN=ON || exit 1
    run_quietly "building for Debian" cmake --build "$work/linux" -j "$jobs" || exit 1
    (cd "$work/linux" && run_quietly "packing for Debian" cpack) || exit 1
    unset CFLAGS LDFLAGS
    mv "$work"/linux/*.deb "$out"
}

make_zip() {
    say "the zip for Windows"
    # shellcheck disable=SC2086
    run_quietly "configuring for Windows" cmake -S "$sources" -B "$work/windows" $options \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_TOOLCHAIN_FILE="$sources/cmake/mingw-w64.cmake" || exit 1
    run_quietly "building for Windows" cmake --build "$work/windows" -j "$jobs" || exit 1
    (cd "$work/windows" && run_quietly "packing for Windows" cpack) || exit 1
    mv "$work/windows/umsshim-$version-win64.zip" "$out"
}

# In the tree, as its root: nothing is left there but the packages that were needed.
# shellcheck disable=SC2016 # expanded there
steps_in_tree='
    set -e
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends gcc g++ pkg-config cmake ninja-build
    apt-get install -y -qq --no-install-recommends /umsshim-check/*.deb
    [ ! -e /usr/include/wine ] || { echo "libwine-dev came with the packages"; exit 1; }
    ldconfig -p | grep "libumsshim.so.0 "
    sh /umsshim-check/tests/tools/use_installed.sh /umsshim-check / gcc g++
    cd /umsshim-check
    gcc samples/hello/main.c -o hello $(pkg-config --cflags --libs umsshim)
    ./hello | grep "workers ended: 2"
    g++ -std=c++17 samples/taskpool/*.cpp -o taskpool $(pkg-config --cflags --libs umsshim)
    ./taskpool
    cmake -G Ninja -S /usr/share/doc/libumsshim-dev/examples -B examples
    cmake --build examples
    examples/hello | grep "workers ended: 2"
    dpkg -L libumsshim0 libumsshim-dev umsshim-tools | grep umsshim >files
    apt-get purge -y -qq libumsshim0 libumsshim-dev umsshim-tools
    while read -r file; do
        [ ! -e "$file" ] || { echo "left behind by the packages: $file"; exit 1; }
    done <files'

# check_in TREE
check_in() {
    tree=$1
    [ -x "$tree/usr/bin/apt-get" ] || die "$tree is no root tree of a Debian system"
    set -- "$out"/*.deb
    [ -e "$1" ] || die "no .debs in $out: run scripts/package.sh first"
    own="unshare --mount --propagation private"
    [ "$(id -u)" = 0 ] || own="unshare --mount --map-auto --map-root-user --propagation private"
    say "$tree: installing and using $(basename "$1") and its kin"
    mkdir -p "$work"
    check=$tree/umsshim-check
    # shellcheck disable=SC2086
    if ! $own rm -rf "$check" || ! $own mkdir -p "$check/tests/tools"; then
        die "cannot write to $tree"
    fi
    # shellcheck disable=SC2086
    $own cp -r "$@" samples "$check" && $own cp tests/tools/consumer.c tests/tools/use_installed.sh \
        "$check/tests/tools"
    # shellcheck disable=SC2016,SC2086
    run_quietly "the packages in $tree" $own sh -c '
        for folder in proc sys dev; do mount --rbind "/$folder" "$1/$folder"; done
        cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || :
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$1" sh -c "$2"
    ' package "$tree" "$steps_in_tree" || exit 1
    # shellcheck disable=SC2086
    $own rm -rf "$check"
    say "$tree: installed, used and removed"
}

if [ "${1:-}" = --check-in ]; then
    shift
    [ $# -gt 0 ] || die "--check-in needs a root tree"
    for tree in "$@"; do
        check_in "$tree"
    done
    exit 0
fi
[ $# -eq 0 ] || die "no such option: $1; scripts/package.sh [--check-in TREE...]"

# shellcheck disable=SC2086
need_packages $packages_build $packages_windows $packages_package $packages_proof
rm -rf "$out" "$work"
mkdir -p "$out" "$work"
make_sources
make_debs
make_zip
say "checking what was made"
sh tests/tools/debs_test.sh "$out"
run_quietly "starting Wine" sh scripts/wine.sh --boot || exit 1
status=0
sh tests/windows/tree_test.sh "$PWD" "$out/umsshim-$version-win64.zip" || status=$?
sh scripts/wine.sh --end || :
[ $status = 0 ] || exit $status
(cd "$out" && sha256sum -- *umsshim* >SHA256SUMS && sha256sum --quiet --check SHA256SUMS)
say "made, in $out:"
(cd "$out" && for file in *; do printf '  %s  %s\n' "$(wc -c <"$file")" "$file"; done)
