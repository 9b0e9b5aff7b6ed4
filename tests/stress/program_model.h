/* SPDX-License-Identifier: MIT
 *
 * program_model.h - what the model of a random program knows. All of it is the thread's that gives
 * the orders: in a program the test's own, in a round whoever drives (program_round.c).
 */
#ifndef UMSSHIM_TESTS_STRESS_PROGRAM_MODEL_H
#define UMSSHIM_TESTS_STRESS_PROGRAM_MODEL_H

#include "bare.h"
#include "program.h"

enum { MODEL_LIMIT_MS = 20000, MODEL_END_LIMIT_MS = 40000, CODE_ENDED = 9, CODE_OWN = 1234 };

enum place { NONE, EMPTY, COMING, HELD, RUNNING, BLOCKED, GONE };

struct subject {
    enum place place;
    int list, first_list;
    int on; /* RUNNING: the scheduler */
    DWORD suspended;
    bool unborn; /* created suspended and not resumed yet */
    bool dying;  /* TerminateThread was called */
    int op;      /* its order that is not over; OPS: none */
    bool released;
    bool yielded;
    bool refusable; /* it was suspended when its execution was ordered */
    unsigned kind;  /* of its wait */
    void *yield_param;
    PUMS_CONTEXT context;
    HANDLE thread;
    DWORD id;
    int beat;
    struct waits *waits;
    struct wait_call call;
    struct actor actor;
    struct model_state *home; /* for its thread */
};

struct manager {
    HANDLE thread;
    bool inside; /* in UMS mode */
    int list;
    int carries; /* a worker's slot, or -1 */
    int seen;    /* activations */
    struct actor actor, outside;
    UMS_SCHEDULER_STARTUP_INFO info;
};

struct model_state {
    const struct step *steps;
    int count, at;
    PUMS_COMPLETION_LIST lists[LISTS];
    struct subject workers[SLOTS];
    struct manager schedulers[SCHEDULERS];
    struct actor outside;        /* the test's own thread, for orders that it gives itself */
    LPTHREAD_START_ROUTINE live; /* of the workers; NULL: they obey (program_actors.c) */
    struct round *round;         /* NULL: a program */
};

/* Each thread's own: a process may walk several rounds at the same time. */
extern __thread struct model_state *model_mine;
#define model (*model_mine)

#define MODEL_CHECK(condition, text)                                                               \
    EXPECT_THAT(condition, "step %d: " text ", worker %d", model.at, (int)(worker - model.workers))

struct patience {
    ULONGLONG deadline;
    const char *what;
    unsigned number;
};
void patience_begin(struct patience *self, const char *what, unsigned number);
void patience_spend(struct patience *self); /* ends the process when it is used up */

_Noreturn void model_give_up(const char *what, unsigned number);
void model_say_program(void);
void model_order(struct actor *actor, void (*function)(struct order *), DWORD number,
                 void *pointer);
bool model_look(int which);
void model_follow(struct subject *worker);
void model_execute_begin(int which, struct subject *worker);
void model_execute_end(int which, struct subject *worker, DWORD suspended);
bool model_refused(const struct subject *worker, DWORD error);
/* It was executed, and runs. */
void model_runs(int which, struct subject *worker, DWORD suspended);
void model_call_over(struct subject *worker);
void model_arrived(const struct order *order, int list);
void model_is_gone(struct subject *worker);
bool model_awaits(int list);

/* program_query.c */
bool model_has_thread(const struct subject *worker); /* one that was not told to end */
bool model_query(struct subject *worker);

/* program_choice.c: slots, and the numbers of schedulers and lists. */
/* What a worker is to do next, which it is told, or does. */
struct order model_call(struct subject *worker, int op, int arg);
int model_worker_for(const struct step *step);
int model_scheduler_for(const struct step *step);
int model_list_for(const struct step *step);

/* program_setup.c: false where the step makes no sense now. */
void model_begin(const struct step *steps, int count);
void model_end(void);
bool model_enter(int which, int list);
bool model_leave(int which);
bool model_create_context(struct subject *worker);
bool model_create_thread(struct subject *worker, int list, bool suspended);
bool model_delete_context(struct subject *worker);
bool model_new_list(int list);

/* program_stops.c: the same. `followed`: the caller waits for what comes of it, if it runs. */
bool model_may_release(const struct subject *worker);
bool model_release(struct subject *worker);
bool model_suspend(struct subject *worker, bool followed);
bool model_resume(struct subject *worker);
bool model_may_terminate(const struct subject *worker);
bool model_terminate(struct subject *worker, bool followed);
bool model_list_event(int list, DWORD limit);
/* Looks at what a dequeue with this limit gave. */
void model_dequeued(const struct order *order, DWORD limit);

#endif
