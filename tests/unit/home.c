/* SPDX-License-Identifier: MIT
 *
 * A home before it is anybody's, and the worker that moves in (platform/linux/threads/home.c).
 */
#include "platform/linux/threads/home.c"

#include "doubles.h"
#include "gtest_c.h"

void home_run_end(struct plat_context *worker)
{
}

struct engine_clock engine_clock;
struct trace_state trace_state;

enum { WORKERS = 8, STACK = 64 << 10 };

static bool registered, narrow, named, masked; /* what the thread has of the engine or of libc */
static unsigned parked;
static uint32_t word;
static pid_t next_tid;

void trace_record(struct plat_context *scheduler, enum trace_kind kind,
                  const struct plat_context *who, uint64_t value, uint32_t extra, uint32_t more)
{
    FAIL("nobody has asked for a trace");
}

void signals_block(sigset_t *old)
{
    EXPECT_EQ(old, NULL);
    masked = true;
}

void rseq_leave(void)
{
    registered = false;
}

void affinity_reset(void)
{
    narrow = false;
}

unsigned affinity_age(void)
{
    return 0;
}

bool affinity_is_only(int cpu)
{
    return false;
}

void kthread_name_reset(void)
{
    named = false;
}

void thread_end_seen(void)
{
}

pid_t own_tid(void)
{
    return next_tid;
}

int libc_thread_detach(pthread_t thread)
{
    return 0;
}

void home_begins(struct plat_tls *own)
{
    EXPECT_EQ(own, &plat_tls);
}

static unsigned renewable;

void home_renewal_begin(struct home *home)
{
    EXPECT_EQ(home->tid, next_tid);
    EXPECT_EQ(registered || narrow || named, false);
    renewable++;
}

void objects_are_libcs(void)
{
}

bool home_is_kept(struct lane *lane, struct plat_context *worker)
{
    return false;
}

#ifdef __SANITIZE_ADDRESS__
void sanitizer_stack_is_left(void)
{
}
#endif

/* From here on the kernel is to write nothing by this thread's pointer, and a worker may run by
 * it. */
uint32_t home_park(struct home *home)
{
    EXPECT_EQ(masked, true);
    EXPECT_EQ(registered, false);
    EXPECT_EQ(narrow, false);
    EXPECT_EQ(named, false);
    EXPECT_EQ(home->tid, next_tid);
    EXPECT_EQ(home->fs_base, thread_pointer());
    EXPECT_EQ(home->top - home->low, home->stack_bytes);
    parked++;
    return word;
}

static struct home *entered;

void home_stock_enter(struct home *home, struct spare_home *spare)
{
    EXPECT_EQ(spare->stack_bytes, home->stack_bytes);
    EXPECT_EQ(registered || narrow || named, false);
    entered = home;
}

/* A new thread, made by one of the engine's. */
static void begin(void)
{
    registered = narrow = named = true;
    masked = false;
    parked = renewable = 0;
    entered = NULL;
    next_tid = 4000;
    word = HOME_RETURN;
}

TEST(Home, it_has_nothing_of_the_engines_when_it_is_there)
{
    struct birth birth = {.stack_bytes = STACK, .outside = true};

    begin();
    home_main(&birth);
    EXPECT_EQ(parked, 1u);
    EXPECT_EQ(atomic_load(&birth.settled), 1u);
    EXPECT_EQ(renewable, 1u);
}

/* Its creator's processors and niceness are its own, and not the next creator's. */
TEST(Home, one_that_a_plain_thread_made_is_not_to_be_used_again)
{
    struct birth birth = {.stack_bytes = STACK};

    begin();
    registered = true;
    narrow = named = false;
    home_main(&birth);
    EXPECT_EQ(parked, 1u);
    EXPECT_EQ(renewable, 0u);
}

TEST(Home, nor_when_it_is_in_the_stock)
{
    struct lane lane = {.cpu = 0};
    struct spare_home spare = {.lane = &lane, .stack_bytes = STACK};

    begin();
    word = HOME_DISMISSED;
    EXPECT_EQ(spare_main(&spare), NULL);
    EXPECT_EQ(parked, 1u);
    EXPECT_NE(entered, NULL);
}

/* ---- Moving in ------------------------------------------------------------------------------- */

void thread_born(struct plat_thread *thread, pid_t tid, struct plat_tls *tls)
{
}

int tid_map_home(pid_t tid, struct plat_context *context)
{
    EXPECT_EQ(tid, context->tid);
    return 0;
}

void signals_join(struct plat_context *context)
{
}

size_t vector_state_call_bytes(void)
{
    return 4096;
}

void teb_born(struct plat_teb *teb, pid_t tid, uintptr_t low, uintptr_t high)
{
    EXPECT_LT(low, high);
}

void *first_frame(void *stack, void (*fn)(void *), void *arg)
{
    return (char *)stack - sizeof(struct frame);
}

static unsigned ready;

static void born(struct plat_context *worker)
{
    EXPECT_EQ(plat_tls.current, worker);
}

static void is_ready(struct plat_context *worker)
{
    EXPECT_EQ(worker->fs_base, thread_pointer());
    ready++;
}

static const struct plat_core core = {.worker_born = born, .worker_ready = is_ready};
const struct plat_core *engine_core = &core;

/* Stacks of one size lie alike in their pages: each worker's first lines would be kept in the same
 * few places of the cache. */
TEST(Home, workers_stacks_begin_at_different_lines)
{
    static struct plat_thread thread;
    static struct plat_context workers[WORKERS];
    uintptr_t line[WORKERS];

    ready = 0;
    for (unsigned i = 0; i < WORKERS; i++) {
        struct home home = {.tid = 4000 + (pid_t)i,
                            .fs_base = thread_pointer(),
                            .top = 0x7f0000100000 + i * 0x100000,
                            .low = 0x7f0000100000 + i * 0x100000 - STACK - 64 * COLOURS};

        workers[i].thread = &thread;
        move_in(&home, &workers[i]);
        EXPECT_EQ(plat_tls.current, &workers[i]);
        line[i] = (uintptr_t)workers[i].sp % 4096;
        EXPECT_EQ((uintptr_t)workers[i].sp % 64, 0u);
        for (unsigned before = 0; before < i; before++)
            EXPECT_THAT(line[i] != line[before], "workers %u and %u begin at %#lx", before, i,
                        (unsigned long)line[i]);
    }
    EXPECT_EQ(ready, (unsigned)WORKERS);
    plat_tls.current = NULL;
}
