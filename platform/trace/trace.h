/* SPDX-License-Identifier: MIT
 *
 * trace.h - what schedulers and workers do: as records in a file (UMSSHIM_TRACE=file), and for the
 * system's own tools, which listen to the process from outside.
 *
 * A scheduler has a ring of its own: one kernel thread at a time carries it, and
 * a hand-over orders the old one's writes before the new one's. Everybody else (reactors, timers,
 * plain threads, homes) shares one ring, whose places are taken by compare-exchange. Nothing on the
 * way takes a lock, allocates or makes a system call. A thread of its own drains the rings into the
 * file (file.h). Records that found their ring full are counted.
 *
 * The system counts listeners in trace_state.listeners: on Linux a tracer counts itself
 * in, since that is the semaphore of our probes; on Windows the system calls us when a session
 * wants our events. The engine tells them, in its inspect/.
 *
 * Off, a place costs one look at trace_on, at a word that has both and that nobody writes to. On
 * Linux a switch does not look: it has a nop for listeners, and comes here since scheduler->loaded
 * is NULL while a file is written (switch/cpu_time.h).
 *
 * The file, in this machine's byte order: a struct trace_head, then records in portions; each
 * begins with one of kind TRACE_PORTION. Readers: umsshim_inspect/trace.py.
 */
#ifndef UMSSHIM_PLATFORM_TRACE_TRACE_H
#define UMSSHIM_PLATFORM_TRACE_TRACE_H

#include "platform/check.h"
#include "platform/platform.h"

enum trace_kind {
    TRACE_PORTION = 1, /* value: records that follow; who: whose ring, 0: the common; extra: lost */
    TRACE_EXECUTE, /* extra: kernel thread, 0: its carrier's; more: why the scheduler was entered */
    TRACE_LEAVE,   /* the worker has left its processor; before it in the ring, what it waits for */
    TRACE_WAIT_CALL,    /* value: its first argument; extra: its number; more: enum trace_door */
    TRACE_WAIT_OBJECT,  /* value: the object; extra: its type, more: how many there are */
    TRACE_WAIT_ADDRESS, /* value: the address; extra: index of the wait's row, for its name */
    TRACE_WAIT_TIME,
    TRACE_BLOCK,    /* as WAIT_CALL: the worker leaves without a LEAVE, whoever tells of it */
    TRACE_COMPLETE, /* what the worker waited for has happened */
    TRACE_BIRTH,    /* extra: its thread id */
    TRACE_END,
    TRACE_ENTER, /* a scheduler; extra: its thread id; value: its processor, counted from 1 */
    TRACE_LEFT,
    TRACE_LOAD,  /* a scheduler, by a carrier; extra: its thread id */
    TRACE_SLEEP, /* a scheduler waits; TRACE_WAKE: no more */
    TRACE_WAKE,
    TRACE_NAME,      /* more: which 8 bytes of it; value: they */
    TRACE_CALL_NAME, /* who: enum trace_name_of, extra: the number; value, more: as above */
    TRACE_ARRIVE,    /* a worker comes on a completion list; value: its number */
    TRACE_DEQUEUE,   /* and off it; extra: by which scheduler, 0: a plain thread */
    TRACE_LANE,   /* other processors for a scheduler; value: the first, from 1; extra: how many */
    TRACE_SITE,   /* value: a leaving worker's return address; more: its place, 0 the innermost */
    TRACE_MODULE, /* value: where code lies; who: pages; extra: its number. Its name follows */
};

enum trace_name_of {
    NAME_OF_CALL,
    NAME_OF_ADDRESS_CALL,
    NAME_OF_DOOR,
    NAME_OF_MODULE,
    NAME_OF_PROGRAM, /* its command line, in pieces by number, each up to 63 bytes */
};

/* How a worker came to leave for a call. */
enum trace_door {
    DOOR_FUNCTION, /* libc's function was ours: the worker left in user mode */
    DOOR_TRAP,     /* the kernel told of the system call; its thread stands in it */
    DOOR_USER,     /* Windows: a hooked call, left in user mode */
    DOOR_THREAD,   /* Windows: a hooked call, made by the worker's own thread */
    DOORS
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
    union {
        _Alignas(64) _Atomic uint32_t any; /* the two below, at one look */
        struct {
            _Atomic uint16_t listeners; /* first: tracers find it by the name of the whole */
            _Atomic bool recording;     /* into the file */
        };
    };
    uint8_t sites; /* how many return addresses are wanted of a worker that leaves */
} trace_state PLAT_OWN;

#ifdef UMSSHIM_WITHOUT_TRACING /* to measure what it costs */
#define TRACE_NEVER 1
#else
#define TRACE_NEVER 0
#endif

/* A listener, or a file, wants to know. */
static inline bool trace_on(void)
{
    return !TRACE_NEVER &&
           UMS_UNLIKELY(atomic_load_explicit(&trace_state.any, memory_order_relaxed) != 0);
}

static inline bool trace_recording(void)
{
    if (TRACE_NEVER)
        return false;
    return UMS_UNLIKELY(atomic_load_explicit(&trace_state.recording, memory_order_relaxed));
}

/* What tells listeners. The engine sets it before there is a context. */
extern struct trace_listener {
    /* With the numbers of the scheduler that does it (0: none), and of whom it is about. */
    void (*event)(enum trace_kind kind, uint32_t scheduler, uint32_t who, uint64_t value,
                  uint32_t extra, uint32_t more);
    void (*name)(uint32_t who, const char *name);
} trace_listener PLAT_OWN;

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

/* The calling worker, which its scheduler carries, is about to leave: where it was called from, if
 * that is wanted. */
void trace_sites(struct plat_context *scheduler, const struct plat_context *worker);

/* The same, and then that it leaves. */
void trace_leave(struct plat_context *scheduler, const struct plat_context *worker);

/* What SetThreadDescription said. */
void trace_name(const struct plat_context *who, const char *text);

/* A scheduler enters: gives it a ring. It has left: nobody writes into that any more. */
void trace_enter(struct plat_context *scheduler, uint32_t thread, unsigned processor);
void trace_left(struct plat_context *scheduler);

#endif
