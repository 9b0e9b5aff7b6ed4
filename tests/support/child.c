/* SPDX-License-Identifier: MIT
 *
 * child.c - child processes of tests, with a time limit and their output (POSIX only).
 */
#include "child.h"
#include "gtest_c.h"

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Set by a library that counts its lines: line_counts.c. */
void (*tc_write_counts)(void);

static _Noreturn void run_body(child_body body, void *arg)
{
    sigset_t none;
    int code;

    for (int signal_number = 1; signal_number < 32; signal_number++)
        signal(signal_number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    tc_reset();
    code = body(arg);
    if (tc_write_counts)
        tc_write_counts();
    _exit(tc_failures() ? CHILD_CHECKS_FAILED : code);
}

/* A file, not a pipe: processes that the child leaves behind must not keep the parent waiting. */
struct child child_start(child_body body, void *arg)
{
    struct child child = {.pid = -1, .output_fd = memfd_create("output", MFD_CLOEXEC)};

    /* Two threads of the child may write at once: this kind of file has no lock for its place. */
    fcntl(child.output_fd, F_SETFL, O_APPEND);
    child.started_ms = now_ms();
    child.pid = fork();
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(child.output_fd, 1);
        dup2(child.output_fd, 2);
        run_body(body, arg);
    }
    if (child.pid < 0)
        FAIL("no child process: errno %d", errno);
    return child;
}

static void read_output(struct child_result *result, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from =
        size > (off_t)sizeof result->output - 1 ? size - (off_t)sizeof result->output + 1 : 0;
    ssize_t length = pread(fd, result->output, sizeof result->output - 1, from);

    result->output[length > 0 ? length : 0] = 0;
    close(fd);
}

struct child_result child_wait(struct child child, int limit_ms)
{
    struct child_result result = {0};
    struct pollfd ended = {.events = POLLIN};
    int status = 0;

    if (child.pid < 0) {
        result.timed_out = true;
        return result;
    }
    ended.fd = (int)syscall(SYS_pidfd_open, child.pid, 0);
    if (poll(&ended, 1, limit_ms) != 1) {
        result.timed_out = true;
        kill(child.pid, SIGKILL);
    }
    result.took_ms = now_ms() - child.started_ms;
    waitpid(child.pid, &status, 0);
    close(ended.fd);
    result.exited = WIFEXITED(status);
    result.code = WEXITSTATUS(status);
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    read_output(&result, child.output_fd);
    return result;
}

struct child_result child_run(child_body body, void *arg, int limit_ms)
{
    return child_wait(child_start(body, arg), limit_ms);
}

static void show(const struct child_result *result)
{
    tc_note("output of the child (%lld ms):", result->took_ms);
    if (write(2, result->output, strlen(result->output)) < 0)
        return;
    tc_note("(end of output)");
}

void expect_child_ok(struct check_place place, const struct child_result *result)
{
    if (result->exited && result->code == 0 && !result->timed_out)
        return;
    if (result->timed_out) {
        check_fail(place, "the child hung for %lld ms and was killed", result->took_ms);
    } else if (result->exited && result->code == CHILD_CHECKS_FAILED) {
        check_fail(place, "checks failed in the child, see its output");
    } else {
        check_fail(place, "expected the child to exit with 0; saw %s %d",
                   result->exited ? "exit code" : "signal",
                   result->exited ? result->code : result->signal);
    }
    show(result);
}

void expect_in_child(struct check_place place, child_body body, void *arg, int limit_ms)
{
    struct child_result result = child_run(body, arg, limit_ms);

    expect_child_ok(place, &result);
}

void expect_child_signal(struct check_place place, const struct child_result *result, int signal)
{
    if (result->signal == signal && !result->timed_out)
        return;
    check_fail(place, "expected the child to die of signal %d; saw %s %d%s", signal,
               result->exited ? "exit code" : "signal",
               result->exited ? result->code : result->signal,
               result->timed_out ? " (it hung and was killed)" : "");
    show(result);
}

int child_said(const struct child_result *result, const char *words)
{
    int count = 0;

    for (const char *at = strstr(result->output, words); at; at = strstr(at + 1, words))
        count++;
    return count;
}
