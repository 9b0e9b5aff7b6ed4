/* SPDX-License-Identifier: MIT
 *
 * program_model.h - what the model of a random program knows. All of it is the test's own thread's.
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

extern struct model {
    const struct step *steps;
    int count, at;
    PUMS_COMPLETION_LIST lists[LISTS];
    struct subject workers[SLOTS];
    struct manager schedulers[SCHEDULERS];
    struct actor outside; /* the test's own thread, for orders that it gives itself */
} model;

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
void model_arrived(const struct order *order, int list);
void model_is_gone(struct subject *worker);
bool model_awaits(int list);

/* program_query.c */
bool model_has_thread(const struct subject *worker); /* one that was not told to end */
bool model_query(struct subject *worker);

/* program_choice.c: slots, and the numbers of schedulers and lists. */
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

#endif
