/* SPDX-License-Identifier: MIT
 *
 * ring.h - where records of a trace wait until they are in the file: for their writers, and for
 * what takes them out.
 */
#ifndef UMSSHIM_PLATFORM_TRACE_RING_H
#define UMSSHIM_PLATFORM_TRACE_RING_H

#include "platform/trace/trace.h"

struct trace_ring {
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t lost;
    _Alignas(64) _Atomic uint64_t tail;
    struct trace_ring *next;
    uint32_t scheduler;  /* its number; 0: the common ring, or nobody's */
    _Atomic bool in_use; /* somebody writes into it */
    struct trace_record records[];
};

extern uint64_t trace_ring_records; /* of each ring: a power of two */
extern struct trace_ring *trace_common;
extern _Atomic(struct trace_ring *) trace_rings;
extern PLAT_LOCK(TRACE)
    trace_rings_lock; /* who takes records out, or gives a ring to another scheduler */

/* A ring of a scheduler, by its number; 0: the common one. NULL: no memory. */
struct trace_ring *trace_ring_new(uint32_t scheduler);
/* A text into the common ring, by eights of it, the last of which has a 0 in it. */
void trace_text(enum trace_kind kind, uint32_t who, uint32_t extra, const char *text);

/* Any record into the common one. */
void trace_number(enum trace_kind kind, uint32_t who, uint64_t value, uint32_t extra);

#endif
