/* SPDX-License-Identifier: MIT
 *
 * program_round.h - a random program that is walked at speed: a round. Nobody posts orders. The
 * thread that has control draws the next step and does it: a scheduler executes a worker, which
 * goes on drawing in its place until it yields, waits, or is stopped, and then the scheduler goes
 * on. So a step costs no more than its calls, and the model (program_model.h) is one thread's at a
 * time.
 *
 * There are two sides, a thread each that is a scheduler now and then. One of them drives, or the
 * worker that it carries. The other waits until the round is handed over to it; a worker that it
 * carries runs meanwhile, and waits for nothing. A third thread, the partner, does at the same time
 * what is to meet the drivers in the middle of a call: it releases a worker that is about to wait,
 * it suspends or ends one that runs.
 */
#ifndef UMSSHIM_TESTS_STRESS_PROGRAM_ROUND_H
#define UMSSHIM_TESTS_STRESS_PROGRAM_ROUND_H

#include "program_model.h"

enum { ROUND_NOBODY = -1 };

enum partner_act {
    PARTNER_PREPARE,
    PARTNER_RELEASE,
    PARTNER_SUSPEND,
    PARTNER_TERMINATE,
    PARTNER_LEAVE
};

struct partner {
    HANDLE thread, mail;
    int posted, finished; /* numbers of acts */
    enum partner_act act;
    struct subject *worker;
    DWORD suspended; /* before */
};

struct round {
    unsigned seed, state;
    int steps;
    int side;                  /* which drives */
    int executing[SCHEDULERS]; /* the worker that was executed and was not seen to run */
    DWORD suspended;           /* how often it was then: it may have suspended itself since */
    int busy;                  /* the worker that is in the middle of a step */
    int favourite;             /* the side of the next steps */
    bool ending, gone[SCHEDULERS];
    ULONGLONG end_limit;
    struct step step;
    bool pending; /* `step` is to be done by another */
    struct partner partner;
};

/* Walks the steps that the seed draws, and brings everything to its end. Failures are recorded, and
 * end the process, for its threads cannot be had back. */
void round_walk(unsigned seed, int steps);

/* program_partner.c: on whoever drives. At most one act is under way. */
void partner_begin(struct partner *self);
void partner_end(struct partner *self);
void partner_post(struct partner *self, enum partner_act act, struct subject *worker);
/* Waits until it has nothing to do. A worker keeps its scheduler meanwhile. */
void partner_rest(struct partner *self);
/* Nothing of the worker's last wait is the partner's any more. */
void partner_let_go(struct partner *self, struct subject *worker);

/* program_steps.c: what is drawn, and what is done where the driver is. `worker`: the driver, or
 * NULL on a side's own thread. */
void round_draw(struct round *self);
/* Which side has to do it. */
int round_side(const struct round *self);
bool round_is_for_workers(const struct step *step);
bool round_step(int side, struct subject *worker);
/* A call of the worker's own. It may come back on another side. */
void round_call(struct subject *worker, int op, int arg);
/* The worker waits to be ended. */
void round_wait_for_end(struct subject *worker);
/* Returns when the worker does not run. */
void round_execute(int side, struct subject *worker);
void round_dequeue(int list, DWORD limit);
/* The worker runs by an execution that was not looked at yet, or goes on. */
void round_is_here(struct subject *worker);

#endif
