/* SPDX-License-Identifier: MIT
 *
 * lanes.c - the same work on one scheduler, and on as many as there are processors.
 *
 * A lane is a scheduler pinned to a processor of its own, with a few workers and the objects that they
 * alone use; or, in the row of plain threads, two threads on that processor. The main thread reads all
 * lanes' counts, sleeps for the window, and reads them again: operations a second of all together, and
 * the processor time of one, which other programs on the machine disturb less. The lanes never end; the
 * process does.
 */
#include "lanes.h"

#include "lanes_system.h"
#include "rig.h"

enum { MOST_LANES = 64, MOST_WORKERS = 32, EVENTS = 8, BATCH = 8 };

/* Everything that a lane's workers write, on lines of its own. What the lanes wait for lies at other places of
 * their pages: systems choose a queue by an address's lower bits. */
struct lane {
    struct rig rig;
    struct {
        _Alignas(128) _Atomic uint64_t count; /* one writer */
    } done[MOST_WORKERS];
    _Alignas(128) HANDLE objects[2][EVENTS];
    HANDLE batch[BATCH + 1];
    struct lanes_pipe pipes[2];
    struct rig_worker *made[2];
    unsigned left; /* of a batch; its workers run on one processor */
    _Alignas(128) CRITICAL_SECTION section;
    _Alignas(128) SRWLOCK srw;
    _Alignas(128) volatile LONG turn;
    unsigned cpu;
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct lane) % 4096 >= 128, "the next lane's place is another");

struct row {
    unsigned workers;
    void (*prepare)(struct lane *lane); /* or NULL */
    void (*operation)(struct lane *lane, unsigned self, uint64_t round);
    bool threads; /* on plain threads instead */
};

static struct lane lanes[MOST_LANES];
static unsigned lane_count;
static const struct row *current;

static void check(BOOL fine, const char *what)
{
    if (!fine)
        bench_fail(what, 0);
}

static void wait_for(HANDLE object)
{
    check(WaitForSingleObject(object, INFINITE) == WAIT_OBJECT_0, "waiting for an object");
}

/* ---- The rows ------------------------------------------------------------------------------------ */

static void yield_operation(struct lane *lane, unsigned self, uint64_t round)
{
    rig_yield(&lane->rig.workers[self]);
}

static void event_prepare(struct lane *lane)
{
    for (int who = 0; who < 2; who++)
        for (int i = 0; i < EVENTS; i++)
            check((lane->objects[who][i] = CreateEventA(NULL, FALSE, FALSE, NULL)) != NULL,
                  "CreateEvent");
    SetEvent(lane->objects[0][0]); /* the first turn */
}

static void event_operation(struct lane *lane, unsigned self, uint64_t round)
{
    wait_for(lane->objects[self][0]);
    check(SetEvent(lane->objects[1 - self][0]), "SetEvent");
}

static void any_operation(struct lane *lane, unsigned self, uint64_t round)
{
    DWORD result = WaitForMultipleObjects(EVENTS, lane->objects[self], FALSE, INFINITE);

    check(result < EVENTS, "waiting for any of them");
    check(SetEvent(lane->objects[1 - self][round % EVENTS]), "SetEvent");
}

static void semaphore_prepare(struct lane *lane)
{
    for (int who = 0; who < 2; who++)
        check((lane->objects[who][0] = CreateSemaphoreA(NULL, who == 0, 1, NULL)) != NULL,
              "CreateSemaphore");
}

static void semaphore_operation(struct lane *lane, unsigned self, uint64_t round)
{
    wait_for(lane->objects[self][0]);
    check(ReleaseSemaphore(lane->objects[1 - self][0], 1, NULL), "ReleaseSemaphore");
}

/* Every eighth time way is given inside, so that the other finds it taken, and twice as often outside. */
static void section_operation(struct lane *lane, unsigned self, uint64_t round)
{
    EnterCriticalSection(&lane->section);
    if (round % 8 == 0)
        rig_yield(&lane->rig.workers[self]);
    LeaveCriticalSection(&lane->section);
    if (round % 4 == 2)
        rig_yield(&lane->rig.workers[self]);
}

