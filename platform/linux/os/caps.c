/* SPDX-License-Identifier: MIT
 *
 * caps.c - what this machine allows, found by trying.
 *
 * Each feature that the engine can do without has a switch in the environment, which is read once.
 * In a program that has more rights than its caller (setuid, setgid, file capabilities) no switch
 * is set: secure_getenv.
 *   UMSSHIM_DISABLE=1   every UMS call fails with ERROR_NOT_SUPPORTED, as on Windows 11
 *   UMSSHIM_DETECT=0    no filter: only calls by libc's functions are detected
 *   UMSSHIM_DETECT=traps, notify  by traps only, by notifications only. Else by notifications; by
 *                       traps if there can be no listener, or for calls that come from one place
 *                       again and again
 *   UMSSHIM_RING=0      no io_uring: helper threads see blocked calls through
 *   UMSSHIM_FRONT=0     libc's I/O functions are not tried in user mode first, and no system call
 *                       is rewritten
 *   UMSSHIM_FRONT=functions  system calls within libc and elsewhere stay as they are
 *   UMSSHIM_FSGSBASE=0  arch_prctl instead of wrfsbase (os/thread_pointer.h); =guard: as if the
 *                       kernel did not know wrfsbase
 *   UMSSHIM_FAULTS=1    a worker that sleeps in a page fault or a steady call leaves its scheduler
 *                       (traps/fault_watch.c)
 *   UMSSHIM_TRACE=file  records what schedulers and workers do (trace/trace.h, trace/file.h)
 *   UMSSHIM_WATCH=n     says on stderr when a scheduler with work was not entered for n seconds
 *                       (inspect/standstill.c)
 *   UMSSHIM_LOG=caps    says on stderr what is allowed, and with the first scheduler what was found
 *                       (another word, debug: winapi/linux/debug.c)
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/os/caps.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/thread_pointer.h"
#include "platform/linux/os/under_tool.h"
#include "platform/platform.h"

struct engine_caps engine_caps;

enum { ARCH_SHSTK_STATUS_CODE = 0x5005 };

static bool allowed(const char *name)
{
    const char *value = secure_getenv(name);
    return !value || strcmp(value, "0") != 0;
}

static bool says(const char *name, const char *word)
{
    const char *value = secure_getenv(name);
    return value && strcmp(value, word) == 0;
}

bool plat_switch(const char *name, char value)
{
    const char *text = secure_getenv(name);
    return text && text[0] == value && !text[1];
}

/* A stack switch without a switch of the shadow stack would fault at the first return. */
static bool shadow_stack_on(void)
{
    unsigned long features = 0;
    return RAW2(SYS_arch_prctl, ARCH_SHSTK_STATUS_CODE, &features) == 0 && features;
}

bool caps_wanted(void)
{
    const char *log = secure_getenv("UMSSHIM_LOG");
    return log && strstr(log, "caps");
}

void caps_found(const char *seen, bool ring)
{
    static bool told;
    char byte = 0, copied;
    if (told || !caps_wanted())
        return;
    told = true;
    copy_in(&copied, &byte, sizeof byte);
    plat_log(
        "found: blocking calls %s; thread pointers by %s; sync-wakeup=%d ring=%d ring-futex=%d "
        "memory=%s",
        seen, thread_pointer_told(), engine_caps.sync_wakeup, ring, engine_caps.ring_futex,
        copy_is_direct() ? "direct" : "by pipe");
}

bool caps_probe(void)
{
    if (plat_switch("UMSSHIM_DISABLE", '1'))
        return false;
    if (shadow_stack_on()) {
        plat_log("this process runs with a user shadow stack, which user-mode switching cannot "
                 "follow; start it with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK");
        return false;
    }
    if (thread_sanitizer_found())
        return false;
    engine_caps.emulated = valgrind_found();
    rseq_find();
    engine_caps.detect = allowed("UMSSHIM_DETECT");
    engine_caps.may_listen = !says("UMSSHIM_DETECT", "traps") && !engine_caps.emulated;
    engine_caps.may_trap = !says("UMSSHIM_DETECT", "notify") && !engine_caps.emulated;
    engine_caps.guards = thread_pointer_choose(secure_getenv("UMSSHIM_FSGSBASE")) &&
                         engine_caps.detect && engine_caps.may_trap;
    engine_caps.ring = allowed("UMSSHIM_RING") && !engine_caps.emulated;
    engine_caps.front = allowed("UMSSHIM_FRONT");
    engine_caps.sites = engine_caps.front && !says("UMSSHIM_FRONT", "functions");
    if (caps_wanted())
        plat_log("allowed: fsgsbase=%s detect=%d ring=%d front=%d sites=%d",
                 engine_caps.guards ? "guarded" : thread_pointer_told(), engine_caps.detect,
                 engine_caps.ring, engine_caps.front, engine_caps.sites);
    return true;
}
