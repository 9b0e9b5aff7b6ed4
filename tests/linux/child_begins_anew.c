/* SPDX-License-Identifier: MIT
 *
 * child_begins_anew.c - a child that uses UMS keeps nothing of its parent's engine: no helper and
 * no wait for a futex, because the child has neither the helper's thread nor the waiting worker.
 *
 * modes: ways
 */
#include "futex_calls.h"
#include "tasks_in.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

enum { CHILD_LIMIT_MS = 20000, FORKS = 4, YIELDS = 8 };

/* ---- Helpers --------------------------------------------------------------------------------- */

static void lock_whole(struct block_case *c)
{
    EXPECT_EQ(flock(c->fd[0], LOCK_EX), 0);
}

static void unlock_whole(struct block_case *c)
{
    EXPECT_EQ(flock(c->fd[1], LOCK_UN), 0);
}

/* A wait for such a lock is a helper's, whatever the kernel has. */
static void wait_by_helper(void)
{
    struct block_case c = {.block = lock_whole, .complete = unlock_whole};
    char path[] = "/tmp/umsshim-test-XXXXXX";

    c.fd[0] = mkostemp(path, O_CLOEXEC);
    ASSERT_GE(c.fd[0], 0);
    c.fd[1] = open(path, O_RDWR | O_CLOEXEC);
    unlink(path);
    ASSERT_GE(c.fd[1], 0);
    ASSERT_EQ(flock(c.fd[1], LOCK_EX), 0);
    run_block_case(&c);
    close_all(&c);
}

/* Whether one of this process's threads is a helper that sleeps. */
static bool helper_sleeps(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    bool found = false;
    char text[256];

    while (tasks && !found && (entry = readdir(tasks)))
        if (entry->d_name[0] != '.') {
            task_says(entry->d_name, "stat", text);
            found = strstr(text, "(ums:helper) S") != NULL;
        }
    if (tasks)
        closedir(tasks);
    return found;
}

static int wait_by_helper_in_child(void *unused)
{
    wait_by_helper();
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

/* A helper that is idle waits for the next call. The child counts none. */
TEST(ChildBeginsAnew, a_childs_blocked_call_has_a_helper)
{
    long long started = now_ms();

    wait_by_helper();
    /* One that has ended already cannot mislead the child either. */
    while (!helper_sleeps() && elapsed_ms(started) < LIMIT_MS)
        usleep(1000);
    EXPECT_IN_CHILD(wait_by_helper_in_child, NULL, CHILD_LIMIT_MS);
}

/* ---- Futexes --------------------------------------------------------------------------------- */

static struct {
    unsigned word;
    int over;
} meeting;

/* A wait that has just begun is in the library's own table, where a fork finds it. */
static void wait_again_and_again(struct worker *self)
{
    while (!flag_get(&meeting.over))
        futex(&meeting.word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

/* Most of the time the wait has just begun. */
static void wake_again_and_again(struct worker *self)
{
    for (unsigned turn = 0; !flag_get(&meeting.over); turn++) {
        if (turn % YIELDS == 0)
            EXPECT_GE(wake(&meeting.word, 1), 0);
        EXPECT_OK(UmsThreadYield(NULL));
    }
}

static void wake_nobody(struct block_case *c)
{
    c->number = wake(&meeting.word, 1);
}

/* In the child, a plain thread. The number of those that were woken, plus one; 0: no answer. */
static int wake_in_child(void)
{
    struct block_case c = {.number = -1};

    run_in_worker(wake_nobody, &c);
    return tc_failures() ? CHILD_CHECKS_FAILED : (int)c.number + 1;
}

static void fork_again_and_again(struct worker *self)
{
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0) {
            alarm(CHILD_LIMIT_MS / 1000);
            _exit(wake_in_child());
        }
        EXPECT_GT(pid, 0);
        EXPECT_EQ(waitpid(pid, &status, 0), pid);
        EXPECT_THAT(WIFEXITED(status) && WEXITSTATUS(status) == 1, "the child's status is %#x",
                    (unsigned)status);
    }
    meeting.word = 1;
    flag_set(&meeting.over, 1);
    wake(&meeting.word, 1);
}

/* A private futex of the parent's is another one, though it lies at the same address. */
TEST(ChildBeginsAnew, a_childs_wake_up_finds_no_worker_of_the_parent)
{
    ASSERT_OK(FLEET_RUN(1, 0, {1, wait_again_and_again, NULL}, {1, wake_again_and_again, NULL},
                        {1, fork_again_and_again, NULL}));
}
