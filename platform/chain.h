/* SPDX-License-Identifier: MIT
 *
 * chain.h - doubly linked lists whose links are in the records themselves.
 *
 * `next` and `previous` are the names of the two links; a record that is in several chains has two
 * for each. NULL is in front of the first record and behind the last one. A walk is a plain loop
 * along `next`, and one that takes records out reads `next` beforehand.
 *
 * A chain of zero bytes is empty, so one in a static table or in a record that was cleared needs no
 * start. That is why <sys/queue.h> does not serve: a tail queue of its kind points to itself.
 *
 * Nothing here is atomic: the caller holds the lock that the chain belongs to. An argument may be
 * evaluated more than once.
 */
#ifndef UMSSHIM_PLATFORM_CHAIN_H
#define UMSSHIM_PLATFORM_CHAIN_H

#include <stddef.h>

#define CHAIN_OF(type)                                                                             \
    struct {                                                                                       \
        type *first, *last;                                                                        \
    }

#define CHAIN_APPEND(chain, item, next, previous)                                                  \
    do {                                                                                           \
        (item)->next = NULL;                                                                       \
        (item)->previous = (chain)->last;                                                          \
        *((chain)->last ? &(chain)->last->next : &(chain)->first) = (item);                        \
        (chain)->last = (item);                                                                    \
    } while (0)

#define CHAIN_PREPEND(chain, item, next, previous)                                                 \
    do {                                                                                           \
        (item)->previous = NULL;                                                                   \
        (item)->next = (chain)->first;                                                             \
        *((chain)->first ? &(chain)->first->previous : &(chain)->last) = (item);                   \
        (chain)->first = (item);                                                                   \
    } while (0)

/* The record is in this chain. Its own links stay as they were. */
#define CHAIN_REMOVE(chain, item, next, previous)                                                  \
    do {                                                                                           \
        *((item)->previous ? &(item)->previous->next : &(chain)->first) = (item)->next;            \
        *((item)->next ? &(item)->next->previous : &(chain)->last) = (item)->previous;             \
    } while (0)

#endif
