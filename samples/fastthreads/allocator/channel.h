/* SPDX-License-Identifier: MIT
 *
 * channel.h - how programs and the processor allocator talk: small messages, and knowing of ends.
 *
 * A program opens a channel by the allocator's name and says which processors it can use and how
 * many it wants; the allocator answers with the processors it grants, again whenever that changes.
 * Either side notices when the other is gone, however it ended.
 */
#ifndef FASTTHREADS_ALLOCATOR_CHANNEL_H
#define FASTTHREADS_ALLOCATOR_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum { CHANNEL_MAX_PROGRAMS = 16 };

struct channel_hint {
    uint64_t usable; /* affinity mask; channel_hint fills it in */
    uint64_t number; /* of this program's hints, rising: one that comes after a higher one is old */
    uint32_t wanted; /* processors that have work */
    int32_t priority; /* higher goes first; 0 as a rule */
};

struct channel_grant {
    uint64_t processors; /* affinity mask */
};

/* ---- A program's side ------------------------------------------------------------------------ */

struct channel *channel_open(const char *name, uint64_t usable);            /* NULL: nobody there */
bool channel_hint(struct channel *channel, struct channel_hint *hint);      /* does not wait */
bool channel_receive(struct channel *channel, struct channel_grant *grant); /* false: it is gone */
void channel_shut(struct channel *channel);  /* ends a channel_receive on another thread */
void channel_close(struct channel *channel); /* NULL: nothing */

/* ---- The allocator's side -------------------------------------------------------------------- */

enum channel_event { CHANNEL_TIME, CHANNEL_NEW, CHANNEL_HINT, CHANNEL_GONE, CHANNEL_STOP };

/* Listens under a name. An abandoned name is taken over, a living allocator's is not: NULL, and
 * errno says why. */
struct exchange *exchange_open(const char *name);

/* The next thing that happens within the limit, to which program (a number below
 * CHANNEL_MAX_PROGRAMS), and its hint. CHANNEL_STOP: the allocator was asked to end. */
enum channel_event exchange_wait(struct exchange *exchange, int milliseconds, int *program,
                                 struct channel_hint *hint);

uint64_t exchange_clock(void); /* in milliseconds; it only goes forward */

void exchange_grant(struct exchange *exchange, int program, const struct channel_grant *grant);
void exchange_close(struct exchange *exchange);

#endif