static void section_prepare(struct lane *lane)
{
    InitializeCriticalSection(&lane->section);
}

static void srw_operation(struct lane *lane, unsigned self, uint64_t round)
{
    AcquireSRWLockExclusive(&lane->srw);
    if (round % 8 == 0)
        rig_yield(&lane->rig.workers[self]);
    ReleaseSRWLockExclusive(&lane->srw);
    if (round % 4 == 2)
        rig_yield(&lane->rig.workers[self]);
}

/* The lock of the first lane, for everybody. */
static void shared_operation(struct lane *lane, unsigned self, uint64_t round)
{
    EnterCriticalSection(&lanes[0].section);
    LeaveCriticalSection(&lanes[0].section);
    if (round % 8 == 0)
        rig_yield(&lane->rig.workers[self]);
}

static void address_operation(struct lane *lane, unsigned self, uint64_t round)
{
    LONG other = (LONG)(1 - self);

    while (lane->turn == other)
        check(WaitOnAddress(&lane->turn, &other, sizeof(other), INFINITE), "WaitOnAddress");
    lane->turn = other;
    WakeByAddressSingle((PVOID)&lane->turn);
}

static void sleep_operation(struct lane *lane, unsigned self, uint64_t round)
{
    Sleep(1);
}

static void pipe_prepare(struct lane *lane)
{
    for (int i = 0; i < 2; i++)
        lanes_pipe_make(&lane->pipes[i]);
    lanes_pipe_put(&lane->pipes[0]);
}

static void pipe_operation(struct lane *lane, unsigned self, uint64_t round)
{
    lanes_pipe_take(&lane->pipes[self]);
    lanes_pipe_put(&lane->pipes[1 - self]);
}

static void create_operation(struct lane *lane, unsigned self, uint64_t round)
{
    HANDLE event = CreateEventA(NULL, FALSE, TRUE, NULL);

    check(event != NULL, "CreateEvent");
    wait_for(event);
    check(CloseHandle(event), "CloseHandle");
    if (round % 8 == 0)
        rig_yield(&lane->rig.workers[self]);
}

static DWORD WINAPI born(LPVOID unused)
{
    return 0;
}

static void birth_operation(struct lane *lane, unsigned self, uint64_t round)
{
    HANDLE thread = CreateThread(NULL, 65536, born, NULL, 0, NULL);

    check(thread != NULL, "CreateThread");
    wait_for(thread);
    check(CloseHandle(thread), "CloseHandle");
}

static void worker_born(struct rig_worker *self)
{
}

/* Created, run and ended by the lane's own scheduler. */
static void worker_operation(struct lane *lane, unsigned self, uint64_t round)
{
    struct rig_worker *made = lane->made[self];

    made = lane->made[self] = round ? rig_again(made) : rig_add(&lane->rig, worker_born, NULL);
    wait_for(made->thread);
    check(CloseHandle(made->thread), "CloseHandle");
    check(DeleteUmsThreadContext(made->context), "DeleteUmsThreadContext");
}

/* For comparison: what threads that nobody schedules reach on the same processors. */
static void thread_operation(struct lane *lane, unsigned self, uint64_t round)
{
    lanes_thread_is_born();
}

/* The first lets all others go at once, so that they arrive together, and waits for the last of them. */
static void list_prepare(struct lane *lane)
{
    for (int i = 0; i <= BATCH; i++)
        check((lane->batch[i] = CreateEventA(NULL, FALSE, FALSE, NULL)) != NULL, "CreateEvent");
}

static void list_operation(struct lane *lane, unsigned self, uint64_t round)
{
    if (self > 0) {
        wait_for(lane->batch[self]);
        if (--lane->left == 0)
            check(SetEvent(lane->batch[0]), "SetEvent");
        return;
    }
    lane->left = BATCH;
    for (int i = 1; i <= BATCH; i++)
        check(SetEvent(lane->batch[i]), "SetEvent");
    wait_for(lane->batch[0]);
}

