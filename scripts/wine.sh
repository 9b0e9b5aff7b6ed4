#!/bin/sh
# SPDX-License-Identifier: MIT
# wine.sh - runs a Windows program under Wine, for tests: no display, no noise but Wine's own errors, a
# prefix of its own.
#
#   scripts/wine.sh PROGRAM.exe [ARG...]   its exit status is the program's
#   scripts/wine.sh --boot                 makes the prefix, which takes a while, and keeps the server
#   scripts/wine.sh --end                  ends the server and whatever it still serves
#
# UMSSHIM_TEST_AS_WINDOWS=all: as tests/windows/as_windows/as_windows.h says. UMSSHIM_COUNTS=FOLDER: a program whose lines
# are counted leaves its counts there (coverage.sh).
# The prefix is $UMSSHIM_WINEPREFIX, else build/wine-prefix.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
export WINEPREFIX="${UMSSHIM_WINEPREFIX:-$root/build/wine-prefix}"
export WINEDEBUG=err+all,fixme-all WINEDLLOVERRIDES="mscoree,mshtml=" WINEARCH=win64
unset DISPLAY WAYLAND_DISPLAY
# Names of files are Unicode on one side and bytes on the other: a locale without UTF-8 has none for most.
case "${LC_ALL:-${LC_CTYPE:-${LANG:-}}}" in
*[Uu][Tt][Ff]*8*) ;;
*) export LC_ALL=C.UTF-8 ;;
esac
# A thread that ends while its process exits has the C library load this one, for its unwinding; if ld.so
# is closing all libraries by then it gives up: "Inconsistency detected by ld.so: dl-fini.c".
export LD_PRELOAD="libgcc_s.so.1${LD_PRELOAD:+:$LD_PRELOAD}"

# Nor is a thread that ends by itself told to end meanwhile: wine_ends.c. Without it some of a thousand processes that
# exit while a thread of theirs ends die of that.
ends="$WINEPREFIX/wine_ends.so"
build_ends() {
    { cc -O2 -shared -fPIC -o "$ends.$$" "$root/scripts/wine_ends.c" -ldl && mv "$ends.$$" "$ends"; } ||
        echo "wine.sh: without wine_ends.so a process that exits while a thread of it ends may be killed" >&2
}
load_ends() {
    case $ends in
    *[[:space:]:]*) ;; # would be several names
    *) [ ! -f "$ends" ] || LD_PRELOAD="$LD_PRELOAD:$ends" ;;
    esac
}

# Debian's /usr/bin/wine talks about 32-bit programs that nobody asked for.
wine=
for candidate in /usr/lib/wine/wine64 wine64 wine; do
    if command -v "$candidate" >/dev/null 2>&1; then
        wine=$candidate
        break
    fi
done
[ -n "$wine" ] || {
    echo "wine.sh: no wine64 here (Debian: package wine64)" >&2
    exit 127
}

# Since Linux 6.9 a program's heap may begin anywhere within a gigabyte; once in thousands of starts it
# lies where Windows has its shared data, and Wine gives up ("failed to map the shared user data").
in_place=
if setarch -R true 2>/dev/null; then
    in_place="setarch -R"
fi

# Debian keeps Wine's server beside Wine, not in PATH: on 12 and 13 under the first name, in sid under the second.
server=wineserver
for candidate in /usr/lib/wine/wineserver64 /usr/lib/x86_64-linux-gnu/wine/wineserver; do
    if [ -x "$candidate" ]; then
        server=$candidate
        export WINESERVER=$server
        break
    fi
done
command -v "$server" >/dev/null 2>&1 || {
    echo "wine.sh: Wine is here ($wine), but not its server: neither wineserver nor one beside Wine" >&2
    exit 127
}

case "${1:-}" in
--boot)
    mkdir -p "$WINEPREFIX"
    build_ends
    load_ends
    # In the foreground, so that it stays in the session of the tests that it serves. Linux shares processors among
    # sessions first (autogroup): in one of its own a server gets no turn for seconds beside programs that spin.
    # The first question also makes the folder of its socket, which in Debian two processes at once would make twice.
    if ! $server -k0 2>/dev/null; then
        $server -f -p3600 </dev/null >/dev/null 2>&1 &
        # Without it the first program would start a server that ends with it, and so would each of the tests.
        tries=0
        until $server -k0 2>/dev/null; do
            if [ $tries = 600 ] || { ! kill -0 $! 2>/dev/null && ! $server -k0 2>/dev/null; }; then
                echo "wine.sh: Wine's server does not answer: $server -f, prefix $WINEPREFIX" >&2
                exit 1
            fi
            tries=$((tries + 1))
            sleep 0.2
        done
    fi
    [ -f "$WINEPREFIX/system.reg" ] || $in_place "$wine" wineboot -i >/dev/null 2>&1
    # Or the first window of every program would wait ten seconds for a display; so, one program's does.
    exec $in_place "$wine" reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null /f >/dev/null 2>&1
    ;;
--end)
    $server -k 2>/dev/null || :
    exec $server -w
    ;;
*)
    # tests/windows/as_windows: the program runs on a stricter Windows.
    if [ -n "${UMSSHIM_TEST_AS_WINDOWS:-}" ]; then
        set -- "$(dirname "$1")/as_windows_launch.exe" "$@"
    fi
    if [ -n "${UMSSHIM_COUNTS:-}" ]; then
        export GCOV_PREFIX="Z:$UMSSHIM_COUNTS/$$"
    fi
    load_ends
    exec $in_place "$wine" "$@"
    ;;
esac
