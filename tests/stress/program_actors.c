/* SPDX-License-Identifier: MIT
 *
 * program_actors.c - threads that obey (program.h). The test's thread posts one order at a time to
 * each: `posted` is its number, which the actor copies to `taken` before it begins and to
 * `finished` when it is over. An order that leaves the scheduler, or that has the worker leave it,
 * is over only when the actor comes back to it; an execution that succeeds never is, and is known
 * by its worker.
 *
 * A worker that has no order gives its time slice away and waits for nothing, for it may not block
 * before it is told to. The other actors wait for an event. Each says by `actor_answers` that
 * there is news.
 */
#include "program.h"
#include "fleet.h"

#include <stddef.h>

struct actor *actor_of(struct order *order)
{
    return (struct actor *)((char *)order - offsetof(struct actor, order));
}

HANDLE actor_answers;

/* A thread that is no worker waits for its order. */
static void await_order(struct actor *self)
{
    if (self->mail)
        WaitForSingleObject(self->mail, INFINITE);
    else
        SwitchToThread();
}

void actor_serve(struct actor *self)
{
    bool idle = false;

    while (!flag_get(&self->leaves)) {
        if (flag_get(&self->posted) == self->taken) {
            flag_add(&self->beat, 1);
            if (!idle)
                SetEvent(actor_answers);
            idle = true;
            await_order(self);
            continue;
        }
        idle = false;
        flag_set(&self->taken, flag_get(&self->posted));
        self->order.function(&self->order);
        flag_set(&self->begun, 0);
        flag_set(&self->finished, self->taken);
    }
    SetEvent(actor_answers);
}

void actor_post(struct actor *self, void (*function)(struct order *), DWORD number, void *pointer)
{
    self->order = (struct order){.function = function, .number = number, .pointer = pointer};
    flag_set(&self->posted, self->posted + 1);
    if (self->mail)
        SetEvent(self->mail);
}

bool actor_is_done(const struct actor *self)
{
    return flag_get(&self->finished) == flag_get(&self->posted);
}
