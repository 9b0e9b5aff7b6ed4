/* SPDX-License-Identifier: MIT
 *
 * Hazard: destructors of a worker's thread-local objects and keys run in another order than a
 * thread's, twice, not at all, or for another worker; or each worker with destructors costs a
 * thread.
 *
 * modes: default, UMSSHIM_DETECT=notify UMSSHIM_FRONT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "many_children.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { ROUNDS = 5, LONGEST = 64, LIMIT_MS = 10000 };
enum { BY_EXIT = 41, BY_FORK = 42 };

extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;

static char said[LONGEST]; /* by the destructors of one thread or worker */
static pthread_key_t thrice, for_ever, without;
static tss_t of_c;
static int (*module_use)(int);

static void say(char what)
{
    size_t length = strlen(said);

    if (length + 1 < sizeof said)
        said[length] = what;
}

static void make(void (*destroy)(void *), char *what, void *module)
{
    EXPECT_EQ(__cxa_thread_atexit_impl(destroy, what, module), 0);
}

static void destroy(void *what)
{
    say(*(char *)what);
}

static void destroy_and_make(void *what)
{
    destroy(what);
    make(destroy, "3", &__dso_handle);
}

static void destroy_in_module(void *what)
{
    EXPECT_EQ(module_use(0), 0);
    destroy(what);
}

static void destroy_and_make_in_module(void *what)
{
    destroy(what);
    make(destroy_in_module, "f", (void *)module_use);
}

static void destroy_thrice(void *value)
{
    say('t');
    if (value != (void *)3)
        EXPECT_EQ(pthread_setspecific(thrice, (char *)value + 1), 0);
}

static void destroy_for_ever(void *value)
{
    say('e');
    EXPECT_EQ(pthread_setspecific(for_ever, value), 0);
}

static void destroy_of_c(void *value)
{
    say('c');
}

/* ---- What a thread leaves -------------------------------------------------------------------- */

static void leave_objects(void)
{
    make(destroy, "1", &__dso_handle);
    make(destroy_and_make, "2", &__dso_handle);
}

static void leave_keys(void)
{
    EXPECT_EQ(pthread_getspecific(thrice), NULL);
    EXPECT_EQ(pthread_getspecific(for_ever), NULL);
    EXPECT_EQ(pthread_getspecific(without), NULL);
    EXPECT_EQ(pthread_setspecific(thrice, (void *)1), 0);
    EXPECT_EQ(pthread_setspecific(for_ever, said), 0);
    EXPECT_EQ(pthread_setspecific(without, said), 0);
}

static void leave_both(void)
{
    leave_keys();
    leave_objects();
}

static void leave_both_and_exit(void)
{
    leave_both();
    pthread_exit(NULL);
}

static void leave_key_of_c(void)
{
    leave_both();
    EXPECT_EQ(tss_get(of_c), NULL);
    EXPECT_EQ(tss_set(of_c, said), thrd_success);
}

static void leave_deleted_key(void)
{
    pthread_key_t key;

    leave_keys();
    EXPECT_EQ(pthread_key_create(&key, destroy), 0);
    EXPECT_EQ(pthread_getspecific(key), NULL);
    EXPECT_EQ(pthread_setspecific(key, "d"), 0);
    EXPECT_EQ(pthread_key_delete(key), 0);
}

static void leave_in_module(void)
{
    make(destroy, "1", &__dso_handle);
    make(destroy_in_module, "m", (void *)module_use);
    leave_both();
}

static void leave_module_to_the_end(void)
{
    make(destroy, "1", &__dso_handle);
    make(destroy_and_make_in_module, "2", &__dso_handle);
    leave_keys();
}

static const struct {
    const char *what;
    void (*leave)(void);
} rows[] = {
    {"objects", leave_objects},
    {"keys", leave_keys},
    {"both", leave_both},
    {"both, and pthread_exit", leave_both_and_exit},
    {"a key of tss_create", leave_key_of_c},
    {"a key that is deleted", leave_deleted_key},
    {"an object of a module that came later", leave_in_module},
    {"one that a destructor makes", leave_module_to_the_end},
};

/* ---- As a thread's --------------------------------------------------------------------------- */

static void *in_thread(void *leave)
{
    ((void (*)(void))leave)();
    return NULL;
}

static void in_worker(struct worker *self)
{
    ((void (*)(void))self->arg)();
}

