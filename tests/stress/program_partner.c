/* SPDX-License-Identifier: MIT
 *
 * program_partner.c - the thread that does things to workers while a round goes on
 * (program_round.h). `finished` follows `posted` when the act is over; the driver writes the rest
 * only when both are the same.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "program_round.h"
#include "tally.h"

static void act(struct partner *self)
{
    struct subject *worker = self->worker;

    switch (self->act) {
    case PARTNER_PREPARE:
        waits_prepare(worker->waits, worker->kind);
        break;
    case PARTNER_RELEASE:
        waits_release(worker->waits, worker->kind);
        tally_add(TALLY_SIGNALS, 1);
        break;
    case PARTNER_SUSPEND:
        EXPECT_EQ(SuspendThread(worker->thread), self->suspended);
        tally_add(TALLY_STOPS, 1);
        break;
    case PARTNER_TERMINATE:
        EXPECT_OK(TerminateThread(worker->thread, CODE_ENDED));
        break;
    case PARTNER_LEAVE:
        break;
    }
}

static DWORD WINAPI partner_main(LPVOID param)
{
    struct partner *self = param;

    do {
        WaitForSingleObject(self->mail, INFINITE);
        act(self);
        flag_set(&self->finished, self->posted);
    } while (self->act != PARTNER_LEAVE);
    return 0;
}

void partner_begin(struct partner *self)
{
    *self = (struct partner){.mail = CreateEventA(NULL, FALSE, FALSE, NULL)};
    self->thread = CreateThread(NULL, 0, partner_main, self, 0, NULL);
    EXPECT_OK(self->thread != NULL);
}

void partner_rest(struct partner *self)
{
    ULONGLONG limit = 0;

    while (flag_get(&self->finished) != self->posted) {
        SwitchToThread();
        if (!limit)
            limit = GetTickCount64() + MODEL_LIMIT_MS;
        else if (GetTickCount64() > limit)
            model_give_up("the partner, act", (unsigned)self->act);
    }
}

void partner_post(struct partner *self, enum partner_act what, struct subject *worker)
{
    partner_rest(self);
    self->act = what;
    self->worker = worker;
    self->posted++;
    SetEvent(self->mail);
}

/* A worker that was ended left a section waited for that is the partner's. */
void partner_let_go(struct partner *self, struct subject *worker)
{
    partner_rest(self);
    if (!waits_are_held(worker->waits))
        return;
    partner_post(self, PARTNER_RELEASE, worker);
    partner_rest(self);
}

void partner_end(struct partner *self)
{
    partner_post(self, PARTNER_LEAVE, NULL);
    EXPECT_EQ(WaitForSingleObject(self->thread, MODEL_LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(self->thread));
    EXPECT_OK(CloseHandle(self->mail));
}
