/* SPDX-License-Identifier: MIT
 *
 * regain.c - how soon a scheduler gets its processor back from a worker that makes no call: one that sleeps in a page
 * fault, and one that computes and is suspended. And what the watch for faults costs.
 *
 * Usage: ums_regain memory|file|preemption|watch [--quick]. UMSSHIM_FAULTS decides whether faults are watched for.
 *   memory      pages that userfaultfd serves, each after 5 ms: microseconds from the fault to another worker, a line
 *               for each fault; where nobody runs meanwhile, the whole fault
 *   file        the same for the view of a file on a FUSE file system; wants root
 *   preemption  microseconds from SuspendThread to the scheduler's activation, a line for each
 *   watch       hundredths of a processor that threads other than the scheduler's take while one worker computes, two
 *               yield to each other, all sleep; on a processor that others want, too, that is too few
 * Status 77: it cannot be measured here, and a line says why.
 */
#include "../bench.h"
#include "../rig.h"
#include "slow_file.h"
#include "slow_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FAULT_US = 5000, FAULTS = 200, QUICK_FAULTS = 10, SUSPENDS = 400, QUICK_SUSPENDS = 20 };

static bool quick;
static unsigned samples;

static double us_since(uint64_t began)
{
    return (double)(bench_now_ns() - began) / 1e3;
}

/* ---- Faults: one worker has them, another one runs meanwhile ------------------------------------------ */

static struct {
    volatile unsigned char *pages;
    _Atomic uint64_t began; /* of the fault that goes on; 0: none does, or it was told already */
    atomic_bool over;
} fault;

static void tell(void)
{
    uint64_t began = atomic_exchange(&fault.began, 0);

    if (began)
        printf("%.1f\n", us_since(began));
}

static void has_faults(struct rig_worker *self)
{
    for (unsigned i = 0; i < samples; i++) {
        atomic_store(&fault.began, bench_now_ns());
        (void)fault.pages[(size_t)i * SLOW_PAGE];
        tell();
    }
    atomic_store(&fault.over, true);
}

static void runs_meanwhile(struct rig_worker *self)
{
    while (!atomic_load(&fault.over)) {
        tell();
        rig_yield(self);
    }
}

static void measure_faults(void)
{
    static struct rig rig;

    samples = quick ? QUICK_FAULTS : FAULTS;
    rig_init(&rig, 2);
    rig_add(&rig, has_faults, NULL);
    rig_add(&rig, runs_meanwhile, NULL);
    rig_run(&rig);
}

static const char *memory(void)
{
    static struct slow_memory slow;
    const char *refusal = slow_memory_make(&slow, FAULT_US, false, false);

    if (refusal)
        return refusal;
    fault.pages = slow.bytes;
    measure_faults();
    slow_memory_drop(&slow);
    return NULL;
}

static const char *file(void)
{
    size_t size = (size_t)SLOW_FILE_PAGES * SLOW_PAGE;
    struct slow_file slow;
    const char *refusal = slow_file_make(&slow, FAULT_US);
    void *view;
    int fd;

    if (refusal)
        return refusal;
    fd = open(slow.path, O_RDONLY | O_CLOEXEC);
    view = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (view == MAP_FAILED)
        return "the slow file cannot be mapped";
    fault.pages = view;
    measure_faults();
    munmap(view, size);
    close(fd);
    slow_file_drop(&slow);
    return NULL;
}

/* ---- Preemption ----------------------------------------------------------------------------------------- */

static atomic_bool enough;
static atomic_ulong steps; /* of the one that computes */

static void computes(struct rig_worker *self)
{
    while (!atomic_load_explicit(&enough, memory_order_relaxed))
        atomic_store_explicit(&steps, atomic_load_explicit(&steps, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

static void await_steps(void)
{
    unsigned long seen = atomic_load(&steps);

    while (atomic_load(&steps) == seen)
        SwitchToThread();
}

static DWORD WINAPI suspends(LPVOID param)
{
    const struct rig_worker *worker = param;
    const struct rig *rig = worker->rig;

    for (unsigned i = 0; i < samples; i++) {
        await_steps();
        Sleep(1);
        uint64_t before = rig->last_blocked_ns, began = bench_now_ns();
        SuspendThread(worker->thread);
        while (rig->last_blocked_ns == before)
            SwitchToThread();
        printf("%.1f\n", (double)(rig->last_blocked_ns - began) / 1e3);
        ResumeThread(worker->thread);
    }
    atomic_store(&enough, true);
    return 0;
}

static const char *preemption(void)
{
    static struct rig rig;
    struct rig_worker *worker;
    HANDLE thread;

    samples = quick ? QUICK_SUSPENDS : SUSPENDS;
    rig_init(&rig, 1);
    rig.stamp_blocked = true;
    worker = rig_add(&rig, computes, NULL);
    thread = CreateThread(NULL, 0, suspends, worker, 0, NULL);
    rig_run(&rig);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return NULL;
}

/* ---- The watch ------------------------------------------------------------------------------------------ */

/* The scheduler's thread has the processor all the time, or none of it: `busy`. */
static void judge(struct rig_worker *self, const char *name, void (*step)(struct rig_worker *self),
                  bool busy)
{
    uint64_t wanted = quick ? 200000000 : 2000000000;
    uint64_t began = bench_now_ns(), all = bench_processor_ns();
    double took, others;

    do
        step(self);
    while (bench_now_ns() - began < wanted);
    took = (double)(bench_now_ns() - began);
    others = (double)(bench_processor_ns() - all) - (busy ? took : 0);
    printf("%s %.2f\n", name, others > 0 ? others * 100 / took : 0);
}

static void compute(struct rig_worker *self)
{
    for (volatile int i = 0; i < 100000; i++)
        ;
}

static void sleep_on(struct rig_worker *self)
{
    Sleep(quick ? 200 : 2000);
}

static void judge_alone(struct rig_worker *self)
{
    judge(self, "computes", compute, true);
    judge(self, "sleeps", sleep_on, false);
}

static void judge_yields(struct rig_worker *self)
{
    judge(self, "yields", rig_yield, true);
    atomic_store(&enough, true);
}

static void yields_too(struct rig_worker *self)
{
    while (!atomic_load(&enough))
        rig_yield(self);
}

static const char *watch(void)
{
    static struct rig alone, two;

    rig_init(&alone, 1);
    rig_add(&alone, judge_alone, NULL);
    rig_run(&alone);
    rig_init(&two, 2);
    rig_add(&two, judge_yields, NULL);
    rig_add(&two, yields_too, NULL);
    rig_run(&two);
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const char *(*measure)(void);
    } ways[] = {{"memory", memory}, {"file", file}, {"preemption", preemption}, {"watch", watch}};

    quick = argc == 3 && !strcmp(argv[2], "--quick");
    for (unsigned i = 0; argc == 2 + quick && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name)) {
            const char *refusal = ways[i].measure();

            if (refusal)
                fprintf(stderr, "ums_regain: %s: %s\n", argv[1], refusal);
            return refusal ? 77 : 0;
        }
    fprintf(stderr, "usage: %s memory|file|preemption|watch [--quick]\n", argv[0]);
    return 2;
}
