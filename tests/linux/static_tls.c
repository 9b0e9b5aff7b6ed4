/* SPDX-License-Identifier: MIT
 *
 * static_tls.c - a program with TLS_BYTES of thread-local data: libc takes that memory out of every
 * thread's stack, and the rest of the stack must be as large as without it.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "pool_job.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static __thread volatile unsigned char data[TLS_BYTES];
static __thread volatile int initialised = 4711;

/* Whether the thread-local data are fresh, or as this thread left them. */
static int all_are(unsigned char value)
{
    for (size_t i = 0; i < sizeof data; i++)
        if (data[i] != value)
            return 0;
    return initialised == 4711;
}

static void fill(unsigned char value)
{
    memset((void *)data, value, sizeof data);
}

static __attribute__((noinline)) void use_stack(size_t bytes)
{
    volatile char *room = __builtin_alloca(bytes);

    for (size_t i = bytes; i >= 1024; i -= 1024)
        room[i - 1024] = 1;
}

static void check_data(void *unused)
{
    EXPECT_EQ(all_are(0), 1);
    fill(7);
    EXPECT_EQ(all_are(7), 1);
    use_stack(240 << 10);
    EXPECT_EQ(all_are(7), 1);
}

TEST(StaticTls, is_there_on_every_kind_of_thread)
{
    in_each_kind(check_data, NULL);
}

static char lock_path[64];

static void block_in_every_way(struct worker *self)
{
    unsigned char value = (unsigned char)(self->index + 1);
    int fd = open(lock_path, O_RDWR);
    int ends[2];
    char byte;

    EXPECT_EQ(all_are(0), 1);
    fill(value);
    for (int i = 0; i < 3; i++) {
        usleep(1000);
        EXPECT_EQ(flock(fd, LOCK_EX), 0); /* contended: a helper makes the call */
        Sleep(1);
        EXPECT_EQ(flock(fd, LOCK_UN), 0);
        UmsThreadYield(NULL);
        EXPECT_EQ(all_are(value), 1);
    }
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], "x", 1), 1);
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    close(fd);
    use_stack(200 << 10);
    EXPECT_EQ(all_are(value), 1);
}

TEST(StaticTls, stays_with_workers_that_block)
{
    struct fleet *fleet = fleet_create(2, 12, FLEET_SHARED_READY);

    ASSERT_NE(fleet, NULL);
    snprintf(lock_path, sizeof lock_path, "/tmp/static_tls_%d", (int)getpid());
    close(open(lock_path, O_RDWR | O_CREAT | O_EXCL, 0600));
    for (int i = 0; i < 12; i++)
        fleet_add(fleet, block_in_every_way, NULL);
    fleet_run(fleet);
    unlink(lock_path);
    fleet_destroy(fleet);
}

static DWORD WINAPI on_thread(LPVOID used)
{
    EXPECT_EQ(all_are(0), 1);
    fill(9);
    use_stack(240 << 10);
    EXPECT_EQ(all_are(9), 1);
    *(int *)used = 1;
    return 0;
}

/* 1 KB, 4 KB and 0 are sizes that programs ask for. */
TEST(StaticTls, small_stacks_are_as_large_as_without)
{
    static const SIZE_T sizes[] = {0, 1024, 4096, 256 << 10};

    for (int i = 0; i < 4; i++) {
        int used = 0;
        HANDLE thread = CreateThread(NULL, sizes[i], on_thread, &used, 0, NULL);

        ASSERT_NE(thread, NULL);
        ASSERT_EQ(WaitForSingleObject(thread, 10000), (DWORD)WAIT_OBJECT_0);
        EXPECT_EQ(used, 1);
        CloseHandle(thread);
    }
}

static void small_worker(struct worker *self)
{
    int used = 0;

    on_thread(&used);
    usleep(1000);
    EXPECT_EQ(all_are(9), 1);
}