static void compare_all(struct worker *boss)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        char expected[LONGEST];
        pthread_t thread;

        memset(said, 0, sizeof said);
        ASSERT_EQ(pthread_create(&thread, NULL, in_thread, (void *)rows[row].leave), 0);
        EXPECT_EQ(pthread_join(thread, NULL), 0);
        memcpy(expected, said, sizeof said);
        EXPECT_NE(expected[0], '\0');
        for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
            memset(said, 0, sizeof said);
            make_and_join(boss, in_worker, (void *)rows[row].leave);
            EXPECT_THAT(strcmp(said, expected) == 0, "%s: a worker said %s, a thread %s",
                        rows[row].what, said, expected);
        }
    }
}

static void make_keys(void)
{
    ASSERT_EQ(pthread_key_create(&thrice, destroy_thrice), 0);
    ASSERT_EQ(pthread_key_create(&for_ever, destroy_for_ever), 0);
    ASSERT_EQ(pthread_key_create(&without, NULL), 0);
    ASSERT_EQ(tss_create(&of_c, destroy_of_c), thrd_success);
}

TEST(WorkerDestructors, come_in_the_order_of_a_threads)
{
    void *module = dlopen(TLS_MODULES "/test_tls_module_dynamic.so", RTLD_NOW);

    ASSERT_THAT(module != NULL, "%s", dlerror());
    module_use = (int (*)(int))dlsym(module, "module_use");
    ASSERT_NE(module_use, NULL);
    make_keys();
    run_boss(compare_all, ROUNDS * (int)(sizeof rows / sizeof *rows), NULL);
    EXPECT_EQ(dlclose(module), 0);
}

/* ---- A module that is closed ----------------------------------------------------------------- */

static void open_and_close(struct worker *self)
{
    void *module = dlopen(TLS_MODULES "/test_tls_module_dynamic.so", RTLD_NOW);

    EXPECT_THAT(module != NULL, "%s", dlerror());
    module_use = (int (*)(int))dlsym(module, "module_use");
    make(destroy, self->arg, &__dso_handle);
    make(destroy_in_module, "m", (void *)module_use);
    EXPECT_EQ(dlclose(module), 0);
}

static void close_again_and_again(struct worker *boss)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        memset(said, 0, sizeof said);
        make_and_join(boss, open_and_close, "1");
        EXPECT_STREQ(said, "m1");
    }
}

TEST(WorkerDestructors, a_module_stays_until_its_objects_are_gone)
{
    run_boss(close_again_and_again, ROUNDS, NULL);
}

/* ---- Ends of the process --------------------------------------------------------------------- */

static void end_process(void *code)
{
    _exit((int)(intptr_t)code);
}

static void leave_and_exit(struct worker *self)
{
    EXPECT_EQ(__cxa_thread_atexit_impl(end_process, (void *)BY_EXIT, &__dso_handle), 0);
    exit(0);
}

/* The worker that exits has a home that another worker used before. */
static void leave_then_exit(struct worker *boss)
{
    make_and_join(boss, in_worker, (void *)leave_both);
    make_and_join(boss, leave_and_exit, NULL);
}

static int exit_in_worker(void *unused)
{
    make_keys();
    run_boss(leave_then_exit, 2, NULL);
    return 1;
}

TEST(WorkerDestructors, exit_destroys_the_callers_objects)
{
    struct child_result result = child_run(exit_in_worker, NULL, LIMIT_MS);

    EXPECT_THAT(result.exited && result.code == BY_EXIT, "code %d, signal %d: %s", result.code,
                result.signal, result.output);
}

static pid_t parent;

static void end_child(void *what)
{
    if (getpid() != parent)
        _exit(BY_FORK);
    destroy(what);
}

static void leave_and_fork(struct worker *self)
{
    int status = 0;

    make(end_child, self->arg, &__dso_handle);
    pid_t child = fork();
    if (child == 0)
        return;
    EXPECT_GT(child, 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_THAT(WIFEXITED(status) && WEXITSTATUS(status) == BY_FORK, "status %x", status);
}

static void fork_again_and_again(struct worker *boss)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        memset(said, 0, sizeof said);
        make_and_join(boss, in_worker, (void *)leave_objects);
        make_and_join(boss, leave_and_fork, "p");
        EXPECT_STREQ(said, "231p");
    }
}

TEST(WorkerDestructors, a_forked_child_destroys_its_own)
{
    parent = getpid();
    run_boss(fork_again_and_again, 2 * ROUNDS, NULL);
}

/* ---- Used again ------------------------------------------------------------------------------ */

static void make_many(struct worker *boss)
{
    expect_homes_used_again(boss, in_worker, boss->arg);
}

TEST(WorkerDestructors, workers_that_have_some_cost_no_threads)
{
    make_keys();
    run_boss(make_many, MANY, (void *)leave_objects);
    run_boss(make_many, MANY, (void *)leave_keys);
    run_boss(make_many, MANY, (void *)leave_both);
}
