/* SPDX-License-Identifier: MIT
 *
 * kinds.c - running a piece of a test on a thread of each kind.
 */
#include "kinds.h"
#include "fleet_private.h"
#include "gtest_c.h"

enum { LIMIT_MS = 20000 }; /* as long as bare_drive waits */

const char *kind_name(enum kind kind)
{
    static const char *const names[] = {"plain thread", "worker", "scheduler"};

    return names[kind];
}

/* ---- one thread ---- */

static DWORD WINAPI run_body(LPVOID param)
{
    struct kind_thread *self = param;

    if (self->kind == KIND_WORKER)
        EXPECT_NE(GetCurrentUmsThread(), NULL);
    self->body(self->arg);
    return self->code;
}

static VOID NTAPI body_at_startup(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    if (reason == UmsSchedulerStartup)
        run_body(param);
}

static DWORD WINAPI run_scheduler(LPVOID param)
{
    struct kind_thread *self = param;

    EXPECT_OK(ums_enter(self->list, body_at_startup, self));
    return self->code;
}

static DWORD WINAPI drive_worker(LPVOID param)
{
    struct kind_thread *self = param;

    self->driven = bare_drive(self->list, NULL, 0, 1);
    return 0;
}

bool kind_start(struct kind_thread *self, enum kind kind, void (*body)(void *), void *arg)
{
    self->kind = kind;
    self->body = body;
    self->arg = arg;
    self->driver = NULL;
    self->list = NULL;
    if (kind != KIND_PLAIN && !EXPECT_OK(CreateUmsCompletionList(&self->list)))
        return false;
    if (kind != KIND_WORKER) {
        self->thread = CreateThread(NULL, 0, kind == KIND_PLAIN ? run_body : run_scheduler, self, 0,
                                    &self->id);
        return EXPECT_OK(self->thread != NULL);
    }
    if (!bare_create(&self->worker, self->list, run_body, self, 0))
        return false;
    self->thread = self->worker.thread;
    self->id = self->worker.id;
    self->driver = CreateThread(NULL, 0, drive_worker, self, 0, NULL);
    return EXPECT_OK(self->driver != NULL);
}

static bool ended(struct kind_thread *self, HANDLE thread, const char *what)
{
    return WaitForSingleObject(thread, LIMIT_MS + 2000) == WAIT_OBJECT_0 ||
           FAIL("%s %s (id %u) did not end", kind_name(self->kind), what, (unsigned)self->id);
}

bool kind_join(struct kind_thread *self)
{
    if (!ended(self, self->thread, "itself") ||
        (self->driver && !ended(self, self->driver, "driver")))
        return false;
    if (self->kind == KIND_WORKER) {
        EXPECT_OK(self->driven);
        EXPECT_OK(CloseHandle(self->driver));
        bare_delete(&self->worker);
    } else {
        EXPECT_OK(CloseHandle(self->thread));
    }
    if (self->list)
        EXPECT_OK(DeleteUmsCompletionList(self->list));
    return true;
}

/* ---- a wait on each kind ---- */

struct each {
    void (*block)(void *);
    void (*release)(void *);
    void *arg;
    enum kind kind;
    int entered;
    int released;
    int returned;
};

static void blocks(void *arg)
{
    struct each *each = arg;
    int before = tc_failures();

    flag_set(&each->entered, 1);
    each->block(each->arg);
    EXPECT_THAT(!each->release || flag_get(&each->released),
                "the wait returned before its release");
    flag_set(&each->returned, 1);
    if (tc_failures() != before)
        tc_note("  (on a %s)", kind_name(each->kind));
}

static void let_go(struct each *each)
{
    flag_set(&each->released, 1);
    if (each->release)
        each->release(each->arg);
}

static void worker_blocks(struct worker *self)
{
    blocks(self->arg);
}

static void worker_releases(struct worker *self)
{
    struct each *each = self->arg;

    const struct worker *waits = fleet_worker(self->fleet, 0);
    long executes = counted(&waits->executes);

    EXPECT_EQ(flag_get(&each->entered), 1);
    EXPECT_THAT(flag_get(&each->returned) == 0, "the worker's wait did not leave its scheduler");
    let_go(each);
    /* The release may be a call that takes long: this worker leaves too, and the scheduler executes
     * the other. */
    EXPECT_THAT(flag_get(&each->returned) == 0 || counted(&waits->executes) > executes,
                "the worker went on without being executed");
}

static void on_workers(struct each *each)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_set_limit(fleet, LIMIT_MS);
    fleet_add(fleet, worker_blocks, each);
    fleet_add(fleet, worker_releases, each);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2);
    fleet_destroy(fleet);
}

static void on_a_thread(struct each *each)
{
    struct kind_thread thread = {0};

    ASSERT_OK(kind_start(&thread, each->kind, blocks, each));
    ASSERT_OK(wait_until(&each->entered, LIMIT_MS));
    let_go(each);
    ASSERT_OK(kind_join(&thread));
}

void on_kind(enum kind kind, void (*block)(void *), void (*release)(void *), void *arg)
{
    struct each each = {.block = block, .release = release, .arg = arg, .kind = kind};

    if (kind == KIND_WORKER)
        on_workers(&each);
    else
        on_a_thread(&each);
    EXPECT_THAT(each.returned, "the %s did not come back", kind_name(kind));
}

void on_each_kind(void (*block)(void *), void (*release)(void *), void *arg)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        on_kind(kind, block, release, arg);
}

void in_each_kind(void (*body)(void *), void *arg)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct kind_thread thread = {0};
        int before = tc_failures();

        ASSERT_OK(kind_start(&thread, kind, body, arg));
        ASSERT_OK(kind_join(&thread));
        if (tc_failures() != before)
            tc_note("  (on a %s)", kind_name(kind));
    }
}
