/* SPDX-License-Identifier: MIT
 *
 * program.h - random programs over the whole UMS API: a list of steps, each done by one actor, and
 * a model that says after each what may be true.
 *
 * The actors are the test's own thread, two threads that are schedulers now and then, and the
 * workers. Each step is an order to one of them. The test's thread gives the orders one at a time,
 * or two at the same time (`together`), and waits for what comes of each. An order that makes no
 * sense in the model's present state is passed over, so each part of a program is a program, too:
 * shrink.py leaves out steps for as long as what is left fails.
 */
#ifndef UMSSHIM_TESTS_STRESS_PROGRAM_H
#define UMSSHIM_TESTS_STRESS_PROGRAM_H

#include <windows.h>

#include <stdbool.h>

enum { SLOTS = 6, SCHEDULERS = 2, LISTS = 3, STEPS_MAX = 400 };

/* op, who, what, arg, together: `who` is an actor or a scheduler, `what` a worker's slot or a
 * list. */
#define PROGRAM_OPS(OP)                                                                            \
    OP(create_context)                                                                             \
    OP(create_thread)                                                                              \
    OP(delete_context)                                                                             \
    OP(enter)                                                                                      \
    OP(leave)                                                                                      \
    OP(dequeue)                                                                                    \
    OP(execute)                                                                                    \
    OP(yield)                                                                                      \
    OP(wait)                                                                                       \
    OP(nap)                                                                                        \
    OP(work)                                                                                       \
    OP(end)                                                                                        \
    OP(release)                                                                                    \
    OP(suspend)                                                                                    \
    OP(resume)                                                                                     \
    OP(terminate)                                                                                  \
    OP(query)                                                                                      \
    OP(bad_call)                                                                                   \
    OP(list_event)                                                                                 \
    OP(fork)                                                                                       \
    OP(new_list)

enum program_op {
#define PROGRAM_ENUM(name) op_##name,
    PROGRAM_OPS(PROGRAM_ENUM)
#undef PROGRAM_ENUM
        OPS
};

struct step {
    unsigned char op, who, what, arg, together;
};

/* Runs the steps and brings everything to its end. False after recorded failures; then `*at` is the
 * step. Ends the process where an actor does not answer within its limit, for its thread cannot be
 * had back. */
bool program_run(const struct step *steps, int count, int *at);

void program_draw(struct step *steps, int count, unsigned seed);
/* A step as a line of text, and back. */
void program_print(const struct step *step, char *text, size_t size);
bool program_parse(const char *text, struct step *step);

/* ---- program_actors.c: threads that obey ---- */

struct order {
    void (*function)(struct order *self);
    DWORD number;  /* a time-out, a kind */
    void *pointer; /* a context, a list */
    intptr_t result;
    DWORD error;
    PUMS_CONTEXT chain[SLOTS + 1];
    int length;
};

struct actor {
    struct order order;
    HANDLE mail;                 /* set with each order; NULL: a worker, which looks all the time */
    int posted, taken, finished; /* numbers of orders */
    int beat;                    /* moves while it waits for orders */
    int begun;                   /* the order's call is next: whatever blocks now is that */
    int leaves;                  /* the order is the last one */
    /* Of a scheduler. */
    int activations;
    UMS_SCHEDULER_REASON reason;
    ULONG_PTR payload;
    PVOID param;
};

/* Set where an actor waits for orders again, or a scheduler is entered. */
extern HANDLE actor_answers;

/* Obeys until an order says that it is the last. */
void actor_serve(struct actor *self);
void actor_post(struct actor *self, void (*function)(struct order *), DWORD number, void *pointer);
bool actor_is_done(const struct actor *self);
/* On the actor that runs the order. */
struct actor *actor_of(struct order *order);

/* ---- program_calls.c: what the orders do ---- */

/* What a worker waits for, each its own, so that one that is ended leaves nothing behind for
 * another. */
struct waits;
struct waits *waits_create(void);
void waits_destroy(struct waits *self);
/* Nothing is left of the slot's last worker. */
void waits_reset(struct waits *self);
unsigned waits_kinds(void);                    /* how many kinds of wait there are in this mode */
bool waits_have_owner(unsigned kind);          /* who prepares it has to release it */
bool waits_are_held(const struct waits *self); /* prepared by its owner, and not released */
bool waits_are_of_system(unsigned kind);       /* a system call of the worker's own */
bool waits_are_over(const struct waits *self); /* no release of an event is left */
void waits_prepare(struct waits *self, unsigned kind);
void waits_release(struct waits *self, unsigned kind);

struct wait_call {
    struct waits *waits;
    unsigned kind;
};
/* order->pointer: a struct wait_call. Its result: whether the wait ended as it has to. */
void call_wait(struct order *order);
void call_nap(struct order *order);  /* number: the kind of a wait that is over by itself */
void call_work(struct order *order); /* number: the kind of a call that does not wait */
void call_dequeue(struct order *order);
void call_execute(struct order *order);
void call_yield(struct order *order);
void call_end(struct order *order);
void call_leave(struct order *order);
void call_bad(struct order *order); /* number: which; checks for itself */
void call_fork(struct order *order);

bool call_is_of_system(DWORD nap);
bool call_bars_termination(int op, DWORD number, unsigned kind);

enum { WORKS = 5, NAPS = 6, NAP_ADDRESS = 3, BAD_CALLS = 24 };

#endif