TEST(StaticTls, small_workers_are_as_large_as_without)
{
    static const SIZE_T sizes[] = {1, 1024, 4096};

    for (int i = 0; i < 3; i++) {
        struct fleet *fleet = fleet_create(1, 2, 0);

        ASSERT_NE(fleet, NULL);
        fleet_set_stack(fleet, sizes[i]);
        fleet_add(fleet, small_worker, NULL);
        fleet_add(fleet, small_worker, NULL);
        fleet_run(fleet);
        fleet_destroy(fleet);
    }
}

static void *posix_thread(void *result)
{
    check_data(NULL);
    return result;
}

static void make_posix_threads(struct worker *self)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *result = NULL;

    pthread_attr_init(&attr);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(pthread_create(&thread, i ? &attr : NULL, posix_thread, self), 0);
        EXPECT_EQ(pthread_join(thread, &result), 0);
        EXPECT_EQ(result, (void *)self);
    }
    /* What libc says is the least is refused, or suffices, as libc decides. */
    pthread_attr_setstacksize(&attr, (TLS_BYTES + (512u << 10)) & ~4095u);
    EXPECT_EQ(pthread_create(&thread, &attr, posix_thread, self), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&attr);
}

TEST(StaticTls, threads_that_workers_create)
{
    FLEET_RUN(1, 0, {1, make_posix_threads, NULL}, {1, make_posix_threads, NULL});
}

static VOID CALLBACK in_pool(PTP_CALLBACK_INSTANCE instance, PVOID done)
{
    EXPECT_EQ(!!(initialised == 4711), 1);
    fill(3);
    use_stack(240 << 10);
    EXPECT_EQ(all_are(3), 1);
    SetEvent(done);
}

TEST(StaticTls, pool_threads)
{
    HANDLE done = CreateEvent(NULL, FALSE, FALSE, NULL);

    for (int i = 0; i < 5; i++) {
        ASSERT_OK(TrySubmitThreadpoolCallback(in_pool, done, NULL));
        ASSERT_EQ(WaitForSingleObject(done, 10000), (DWORD)WAIT_OBJECT_0);
    }
    CloseHandle(done);
}

/* ---- Modules that are loaded later --------------------------------------------------------------- */

enum { MODULES = 8 };
static int (*module_use[MODULES])(int);
static int modules, loaded, users_done;

static void load(const char *name, const char *copy_as)
{
    char from[512], to[512], command[1200];

    snprintf(from, sizeof from, "%s/test_tls_module_%s.so", TLS_MODULES, name);
    snprintf(to, sizeof to, "/tmp/static_tls_%d_%s.so", (int)getpid(), copy_as);
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    EXPECT_EQ(system(command), 0);
    void *module = dlopen(to, RTLD_NOW);
    EXPECT_NE(module, NULL);
    unlink(to);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return;
    }
    module_use[modules++] = (int (*)(int))dlsym(module, "module_use");
}

static void use_modules(int value)
{
    for (int i = 0; i < modules; i++)
        EXPECT_EQ(module_use[i](value), 0);
    usleep(1000);
    for (int i = 0; i < modules; i++)
        EXPECT_EQ(module_use[i](value), value);
    EXPECT_EQ(all_are(0), 1);
}

static void load_in_worker(struct worker *self)
{
    char name[16];

    load("dynamic", "d");
    for (int i = 1; i < MODULES; i++) { /* they share the surplus of every thread that there is */
        snprintf(name, sizeof name, "i%d", i);
        load("initial", name);
    }
    flag_set(&loaded, 1);
    use_modules(1);
}

static void wait_and_use(struct worker *self)
{
    if (yield_until(&loaded))
        use_modules(2 + self->index);
    flag_add(&users_done, 1);
}

TEST(StaticTls, modules_loaded_by_a_worker)
{
    struct fleet *fleet = fleet_create(1, 6, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, load_in_worker, NULL);
    for (int i = 1; i < 6; i++)
        fleet_add(fleet, wait_and_use, NULL);
    fleet_run(fleet);
    EXPECT_EQ(users_done, 5);
    EXPECT_EQ(modules, MODULES);
    use_modules(1);
    fleet_destroy(fleet);
}
