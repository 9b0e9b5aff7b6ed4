/* SPDX-License-Identifier: MIT
 *
 * seat.h - waits for any of several objects: the word that decides such a wait, and the seats that
 * a thread keeps from one wait to the next.
 *
 * A thread that waits for any of several has a *sitter* with a word. The first thread to set
 * SEAT_CLAIMED in the word decides the wait. The word is armed during a wait, and claimed at all
 * other times.
 *
 * An object has one *seat*, for a sitter. A thread that signals the object looks there before it
 * looks at the list. A thread keeps its seats when its wait is over. When it waits for the same
 * objects again, it only arms its word and looks whether one is signalled. That takes no lock: the
 * waiter arms and then looks; the signalling thread signals and then looks at the word; each has a
 * locked instruction in between, so one of the two sees the other.
 *
 * Seats belong to a set of objects, which has a number, the word's upper bits. A thread that waits
 * for another set takes the next number. That frees all its seats: any thread may take a seat whose
 * number is not the word's. The memory of sitters is never used for anything else, so a word may be
 * read, and claimed by number, at any time.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_SEAT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_SEAT_H

#include "platform/linux/dispatch/waiters.h"

enum {
    SEAT_CLAIMED = 1,   /* decided, or not waiting */
    SEAT_OPEN = 2,      /* decided and let go */
    SEAT_PARKED = 4,    /* the worker's stack was left */
    SEAT_ALERTABLE = 8, /* procedures may decide it */
    SEAT_SET = 16,      /* one set of objects */
};
#define SEAT_NUMBER(word) ((word) & ~(uint64_t)(SEAT_SET - 1))

struct sitter {
    _Alignas(128) _Atomic uint64_t word;
    struct wait *wait; /* while the word is armed, and until its decider has woken the waiter */
    unsigned seats;    /* of its set; 0: it lacks one at some object. Only the thread's own */
    struct sitter *next_free;
};

/* The thread's sitter, which is made on first need; NULL: no memory. On the thread itself. */
struct sitter *sitter_of(struct plat_thread *thread);
/* Gives back the sitter of a thread that will not wait again; NULL: it has none. */
void sitter_give(struct sitter *sitter);

/* Call it with the object's lock, for a seat that a sitter has. False: that sitter's thread waits
 * for other objects now, and never comes back to this seat. */
static inline bool seat_in_use(const struct object *object)
{
    return SEAT_NUMBER(atomic_load_explicit(&object->seat->word, memory_order_relaxed)) ==
           object->seat_number;
}

/* With the object's lock. Takes the seat for the sitter. False: it is another's. */
bool seat_take(struct object *object, struct sitter *sitter, unsigned index);
static inline bool seat_is(const struct object *object, const struct sitter *sitter,
                           uint64_t number, unsigned index)
{
    return __atomic_load_n(&object->seat, __ATOMIC_RELAXED) == sitter &&
           __atomic_load_n(&object->seat_number, __ATOMIC_RELAXED) == number &&
           __atomic_load_n(&object->seat_index, __ATOMIC_RELAXED) == index;
}

/* Decides the sitter's wait, if it is in one with this number and with all bits of `only` in its
 * word. Returns the wait, whose result the caller sets, or NULL. */
struct wait *sitter_claim(struct sitter *sitter, uint64_t number, uint64_t only);

void seats_forget(void); /* in a child after fork */

#endif
