/* SPDX-License-Identifier: MIT
 *
 * syscall.c - what a system call that does not wait costs a worker, and a plain thread beside workers.
 */
#include "probes_ums.h"

#include "calls.h"
#include "rig.h"

static void allowed(struct rig_worker *self)
{
    const struct bench_scale *scale = self->arg;

    bench_emit("call", calls_getppid_ns(scale->calls));
}

/* A tenth of the calls: each may be a notification, microseconds rather than nanoseconds. */
static void instant_libc(struct rig_worker *self)
{
    const struct bench_scale *scale = self->arg;

    bench_emit("call", calls_instant_ns(scale->calls / 10, false));
}

static void instant_bare(struct rig_worker *self)
{
    const struct bench_scale *scale = self->arg;

    bench_emit("call", calls_instant_ns(scale->calls / 10, true));
}

static void run_one(void (*body)(struct rig_worker *self), const struct bench_scale *scale)
{
    static struct rig rig;

    rig_init(&rig, 1);
    rig_add(&rig, body, (void *)scale);
    rig_run(&rig);
    /* One is the worker's end, and none should come from calls that do not wait. */
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) - 1.0);
}

void probe_call_allowed(const struct bench_scale *scale)
{
    run_one(allowed, scale);
}

void probe_call_instant_libc(const struct bench_scale *scale)
{
    run_one(instant_libc, scale);
}

void probe_call_instant_bare(const struct bench_scale *scale)
{
    run_one(instant_bare, scale);
}

void probe_plain_call(const struct bench_scale *scale)
{
    rig_run_plain(allowed, (void *)scale);
}

void probe_plain_instant(const struct bench_scale *scale)
{
    rig_run_plain(instant_libc, (void *)scale);
}
