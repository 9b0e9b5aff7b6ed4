/* SPDX-License-Identifier: MIT
 *
 * processes.c - fork, wait, exec, spawn, kill.
 */
#include "assertion.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>

extern char **environ;

ASSERTION(wait_tells_how_a_child_ended)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(42);
    EXPECT_EQ(wait(&status), child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    child = fork();
    if (child == 0)
        abort();
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    EXPECT_ERRNO(wait(&status), ECHILD);
}

ASSERTION(a_child_is_stopped_and_goes_on)
{
    int status;
    siginfo_t info;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            sleep_ms(10);
    EXPECT_EQ(kill(child, SIGSTOP), 0);
    EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
    EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    EXPECT_EQ(kill(child, SIGCONT), 0);
    EXPECT_EQ(waitid(P_PID, child, &info, WCONTINUED), 0);
    EXPECT_EQ(info.si_code, CLD_CONTINUED);
    EXPECT_EQ(waitpid(child, &status, WNOHANG), 0);
    EXPECT_EQ(kill(child, SIGKILL), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

ASSERTION(kill_errors)
{
    EXPECT_EQ(kill(getpid(), 0), 0);
    EXPECT_ERRNO(kill(getpid(), 9999), EINVAL);
    EXPECT_ERRNO(kill(0x3ffffffe, 0), ESRCH);
    EXPECT_ERRNO(killpg(0x3ffffffe, 0), ESRCH);
}

ASSERTION(a_child_has_its_own_memory_and_the_same_files)
{
    static int variable = 1;
    int status, ends[2];
    char byte = 0;
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        variable = 2;
        _exit(write(ends[1], "x", 1) == 1 && getppid() ? 0 : 1);
    }
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(variable, 1);
    EXPECT(getpid() != child);
}

static void *give_back(void *arg)
{
    return arg;
}

ASSERTION(a_child_makes_threads_and_waits)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        EXPECT_EQ((long)join(start(give_back, (void *)5)), 5);
        sleep_ms(10);
        pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(3);
        EXPECT_EQ(waitpid(grandchild, &status, 0), grandchild);
        _exit(WEXITSTATUS(status) == 3 ? 0 : 1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

ASSERTION(a_child_that_exits_its_only_thread_ends)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        pthread_exit(NULL);
    for (int i = 0; i < 5000; i++) {
        pid_t r = waitpid(child, &status, WNOHANG);
        if (r == child) {
            EXPECT_EQ(status, 0);
            return;
        }
        sleep_ms(1);
    }
    kill(child, SIGKILL);
    EXPECT(!"the child did not end");
}

ASSERTION(exec_replaces_a_child)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        _exit(1);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 6);
}

ASSERTION(exec_replaces_self)
{
    execl("/bin/sh", "sh", "-c", "sleep 0.05; kill -0 $$", (char *)NULL);
    EXPECT(!"exec came back");
}

static void *exec_as_asked(void *how)
{
    char *argv[] = {"grep", "-q", "^SigBlk:.*0000000000000200$", "/proc/self/status", NULL};
    char *envp[] = {"PATH=/usr/bin:/bin", NULL};
    switch ((long)how) {
    case 0:
        execve("/bin/grep", argv, envp);
        break;
    case 1:
        execv("/bin/grep", argv);
        break;
    case 2:
        execvp("grep", argv);
        break;
    case 3:
        execl("/bin/grep", argv[0], argv[1], argv[2], argv[3], (char *)NULL);
        break;
    case 4:
        execlp("grep", argv[0], argv[1], argv[2], argv[3], (char *)NULL);
        break;
    default:
        execle("/bin/grep", argv[0], argv[1], argv[2], argv[3], (char *)NULL, envp);
    }
    EXPECT(!"exec came back");
    return NULL;
}

/* The mask stays, and nothing of whatever ran the thread. */
static void exec_keeps(long how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
    EXPECT_ERRNO(execl("/no/such/program", "x", (char *)NULL), ENOENT);
    EXPECT_ERRNO(execlp("no-such-program", "x", (char *)NULL), ENOENT);
    sleep_ms(2);
    exec_as_asked((void *)how);
}
CALL_ASSERTION(execve_keeps_the_mask, exec_keeps(0))
CALL_ASSERTION(execv_keeps_the_mask, exec_keeps(1))
CALL_ASSERTION(execvp_keeps_the_mask, exec_keeps(2))
CALL_ASSERTION(execl_keeps_the_mask, exec_keeps(3))
CALL_ASSERTION(execlp_keeps_the_mask, exec_keeps(4))
CALL_ASSERTION(execle_keeps_the_mask, exec_keeps(5))

ASSERTION(exec_keeps_the_processors_and_the_environment)
{
    char *argv[] = {"sh", "-c", "[ $(nproc) = $(getconf _NPROCESSORS_ONLN) ] && [ \"$A\" = b ]",
                    NULL};
    char *envp[] = {"A=b", "PATH=/usr/bin:/bin", NULL};
    execve("/bin/sh", argv, envp);
    EXPECT(!"exec came back");
}

ASSERTION(children_by_other_ways)
{
    char line[16] = "", *argv[] = {"sh", "-c", "exit 4", NULL};
    int status;
    pid_t child;
    EXPECT_EQ(WEXITSTATUS(system("exit 3")), 3);
    EXPECT_EQ(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ), 0);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 4);
    EXPECT_EQ(posix_spawnp(&child, "no-such-program", NULL, NULL, argv, environ), ENOENT);
    FILE *stream = popen("echo hello", "r");
    EXPECT(stream != NULL);
    EXPECT(fgets(line, sizeof line, stream) != NULL);
    EXPECT(!strcmp(line, "hello\n"));
    EXPECT_EQ(pclose(stream), 0);
}

ASSERTION(a_child_starts_with_no_time_and_no_pending_signal)
{
    sigset_t set, pending;
    struct tms times_of;
    int status;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    alarm(100);
    pid_t child = fork();
    if (child == 0) {
        sigset_t mask;
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
        EXPECT(sigismember(&mask, SIGUSR1));
        EXPECT_EQ(sigpending(&pending), 0);
        EXPECT(!sigismember(&pending, SIGUSR1));
        EXPECT_EQ(alarm(0), 0);
        EXPECT(times(&times_of) != (clock_t)-1);
        EXPECT(times_of.tms_utime + times_of.tms_stime < 20);
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

static volatile sig_atomic_t signals;
static void on_child(int sig)
{
    signals++;
}
ASSERTION(the_end_of_a_child_is_a_signal)
{
    signal(SIGCHLD, on_child);
    if (fork() == 0)
        _exit(0);
    for (int i = 0; i < 5000 && !signals; i++)
        sleep_ms(1);
    EXPECT_EQ(signals, 1);
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0)
        _exit(0);
    EXPECT(wait(NULL) > 0 || errno == ECHILD);
    EXPECT_ERRNO(wait(NULL), ECHILD);
}
