# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# lib.sh - what the scripts here share: the packages they need, and how to get them.

say() {
    printf '%s: %s\n' "$(basename "$0" .sh)" "$*"
}

die() {
    printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
    exit 1
}

# Compilers and libraries by their Debian names. ctest comes with cmake. gcc runs make to optimise at link time on all
# processors, and warns where there is none.
packages_build="gcc g++ libc6-dev make cmake ninja-build pkg-config libwine-dev liburing-dev libzydis-dev systemtap-sdt-dev"
packages_test="python3 mandoc gdb libgtest-dev libboost-fiber-dev libboost-context-dev libunwind8 spin"
packages_windows="gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix wine64 python3"
packages_windows_test="googletest clang lld llvm" # clang and lld stand for Microsoft's compiler and linker
packages_package="dpkg-dev lintian"          # for package.sh, and a test of what it makes
packages_lint="shellcheck codespell clang-format clang-tidy" # for lint.sh and format.sh
packages_proof="valgrind"                     # tests run under it, and its header is compiled in; without it neither
packages_fuzz="clang libclang-rt-dev"         # for fuzz.sh alone
packages_coverage="gcovr"                    # for coverage.sh alone
packages_figures="gnuplot-nox" # for paper.sh and items.sh
packages_real="redis-server libhiredis-dev postgresql libpq-dev libglib2.0-dev" # for real.sh

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs what is missing of the packages named, and says so in one line before it does.
need_packages() {
    missing=
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        die "this script installs through apt-get (Debian); elsewhere install the equivalents" \
            "of: $*"
    fi
    for package in "$@"; do
        is_installed "$package" || missing="$missing $package"
    done
    if [ -z "$missing" ]; then
        say "nothing to install, all packages are there"
        return 0
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            die "cannot install$missing: neither root nor sudo; install them, then run this again"
        as_root=sudo
    fi
    say "installing with apt-get:$missing"
    run_apt update || die "apt-get update failed; its message is above"
    # Word splitting is wanted: a list of names.
    # shellcheck disable=SC2086
    run_apt install -y --no-install-recommends $missing ||
        die "apt-get install failed; its message is above"
}

# Quiet unless it fails. env: sudo drops variables.
run_apt() {
    apt_log=$(mktemp)
    if $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$apt_log" 2>&1; then
        rm -f "$apt_log"
        return 0
    fi
    cat "$apt_log" >&2
    rm -f "$apt_log"
    return 1
}

# Quiet unless it fails: "run_quietly WHAT command...".
run_quietly() {
    what=$1
    shift
    quiet_log=$(mktemp)
    if "$@" >"$quiet_log" 2>&1; then
        rm -f "$quiet_log"
        return 0
    fi
    cat "$quiet_log" >&2
    rm -f "$quiet_log"
    printf '%s: %s failed\n' "$(basename "$0" .sh)" "$what" >&2
    return 1
}

# Before a person: as it is, ninja's one line of progress among it. Else quiet unless it fails.
run_in_sight() {
    if [ -t 1 ]; then
        shift
        "$@"
    else
        run_quietly "$@"
    fi
}

# look_for_room FOLDER MB [PART...]: sets `free` to the MB that are free on FOLDER's disk, and `needed` to those of MB
# that the parts, left there by earlier runs, do not fill already. Where df gives no number there is enough.
look_for_room() {
    needed=$2
    free=$(df -Pk "$1" 2>/dev/null | awk 'NR == 2 && $4 ~ /^[0-9]+$/ { printf "%d", $4 / 1024 }')
    shift 2
    for part in "$@"; do
        needed=$((needed - $(du -sk "$part" 2>/dev/null | awk '{ kb = $1 } END { printf "%d", kb / 1024 }')))
    done
    [ "$needed" -ge 0 ] || needed=0
    free=${free:-$needed}
}

# failed_tests WHAT LOGS DIR: a line for each test that failed in the ctest run whose logs are in LOGS: its name
# after WHAT, a tab, and a file in DIR with what it said.
failed_tests() {
    [ -s "$2/LastTestsFailed.log" ] || return 0
    while IFS=: read -r number name; do
        said=$3/$1-$number.txt
        name="$name" awk '/^[0-9]+\/[0-9]+ Testing: / {
            title = $0; sub(/^[^:]*: /, "", title); on = title == ENVIRON["name"] } on' \
            "$2/LastTest.log" >"$said" 2>/dev/null || :
        printf '%s: %s\t%s\n' "$1" "$name" "$said"
    done <"$2/LastTestsFailed.log"
}

# source_files ENDING...: the files of the tree with such an ending, one a line; git's, or all but what was built.
source_files() {
    pattern=$(printf '|%s' "$@")
    if [ -e .git ] && git ls-files >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -path ./build -prune -o -path ./.git -prune -o -type f -print
    fi |
        sed 's|^\./||' | grep -E "[.](${pattern#|})\$" | sort -u |
        while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}

# is_version WANTED COMMAND...: what the command says of its version has WANTED as its first number, or first
# numbers.
is_version() {
    wanted=$1
    shift
    command -v "$1" >/dev/null 2>&1 &&
        "$@" 2>&1 | grep -m 1 -oE '[0-9]+([.][0-9]+)+' | grep -qE "^$(printf '%s' "$wanted" | sed 's/[.]/[.]/g')([.]|\$)"
}

# figure_options OPTION...: sets `publish` and `quick`, of a script that measures and draws a plot.
figure_options() {
    publish=
    quick=
    for option in "$@"; do
        case $option in
        --publish) publish=yes ;;
        --quick) quick=--quick ;;
        *) die "unknown option $option" ;;
        esac
    done
}

# build_for_figures TARGET: one of the benchmarks, in build/linux.
build_for_figures() {
    # shellcheck disable=SC2086
    need_packages $packages_build $packages_test $packages_figures
    say "building in build/linux"
    run_quietly "configuring" cmake --preset linux -DUMSSHIM_BUILD_BENCH=ON
    run_quietly "building" cmake --build build/linux -j "$(nproc)" --target "$1"
}

# draw_figure FOLDER NAME PLOT: draws NAME.dat there by the gnuplot file PLOT; into docs/ as well if `publish` is set.
draw_figure() {
    machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
    gnuplot -e "data='$1/$2.dat'; output_file='$1/$2.svg'; machine='$machine, $(nproc) processors'" "$3" ||
        die "gnuplot could not draw it"
    [ -z "$publish" ] || cp "$1/$2.svg" docs/
    say "drew $1/$2.svg"
}
