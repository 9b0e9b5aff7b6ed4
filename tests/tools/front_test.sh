#!/bin/sh
# SPDX-License-Identifier: MIT
# front_test.sh SOURCE LIBRARY CC - what stands before libc's functions, seen by the dynamic linker:
# the exports are those of front.def; programs linked with release 0.1.0 start; who replaced a function
# before us keeps it and reaches us.
set -u
source=$1 library=$2 cc=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# ---- exports

def=$source/platform/linux/os/front.def
{
    sed -n 's/^FRONT(\([^)]*\)).*/\1/p' "$def"
    sed -n 's/^FRONT_VERSION(\([^,]*\), "\([^"]*\)").*/\1@@\2\n\1@UMSSHIM_0/p' "$def"
    sed -n 's/^FRONT_OLD(\([^,]*\), "\([^"]*\)",.*/\1@\2/p' "$def"
    sed -n 's/^FRONT_SAME(\([^,]*\), "\([^"]*\)").*/\1@\2/p' "$def"
    # the names of the versions
    { echo UMSSHIM_0; sed -n 's/^FRONT_[A-Z]*([^,]*, "\([^"]*\)".*/\1/p' "$def"; } | sort -u
} | sort > "$work/wanted"
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/^\([A-Z0-9_.]*\)@@\1$/\1/' |
    grep -v '@@UMSSHIM_0$' | sort > "$work/exported"
[ "$(wc -l < "$work/wanted")" -gt 30 ] || fail "front.def was not understood"
diff -u "$work/wanted" "$work/exported" > "$work/diff" || {
    fail "exports without our version are not what front.def says"
    cat "$work/diff"
}

# ---- a program that was linked with release 0.1.0

cat > "$work/old_library.c" <<'C'
#define EXPORT(name) void name(void) {}
EXPORT(read) EXPORT(write) EXPORT(pthread_create) EXPORT(pthread_kill) EXPORT(posix_spawn)
EXPORT(posix_spawnp) EXPORT(vfork) EXPORT(sigprocmask) EXPORT(raise)
C
echo 'UMSSHIM_0 { global: *; };' > "$work/old.map"
cat > "$work/program.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *run(void *arg) { return arg; }
static void where(const char *name, void *address)
{
    Dl_info info;
    dladdr(address, &info);
    printf("%s %s\n", name, strrchr(info.dli_fname, '/') + 1);
}
int main(void)
{
    char byte;
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    printf("kill %d\n", pthread_kill(thread, 0));
    pthread_join(thread, NULL);
    printf("read %zd\n", read(-1, &byte, 1));
    where("read", (void *)read);
    where("pthread_kill", (void *)pthread_kill);
    where("posix_spawn", (void *)posix_spawn);
    where("vfork", (void *)vfork);
    return 0;
}
C
cp "$library" "$work/libumsshim.so.0"
mkdir "$work/old"
name=$(basename "$work/libumsshim.so.0")
printf 'kill 0\nread -1\nread %s\npthread_kill %s\nposix_spawn %s\nvfork %s\n' \
    "$name" "$name" "$name" "$name" > "$work/answer"
if $cc -shared -fPIC -fno-builtin -w "$work/old_library.c" -o "$work/old/libumsshim.so.0" \
        -Wl,-soname,libumsshim.so.0,--version-script="$work/old.map" &&
    $cc "$work/program.c" -o "$work/old/program" "$work/old/libumsshim.so.0"; then
    nm -D "$work/old/program" | grep -q 'read@UMSSHIM_0' || fail "the old program is none"
    for now in "" 1; do
        LD_BIND_NOW=$now LD_LIBRARY_PATH=$work "$work/old/program" > "$work/output" 2>&1 ||
            fail "the old program ended with status $?"
        diff "$work/answer" "$work/output" || fail "an old program (LD_BIND_NOW=$now)"
    done
else
    fail "the old program could not be built"
fi

# ---- somebody who replaces read, in each order of the three

cat > "$work/wrapper.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
ssize_t read(int fd, void *buffer, size_t bytes)
{
    Dl_info info;
    ssize_t (*next)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    dladdr((void *)next, &info);
    printf("wrapper, then %.11s\n", strrchr(info.dli_fname, '/') + 1);
    return next(fd, buffer, bytes);
}
C
cat > "$work/reader.c" <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    char byte;
    printf("read %zd\n", read(-1, &byte, 1));
    return 0;
}
C
$cc -shared -fPIC "$work/wrapper.c" -o "$work/libwrapper.so" || fail "the wrapper could not be built"
us=-Wl,--no-as-needed,-rpath,$work

# check <what> <wanted> <environment> <linker's words>...
check() {
    what=$1 wanted=$2 environment=$3
    shift 3
    $cc "$work/reader.c" -o "$work/reader" "$us" "$@" || fail "$what: not built"
    # shellcheck disable=SC2086 # none or several settings
    got=$(env $environment timeout 10 "$work/reader" 2>&1 | tr '\n' ';')
    [ "$got" = "$wanted" ] || fail "$what: $got"
}
L=$work/libumsshim.so.0 W="$work/libwrapper.so" C=-l:libc.so.6
check "wrapper preloaded" "wrapper, then libumsshim.;read -1;" LD_PRELOAD="$W" "$L"
check "wrapper preloaded, libc first" "wrapper, then libumsshim.;read -1;" LD_PRELOAD="$W" $C "$L"
check "both preloaded" "wrapper, then libumsshim.;read -1;" "LD_PRELOAD=$W:$L"
check "wrapper behind us" "wrapper, then libc.so.6;read -1;" X= "$L" "$W"
check "wrapper behind libc and us" "read -1;" X= $C "$L" "$W"
check "wrapper before libc" "wrapper, then libumsshim.;read -1;" X= "$W" "$L"
check "wrapper before libc, us behind" "wrapper, then libumsshim.;read -1;" X= "$W" $C "$L"

exit $failed
