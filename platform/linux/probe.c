/* SPDX-License-Identifier: MIT
 *
 * probe.c - what this machine allows, found by trying, and bringing the engine up.
 *
 * Every feature that is not a must has a switch in the environment, read once. In a program that has more
 * rights than its caller (setuid, setgid, file capabilities) no switch is set: secure_getenv.
 *   UMSSHIM_DISABLE=1   every UMS call fails with ERROR_NOT_SUPPORTED, as on Windows 11
 *   UMSSHIM_DETECT=0    no filter: of blocking system calls only libc's I/O is seen
 *   UMSSHIM_RING=0      no io_uring: helper threads see blocked calls through
 *   UMSSHIM_FRONT=0     libc's I/O functions are not tried in user mode first
 *   UMSSHIM_FSGSBASE=0  arch_prctl instead of wrfsbase
 *   UMSSHIM_KILLABLE=0  as on kernels before 5.19: signals may withdraw a notification
 *   UMSSHIM_STICKY=0    carriers may run on any processor of their scheduler
 *   UMSSHIM_LOG=caps    says on stderr what is allowed, and with the first scheduler what was found (another
 *                       word, debug: winapi/linux/debug.c)
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "platform/linux/copy.h"
#include "platform/linux/raw.h"
#include "platform/linux/redirect.h"
#include "platform/linux/worker_signals.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/thread.h"

enum { HWCAP2_FSGSBASE_BIT = 2, ARCH_SHSTK_STATUS_CODE = 0x5005 };

unsigned char ctx_have_fsgsbase;

static struct plat_lock init_lock;
static _Atomic int state; /* 0 not yet, 1 up, 2 refused */
static bool threads_up;
static _Atomic bool threads_asked_for;

static bool allowed(const char *name)
{
    const char *value = secure_getenv(name);
    return !value || strcmp(value, "0") != 0;
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

static bool caps_wanted(void)
{
    const char *log = secure_getenv("UMSSHIM_LOG");
    return log && strstr(log, "caps");
}

void caps_found(const struct lane *lane)
{
    static bool told;
    char byte = 0, copied;
    if (told || !caps_wanted())
        return;
    told = true;
    copy_in(&copied, &byte, sizeof byte);
    plat_log("found: blocking calls %s; killable=%d sync-wakeup=%d ring=%d ring-futex=%d memory=%s",
             lane->hosts ? "seen" : "seen in libc's functions only",
             lane->hosts && engine_caps.killable, engine_caps.sync_wakeup, lane->have_ring,
             engine_caps.ring_futex, copy_is_direct() ? "direct" : "by pipe");
}

static int probe(void)
{
    const char *disable = secure_getenv("UMSSHIM_DISABLE");
    if (disable && strcmp(disable, "0") != 0)
        return 2;
    if (shadow_stack_on()) {
        plat_log("this process runs with a user shadow stack, which user-mode switching cannot "
                 "follow; start it with GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK");
        return 2;
    }
    ctx_have_fsgsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT && allowed("UMSSHIM_FSGSBASE");
    rseq_find();
    engine_caps.detect = allowed("UMSSHIM_DETECT");
    engine_caps.killable = allowed("UMSSHIM_KILLABLE");
    engine_caps.ring = allowed("UMSSHIM_RING");
    engine_caps.front = allowed("UMSSHIM_FRONT");
    engine_caps.sticky = allowed("UMSSHIM_STICKY");
    if (caps_wanted())
        plat_log("allowed: fsgsbase=%d detect=%d ring=%d front=%d sticky=%d", ctx_have_fsgsbase,
                 engine_caps.detect, engine_caps.ring, engine_caps.front, engine_caps.sticky);
    return 1;
}

int plat_init(const struct plat_core *core)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (UMS_UNLIKELY(!now)) {
        plat_lock(&init_lock);
        now = atomic_load_explicit(&state, memory_order_relaxed);
        if (!now) {
            engine_core = core;
            now = probe();
            atomic_store_explicit(&state, now, memory_order_release);
        }
        plat_unlock(&init_lock);
    }
    return now == 1 ? 0 : 50;
}

/* From Linux 6.16 on a process has its own table of futexes, sized by its processors: 16 slots on two.
 * Every parked home waits in one, so with thousands of workers each wake-up would walk past hundreds.
 * Where the call is not known, the table is the system's and large. */
static void widen_futex_table(void)
{
    enum { FUTEX_HASH = 78, SET_SLOTS = 1, SLOTS = 4096 };
    RAW5(SYS_prctl, FUTEX_HASH, SET_SLOTS, SLOTS, 0, 0);
}

int engine_start(void)
{
    int error = 0;
    plat_lock(&init_lock);
    if (!threads_up) {
        widen_futex_table();
        atomic_store_explicit(&threads_asked_for, true, memory_order_release);
        bare_thread_init();
        redirect_modules(); /* also what libc itself has loaded since */
        error = stop_start() || service_start() || timer_start() || handler_thread_start() ||
                        signals_start()
                    ? 8
                    : 0;
        threads_up = !error;
    }
    plat_unlock(&init_lock);
    return error;
}

static void run_signals(struct plat_context *worker)
{
    signals_run(worker, NULL);
}

/* Ahead of this library's other constructors, and of those of all that depend on it. */
static __attribute__((constructor(101))) void set_hooks(void)
{
    dispatch_hooks = (struct dispatch_hooks){.start = engine_start,
                                             .before_sleep = poller_before_sleep,
                                             .after_wait = thread_stop_point,
                                             .signals_due = run_signals,
                                             .thread_ended = thread_ended};
}

bool engine_runs(void)
{
    return atomic_load_explicit(&threads_asked_for, memory_order_acquire);
}

void engine_forget(bool inside_filter)
{
    atomic_store_explicit(&threads_asked_for, false, memory_order_relaxed);
    init_lock = (struct plat_lock){0};
    threads_up = false;
    if (!inside_filter)
        return;
    engine_caps.caught = true;
}
