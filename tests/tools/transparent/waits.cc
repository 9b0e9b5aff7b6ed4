// SPDX-License-Identifier: MIT
//
// waits.cc - calls that wait, when they are cancelled, interrupted or restarted.
#include "observe.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {

struct Wait {
    const char *name;
    void (*call)(int *fd);
};

int any[2]; // a socket pair on which nothing comes
char some[64];

const Wait waits[] = {
    {"read", [](int *fd) { say("%zd", read(fd[0], some, 1)); }},
    {"readv",
     [](int *fd) {
         iovec v = {some, 1};
         say("%zd", readv(fd[0], &v, 1));
     }},
    {"recv", [](int *fd) { say("%zd", recv(fd[0], some, 1, 0)); }},
    {"recvfrom", [](int *fd) { say("%zd", recvfrom(fd[0], some, 1, 0, nullptr, nullptr)); }},
    {"recvmsg",
     [](int *fd) {
         iovec v = {some, 1};
         msghdr m{};
         m.msg_iov = &v;
         m.msg_iovlen = 1;
         say("%zd", recvmsg(fd[0], &m, 0));
     }},
    {"write",
     [](int *fd) {
         static char much[1 << 20];
         say("%zd", write(fd[0], much, sizeof much));
     }},
    {"send",
     [](int *fd) {
         static char much[8 << 20];
         say("%zd", send(fd[0], much, sizeof much, 0));
     }},
    {"writev",
     [](int *fd) {
         static char much[8 << 20];
         iovec v = {much, sizeof much};
         say("%zd", writev(fd[0], &v, 1));
     }},
    {"poll",
     [](int *fd) {
         pollfd p = {fd[0], POLLIN, 0};
         say("%d", poll(&p, 1, -1));
     }},
    {"select",
     [](int *fd) {
         fd_set set;
         FD_ZERO(&set);
         FD_SET(fd[0], &set);
         say("%d", select(fd[0] + 1, &set, nullptr, nullptr, nullptr));
     }},
    {"epoll_wait",
     [](int *) {
         epoll_event e;
         say("%d", epoll_wait(epoll_create1(EPOLL_CLOEXEC), &e, 1, -1));
     }},
    {"accept",
     [](int *) {
         int s = socket(AF_UNIX, SOCK_STREAM, 0);
         sockaddr_un address{};
         address.sun_family = AF_UNIX;
         bind(s, (sockaddr *)&address, sizeof(sa_family_t));
         listen(s, 1);
         say("%d", accept(s, nullptr, nullptr));
     }},
    {"pause", [](int *) { say("%d", pause()); }},
    {"nanosleep",
     [](int *) {
         timespec t = {1000, 0};
         say("%d", nanosleep(&t, nullptr));
     }},
    {"sigsuspend",
     [](int *) {
         sigset_t none;
         sigemptyset(&none);
         say("%d", sigsuspend(&none));
     }},
    {"waitpid", [](int *) { say("%d", waitpid(-1, nullptr, 0) < 0); }},
};

const Wait *current;
std::atomic<bool> began;
std::atomic<int> handled;

void *wait_here(void *)
{
    pthread_cleanup_push([](void *) { say("cleanup"); }, nullptr);
    began = true;
    errno = 0;
    current->call(any);
    say("errno %d", errno);
    pthread_cleanup_pop(0);
    return nullptr;
}

// The thread stands in the kernel: its state says so.
void until_it_waits(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    while (!began)
        pause_ms(1);
    for (int asleep = 0; asleep < 3;) {
        std::vector<std::string> lines = lines_of(path);
        asleep = !lines.empty() && lines[0].find(") S") != std::string::npos ? asleep + 1 : 0;
        pause_ms(2);
    }
}

std::atomic<pid_t> waiting_tid;

void *announce_and_wait(void *unused)
{
    waiting_tid = gettid();
    return wait_here(unused);
}

pid_t sleeping_child;

pthread_t start_waiting(const Wait *wait)
{
    pthread_t thread;
    current = wait;
    began = false;
    waiting_tid = 0;
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, any);
    sleeping_child = fork();
    if (sleeping_child == 0) {
        pause();
        _exit(0);
    }
    pthread_create(&thread, nullptr, announce_and_wait, nullptr);
    while (!waiting_tid)
        pause_ms(1);
    until_it_waits(waiting_tid);
    return thread;
}

void stop_waiting(pthread_t thread)
{
    void *result = nullptr;
    pthread_join(thread, &result);
    say("cancelled %d", result == PTHREAD_CANCELED);
    kill(sleeping_child, SIGKILL);
    waitpid(sleeping_child, nullptr, 0);
    close(any[0]);
    close(any[1]);
}

OBSERVE(cancellation)
{
    for (const Wait &wait : waits) {
        say("%s", wait.name);
        pthread_t thread = start_waiting(&wait);
        pthread_cancel(thread);
        stop_waiting(thread);
    }
    return 0;
}

OBSERVE(interruption)
{
    struct sigaction action {};
    action.sa_handler = [](int) { handled++; };
    for (int restart : {0, SA_RESTART}) {
        action.sa_flags = restart;
        sigaction(SIGUSR1, &action, nullptr);
        for (const Wait &wait : waits) {
            say("%s restart %d", wait.name, restart != 0);
            handled = 0;
            pthread_t thread = start_waiting(&wait);
            pthread_kill(thread, SIGUSR1);
            while (!handled)
                pause_ms(1);
            if (restart) {
                pause_ms(10);
                pthread_cancel(thread);
            }
            stop_waiting(thread);
        }
    }
    return 0;
}

OBSERVE(asynchronous_cancellation)
{
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
            began = true;
            for (volatile unsigned i = 0;; i = i + 1) {
            }
            return nullptr;
        },
        nullptr);
    while (!began)
        pause_ms(1);
    say("%d", pthread_cancel(thread));
    void *result;
    say("%d", pthread_join(thread, &result));
    say("%d", result == PTHREAD_CANCELED);
    return 0;
}

} // namespace
