/* SPDX-License-Identifier: MIT
 *
 * trace.h - UMSSHIM_TRACE=file: what schedulers and workers do, as records in a file.
 *
 * Who writes where. A scheduler has a ring of its own: one kernel thread at a time carries it, and a hand-over
 * orders the old one's writes before the new one's. Everybody else (reactors, timers, plain threads, homes)
 * shares one ring, whose places are taken by compare-exchange. Nothing on the way takes a lock, allocates or
 * makes a system call. A thread of its own drains the rings into the file. What found its ring full is counted.
 *
 * Off, a switch pays nothing: it looks at scheduler->loaded as ever, which is NULL while tracing, so that it
 * comes by here (cpu_time.h). Other places look at trace_on.
 *
 * The file, in this machine's byte order: a struct trace_head, then records in portions; each begins with one
 * of kind TRACE_PORTION. Readers: umsshim_inspect/trace.py.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRACE_TRACE_H
#define UMSSHIM_PLATFORM_LINUX_TRACE_TRACE_H

#include "platform/linux/engine.h"

enum trace_kind {
    TRACE_PORTION =
        1, /* value: how many records follow; who: whose ring, 0: the common one; extra: lost so far */
    TRACE_EXECUTE, /* value: the scheduler; extra: the kernel thread; more: why the scheduler was entered */
    TRACE_LEAVE,     /* the same; the worker has left its processor */
    TRACE_WAIT_CALL, /* value: its first argument; extra: its number. In user mode: libc's function */
    TRACE_WAIT_OBJECT,  /* value: the object; extra: its type, more: how many there are */
    TRACE_WAIT_ADDRESS, /* value: the address; extra: index of the wait's row, for its name */
    TRACE_WAIT_TIME,
    TRACE_BLOCK,    /* as WAIT_CALL: a bare system call, seen by the filter */
    TRACE_COMPLETE, /* what the worker waited for has happened */
    TRACE_BIRTH,    /* extra: its thread id */
    TRACE_END,
    TRACE_ENTER, /* a scheduler; extra: its thread id */
    TRACE_LEFT,
    TRACE_LOAD,  /* a scheduler, by a carrier; extra: its thread id */
    TRACE_SLEEP, /* a scheduler waits; TRACE_WAKE: no more */
    TRACE_WAKE,
    TRACE_NAME,      /* more: which 8 bytes of it; value: they */
    TRACE_CALL_NAME, /* extra: the number of a call; value, more: as above */
};

struct trace_record {
    uint64_t time; /* nanoseconds of plat_now() */
    uint64_t value;
    uint32_t who; /* number of a worker or scheduler */
    uint32_t extra;
    uint32_t more;
    _Atomic uint32_t kind; /* written last; 0: not there yet */
};
_Static_assert(sizeof(struct trace_record) == 32, "the file's format");

struct trace_ring;

extern struct trace_state {
    _Alignas(64) _Atomic bool on;
} trace_state __attribute__((visibility("hidden")));

static inline bool trace_on(void)
{
    return UMS_UNLIKELY(atomic_load_explicit(&trace_state.on, memory_order_relaxed));
}

/* Into the ring of the scheduler, which the caller carries; NULL: into the common one. */
void trace_record(struct plat_context *scheduler, enum trace_kind kind,
                  const struct plat_context *who, uint64_t value, uint32_t extra, uint32_t more);

static inline void trace(struct plat_context *scheduler, enum trace_kind kind,
                         const struct plat_context *who, uint64_t value, uint32_t extra,
                         uint32_t more)
{
    if (trace_on())
        trace_record(scheduler, kind, who, value, extra, more);
}

/* What SetThreadDescription said. */
void trace_name(const struct plat_context *who, const char *text);

/* A scheduler enters: gives it a ring. It has left: nobody writes into that any more. */
void trace_enter(struct plat_context *scheduler);
void trace_left(struct plat_context *scheduler);

#endif