static const struct row row_yield = {2, NULL, yield_operation, false},
                        row_event = {2, event_prepare, event_operation, false},
                        row_semaphore = {2, semaphore_prepare, semaphore_operation, false},
                        row_section = {2, section_prepare, section_operation, false},
                        row_srw = {2, NULL, srw_operation, false},
                        row_address = {2, NULL, address_operation, false},
                        row_any = {2, event_prepare, any_operation, false},
                        row_sleep = {MOST_WORKERS, NULL, sleep_operation, false},
                        row_pipe = {2, pipe_prepare, pipe_operation, false},
                        row_create = {2, NULL, create_operation, false},
                        row_birth = {2, NULL, birth_operation, false},
                        row_worker = {2, NULL, worker_operation, false},
                        row_thread = {2, NULL, thread_operation, true},
                        row_list = {BATCH + 1, list_prepare, list_operation, false},
                        row_shared = {2, section_prepare, shared_operation, false},
                        row_threads = {2, event_prepare, event_operation, true};

/* ---- Running them -------------------------------------------------------------------------------- */

static void work(struct lane *lane, unsigned self)
{
    _Atomic uint64_t *count = &lane->done[self].count;

    for (uint64_t round = 0;; round++) {
        current->operation(lane, self, round);
        atomic_store_explicit(count, round + 1, memory_order_relaxed);
    }
}

static void work_as_worker(struct rig_worker *self)
{
    work(self->arg, self->index);
}

static DWORD WINAPI second_thread(LPVOID arg)
{
    struct lane *lane = arg;

    bench_pin_thread(lane->cpu);
    work(lane, 1);
    return 0;
}

static DWORD WINAPI lane_main(LPVOID arg)
{
    struct lane *lane = arg;

    bench_pin_thread(lane->cpu);
    if (current->prepare)
        current->prepare(lane);
    if (current->threads) {
        check(CreateThread(NULL, 65536, second_thread, lane, 0, NULL) != NULL, "CreateThread");
        work(lane, 0);
    }
    rig_init(&lane->rig, 2 * current->workers); /* each may add one */
    for (unsigned i = 0; i < current->workers; i++)
        rig_add(&lane->rig, work_as_worker, lane);
    rig_run(&lane->rig);
    return 0;
}

static uint64_t operations(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < lane_count; i++)
        for (unsigned j = 0; j < current->workers; j++)
            sum += atomic_load_explicit(&lanes[i].done[j].count, memory_order_relaxed);
    return sum;
}

static bool all_work(void)
{
    for (unsigned i = 0; i < lane_count; i++)
        for (unsigned j = 0; j < current->workers; j++)
            if (!atomic_load_explicit(&lanes[i].done[j].count, memory_order_relaxed))
                return false;
    return true;
}

static void run(const struct row *row, const struct bench_scale *scale, bool everywhere)
{
    unsigned cpus = bench_processors();
    uint64_t start, before, used, made;

    current = row;
    lane_count = !everywhere ? 1 : cpus < MOST_LANES ? cpus : MOST_LANES;
    for (unsigned i = 0; i < lane_count; i++) {
        lanes[i].cpu = cpus - 1 - i;
        check(CreateThread(NULL, 0, lane_main, &lanes[i], 0, NULL) != NULL, "CreateThread");
    }
    while (!all_work())
        Sleep(1);
    Sleep(scale->window_ms / 10); /* a tenth: caches and branches are warm */
    start = bench_now_ns();
    used = bench_processor_ns();
    before = operations();
    Sleep(scale->window_ms);
    made = operations() - before;
    bench_emit("cpu", (double)(bench_processor_ns() - used) / (double)made);
    bench_emit("rate", (double)made * 1e6 / (double)(bench_now_ns() - start));
}

#define DEFINE(row)                                                                                \
    void probe_lanes_##row##_one(const struct bench_scale *scale)                                  \
    {                                                                                              \
        run(&row_##row, scale, false);                                                             \
    }                                                                                              \
    void probe_lanes_##row##_all(const struct bench_scale *scale)                                  \
    {                                                                                              \
        run(&row_##row, scale, true);                                                              \
    }
LANES_ROWS(DEFINE)
