// SPDX-License-Identifier: MIT
//
// observe.cc - what a program can see of its process: one observation for each argument, as text.
//
// Built with and without libumsshim, and run in other ways by compare.sh: the text and the end of the
// process must be the same. Nothing here is a call of ours.
//
//   observe --list
//   observe [--late LIBRARY] OBSERVATION
#include <aio.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace {

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// One write each: the lines of several processes and of a dying one are in order and complete.
void say(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    n = std::min(n, static_cast<int>(sizeof line) - 2);
    line[n] = '\n';
    if (write(1, line, static_cast<size_t>(n) + 1) < 0) {
        _exit(125);
    }
}

void pause_ms(long ms)
{
    timespec t = {ms / 1000, ms % 1000 * 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

// ---- The end of the process

void at_end()
{
    say("atexit handler on the main thread: %d", gettid() == getpid());
}

struct Farewell {
    const char *name;
    ~Farewell()
    {
        say("destructor of %s", name);
    }
};

int main_leaves_std_thread()
{
    std::thread([] {
        pause_ms(150);
        say("std::thread went on");
    }).detach();
    pthread_exit(nullptr);
}

int main_leaves_two_generations()
{
    atexit(at_end);
    std::thread([] {
        pause_ms(50);
        std::thread([] {
            pause_ms(100);
            say("second generation went on");
        }).detach();
        say("first generation ends");
    }).detach();
    pthread_exit(nullptr);
}

int main_leaves_c11_thread()
{
    thrd_t thread;
    say("%d", thrd_create(
                  &thread,
                  [](void *) {
                      pause_ms(100);
                      say("C11 thread went on");
                      return 7;
                  },
                  nullptr));
    thrd_detach(thread);
    thrd_exit(3);
}

int main_leaves_and_thread_exits()
{
    atexit(at_end);
    std::thread([] {
        pause_ms(50);
        exit(43);
    }).detach();
    pthread_exit(nullptr);
}

int main_is_cancelled()
{
    static pthread_t main_thread = pthread_self();
    std::thread([] {
        pause_ms(20);
        say("cancel %d", pthread_cancel(main_thread));
        void *result = nullptr;
        say("join %d", pthread_join(main_thread, &result));
        say("cancelled %d", result == PTHREAD_CANCELED);
    }).detach();
    for (;;) {
        pause();
    }
}

int main_alone_leaves()
{
    atexit(at_end);
    pthread_exit(nullptr);
}

int order_of_the_end()
{
    static Farewell at_exit{"a static object"};
    static thread_local Farewell of_thread{"a thread-local object"};
    pthread_key_t key;
    pthread_key_create(&key, [](void *name) { say("destructor of %s", (char *)name); });
    pthread_setspecific(key, "the main thread's key");
    atexit(at_end);
    say("%p%p", (void *)nullptr, (void *)(at_exit.name == of_thread.name ? &key : nullptr));
    std::thread([key] {
        static thread_local Farewell own{"the other thread's object"};
        pthread_setspecific(key, "the other thread's key");
        pause_ms(50);
        say("other thread ends%s", own.name ? "" : ".");
    }).detach();
    pthread_exit(nullptr);
}

int timer_thread_keeps_the_process()
{
    static std::atomic<int> calls{0};
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) {
        if (++calls == 3) {
            say("third call of the timer");
            _exit(44);
        }
    };
    timer_t timer;
    say("timer_create %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
    itimerspec every = {{0, 20000000}, {0, 20000000}};
    timer_settime(timer, 0, &every, nullptr);
    pthread_exit(nullptr);
}

int uncaught_exception()
{
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    std::thread([] { throw 1; }).join();
    return 0;
}

int quick_end()
{
    at_quick_exit(at_end);
    std::thread([] { pause_ms(1000); }).detach();
    quick_exit(9);
}

// ---- What lies in the process

std::vector<std::string> lines_of(const char *path)
{
    std::vector<std::string> lines;
    FILE *file = fopen(path, "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        lines.emplace_back(line);
    }
    if (file) {
        fclose(file);
    }
    return lines;
}

int status()
{
    static const char *const wanted[] = {"Threads",  "SigPnd",     "ShdPnd",  "SigBlk",
                                         "SigIgn",   "SigCgt", "NoNewPrivs", "Seccomp", "Cpus_allowed:",
                                         "CapEff",   "FDSize", "Umask",      "CoreDumping"};
    for (const std::string &line : lines_of("/proc/self/status")) {
        for (const char *name : wanted) {
            if (line.compare(0, strlen(name), name) == 0) {
                say("%s", line.c_str());
            }
        }
    }
    DIR *folder = opendir("/proc/self/fd");
    for (dirent *entry; (entry = readdir(folder)) != nullptr;) {
        say("descriptor %s", entry->d_name);
    }
    closedir(folder);
    for (const std::string &line : lines_of("/proc/self/limits")) {
        say("%s", line.c_str());
    }
    for (const std::string &line : lines_of("/proc/self/wchan")) {
        say("%s", line.c_str());
    }
    say("name %s", lines_of("/proc/self/comm")[0].c_str());
    return 0;
}

int mapped_files()
{
    std::vector<std::string> names;
    for (const std::string &line : lines_of("/proc/self/maps")) {
        size_t slash = line.find('/');
        std::string name = slash == std::string::npos ? "" : line.substr(slash);
        if (name.find("libumsshim") == std::string::npos && name.find("liburing") == std::string::npos &&
            name.find("/observe") == std::string::npos) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string &name : names) {
        say("%s", name.c_str());
    }
    return 0;
}

int keys()
{
    pthread_key_t key = 0;
    int count = 0;
    int error = pthread_key_create(&key, nullptr);
    say("first %d is %u", error, key);
    while ((error = pthread_key_create(&key, nullptr)) == 0) {
        count++;
    }
    say("%d more, then %d", count, error);
    std::thread([] { say("thread"); }).join();
    pthread_exit(nullptr);
}

int signals()
{
    for (int s = 1; s < NSIG; s++) {
        struct sigaction action{};
        int result = sigaction(s, nullptr, &action);
        say("%d: %d %d handler %d flags %x", s, result, result ? errno : 0,
            action.sa_handler == SIG_DFL ? 0 : action.sa_handler == SIG_IGN ? 1 : 2,
            static_cast<unsigned>(action.sa_flags));
    }
    sigset_t mask;
    sigset_t pending;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    sigpending(&pending);
    stack_t stack;
    say("alternate stack %d %d", sigaltstack(nullptr, &stack), stack.ss_flags);
    for (int s = 1; s < NSIG; s++) {
        say("%d blocked %d pending %d", s, sigismember(&mask, s), sigismember(&pending, s));
    }
    say("real time %d %d", SIGRTMIN, SIGRTMAX);
    return 0;
}

// ---- Threads

void *settled(void *)
{
    return (void *)"result";
}

int threads_and_their_attributes()
{
    pthread_attr_t attr;
    pthread_t thread;
    void *result;
    pthread_attr_init(&attr);
    for (size_t stack : {static_cast<size_t>(PTHREAD_STACK_MIN), static_cast<size_t>(1) << 20,
                         static_cast<size_t>(1) << 46}) {
        pthread_attr_setstacksize(&attr, stack);
        int created = pthread_create(&thread, &attr, settled, nullptr);
        say("stack %zu: %d", stack, created);
        if (!created) {
            say("join %d %s", pthread_join(thread, &result), (char *)result);
        }
    }
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setguardsize(&attr, 3 << 12);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_attr_setsigmask_np(&attr, &some);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pthread_attr_setaffinity_np(&attr, sizeof one, &one);
    auto look = [](void *) -> void * {
        pthread_attr_t own;
        size_t size;
        size_t guard;
        sigset_t mask;
        cpu_set_t set;
        char name[16];
        pthread_getattr_np(pthread_self(), &own);
        pthread_attr_getstacksize(&own, &size);
        pthread_attr_getguardsize(&own, &guard);
        pthread_attr_destroy(&own);
        pthread_sigmask(SIG_BLOCK, nullptr, &mask);
        sched_getaffinity(0, sizeof set, &set);
        pthread_getname_np(pthread_self(), name, sizeof name);
        say("stack %zu guard %zu usr2 %d usr1 %d processors %d name %.7s", size, guard,
            sigismember(&mask, SIGUSR2), sigismember(&mask, SIGUSR1), CPU_COUNT(&set), name);
        return nullptr;
    };
    int error = pthread_create(&thread, &attr, look, nullptr);
    say("%d, join %d", error, pthread_join(thread, nullptr));
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    say("%d", pthread_create(&thread, &attr, settled, nullptr));
    sched_param priority = {1};
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
    say("schedparam %d", pthread_attr_setschedparam(&attr, &priority));
    for (int i = 0; i < 200; i++) {
        std::thread([] {}).join();
    }
    say("200 threads");
    return 0;
}

int c11_threads()
{
    thrd_t thread;
    int result = 0;
    for (int wanted : {0, 7, -1, INT32_MIN}) {
        say("create %d", thrd_create(
                             &thread, [](void *value) { return *(int *)value; }, &wanted));
        say("join %d", thrd_join(thread, &result));
        say("%d as wanted %d", result, result == wanted);
    }
    say("create %d", thrd_create(
                         &thread,
                         [](void *) -> int {
                             sigset_t mask;
                             pthread_sigmask(SIG_BLOCK, nullptr, &mask);
                             say("blocked %d", sigismember(&mask, SIGUSR1));
                             thrd_exit(12);
                         },
                         nullptr));
    say("join %d", thrd_join(thread, &result));
    say("%d", result);
    return 0;
}

int threads_refused()
{
    rlimit room = {64 << 20, 64 << 20};
    pthread_attr_t attr;
    pthread_t thread;
    thrd_t c11;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1U << 30);
    setrlimit(RLIMIT_AS, &room);
    say("pthread_create %d", pthread_create(&thread, &attr, settled, nullptr));
    pthread_attr_setstacksize(&attr, 1U << 30);
    say("default %d", pthread_setattr_default_np(&attr));
    say("thrd_create %d", thrd_create(
                              &c11, [](void *) { return 0; }, nullptr));
    try {
        std::thread([] {}).join();
        say("std::thread");
    } catch (const std::exception &e) {
        say("std::thread: %s", e.what());
    }
    return 0;
}

int thread_that_has_ended()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, settled, nullptr);
    pause_ms(50);
    say("pthread_kill %d", pthread_kill(thread, 0));
    for (const char *version : {"GLIBC_2.2.5", "GLIBC_2.34"}) {
        auto kill_it = (int (*)(pthread_t, int))dlvsym(RTLD_DEFAULT, "pthread_kill", version);
        say("%s %d", version, kill_it ? kill_it(thread, 0) : -1);
    }
    say("signal 65: %d", pthread_kill(thread, 65));
    pthread_join(thread, nullptr);
    return 0;
}

// ---- Calls that wait: cancelled, interrupted, restarted

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
    while (!began) {
        pause_ms(1);
    }
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
    while (!waiting_tid) {
        pause_ms(1);
    }
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

int cancellation()
{
    for (const Wait &wait : waits) {
        say("%s", wait.name);
        pthread_t thread = start_waiting(&wait);
        pthread_cancel(thread);
        stop_waiting(thread);
    }
    return 0;
}

int interruption()
{
    struct sigaction action{};
    action.sa_handler = [](int) { handled++; };
    for (int restart : {0, SA_RESTART}) {
        action.sa_flags = restart;
        sigaction(SIGUSR1, &action, nullptr);
        for (const Wait &wait : waits) {
            say("%s restart %d", wait.name, restart != 0);
            handled = 0;
            pthread_t thread = start_waiting(&wait);
            pthread_kill(thread, SIGUSR1);
            while (!handled) {
                pause_ms(1);
            }
            if (restart) {
                pause_ms(10);
                pthread_cancel(thread);
            }
            stop_waiting(thread);
        }
    }
    return 0;
}

int asynchronous_cancellation()
{
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
            began = true;
            for (volatile unsigned i = 0;; i++) {
            }
            return nullptr;
        },
        nullptr);
    while (!began) {
        pause_ms(1);
    }
    say("%d", pthread_cancel(thread));
    void *result;
    say("%d", pthread_join(thread, &result));
    say("%d", result == PTHREAD_CANCELED);
    return 0;
}

// ---- Errors

template <typename Result> void outcome(const char *what, Result result)
{
    say("%s %lld errno %d", what, static_cast<long long>(result), errno);
    errno = 0;
}

int errors()
{
    iovec bad = {nullptr, static_cast<size_t>(-1)};
    void *volatile nowhere = nullptr; // the compiler is not to know better
    volatile int minus_one = -1;
    msghdr message{};
    sigset_t set;
    sigemptyset(&set);
    errno = 0;
    outcome("read", read(-1, some, 1));
    outcome("read, no address", read(open("/dev/zero", O_RDONLY), nowhere, 1));
    outcome("write", write(-1, some, 1));
    outcome("readv", readv(0, &bad, minus_one));
    outcome("writev", writev(-1, &bad, 1));
    outcome("recv", recv(0, some, 1, MSG_DONTWAIT));
    outcome("send", send(-1, some, 1, 0));
    outcome("recvfrom", recvfrom(-1, some, 1, 0, nullptr, nullptr));
    outcome("sendto", sendto(-1, some, 1, 0, nullptr, 0));
    outcome("recvmsg", recvmsg(-1, &message, 0));
    outcome("sendmsg", sendmsg(-1, &message, 0));
    outcome("pthread_sigmask", pthread_sigmask(99, &set, nullptr));
    outcome("sigprocmask", sigprocmask(99, &set, nullptr));
    outcome("raise", raise(99));
    outcome("gsignal", gsignal(-1));
    outcome("pthread_kill", pthread_kill(pthread_self(), 99));
    outcome("popen", popen("true", "nonsense") != nullptr);
    outcome("system(NULL)", system(nullptr));
    pid_t pid;
    char *arguments[] = {const_cast<char *>("none"), nullptr};
    outcome("posix_spawn", posix_spawn(&pid, "/nonexistent", nullptr, nullptr, arguments, environ));
    outcome("posix_spawnp", posix_spawnp(&pid, "nonexistent-program", nullptr, nullptr, arguments, environ));
    outcome("dlopen", dlopen("libnonexistent.so", RTLD_NOW) != nullptr);
    say("%s", dlerror());
    outcome("dlopen, a path", dlopen("/nonexistent/lib.so", RTLD_NOW) != nullptr);
    say("%s", dlerror());
    outcome("dlopen, bad mode", dlopen("libm.so.6", 0x4000) != nullptr);
    say("%s", dlerror());
    outcome("dlsym", dlsym(RTLD_DEFAULT, "no_such_function") != nullptr);
    say("%s", dlerror());
    say("%s", dlerror() ? "still" : "over");
    outcome("dlsym", dlsym(RTLD_DEFAULT, "read") != nullptr);
    outcome("dlsym", dlsym(dlopen(nullptr, RTLD_NOW), "write") != nullptr);
    return 0;
}

int overflow_is_detected()
{
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    auto checked = (ssize_t(*)(int, void *, size_t, size_t))dlsym(RTLD_DEFAULT, "__read_chk");
    int zero = open("/dev/zero", O_RDONLY);
    say("%zd", checked(zero, some, 4, 8));
    checked(zero, some, 8, 4);
    return 0;
}

// ---- Processes

const char report[] = "grep -E '^(Sig(Blk|Ign|Cgt)|Cpus_allowed:|Seccomp:|NoNewPrivs|Threads)' /proc/self/status; "
                      "ls /proc/self/fd | tr '\\n' ' '; echo; ulimit -n; kill -0 $$ && echo alive";

int children()
{
    char *arguments[] = {const_cast<char *>("sh"), const_cast<char *>("-c"), const_cast<char *>(report),
                         nullptr};
    int status = 0;
    pid_t pid;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    say("system %d", system(report));
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    int error = posix_spawn(&pid, "/bin/sh", nullptr, nullptr, arguments, environ);
    waitpid(pid, &status, 0);
    say("spawn %d", error);
    error = posix_spawnp(&pid, "sh", nullptr, nullptr, arguments, environ);
    waitpid(pid, &status, 0);
    say("spawnp %d", error);
    char line[256];
    FILE *stream = popen(report, "r");
    while (fgets(line, sizeof line, stream)) {
        say("popen: %s", line);
    }
    say("%d", pclose(stream));
    volatile int seen = 0;
    pid = vfork();
    if (pid == 0) {
        seen = 1; // in the parent's memory
        _exit(5);
    }
    waitpid(pid, &status, 0);
    say("vfork: shared %d, status %x", seen, static_cast<unsigned>(status));
    pid = fork();
    if (pid == 0) {
        say("Child: %d", getppid() > 1);
        execl("/bin/sh", "sh", "-c", report, nullptr);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    say("status %x", static_cast<unsigned>(status));
    std::thread([&] {
        pid = fork();
        if (pid == 0) {
            std::thread([] { say("a thread of the child"); }).join();
            pthread_exit(nullptr);
        }
        waitpid(pid, &status, 0);
        say("status %x", static_cast<unsigned>(status));
    }).join();
    return 0;
}

// Noted, and said by one process after the other.
std::string noted;

int fork_handlers()
{
    pthread_atfork([] { noted += " prepare 1"; }, [] { noted += " parent 1"; },
                   [] { noted += " child 1"; });
    pthread_atfork([] { noted += " prepare 2"; }, [] { noted += " parent 2"; },
                   [] { noted += " child 2"; });
    pid_t pid = fork();
    if (pid == 0) {
        say("child:%s", noted.c_str());
        _exit(0);
    }
    waitpid(pid, nullptr, 0);
    say("parent:%s", noted.c_str());
    return 0;
}

// An old way to be a shell script: no line that names the interpreter.
int spawn_of_a_script()
{
    char name[] = "/tmp/observe.XXXXXX";
    int file = mkstemp(name);
    say("%zd", write(file, "echo script ran\n", 16));
    fchmod(file, 0700);
    close(file);
    for (const char *version : {"GLIBC_2.2.5", "GLIBC_2.15"}) {
        auto spawn = (decltype(&posix_spawn))dlvsym(RTLD_DEFAULT, "posix_spawn", version);
        char *arguments[] = {name, nullptr};
        pid_t pid = -1;
        int error = spawn ? spawn(&pid, name, nullptr, nullptr, arguments, environ) : -1;
        if (!error) {
            waitpid(pid, nullptr, 0);
        }
        say("%s %d", version, error);
    }
    unlink(name);
    return 0;
}

// ---- Signals

int raised()
{
    struct sigaction action{};
    action.sa_sigaction = [](int s, siginfo_t *info, void *) {
        say("%d code %d self %d main %d", s, info->si_code, info->si_pid == getpid(),
            gettid() == getpid());
    };
    action.sa_flags = SA_SIGINFO;
    for (int s : {SIGUSR1, SIGTERM, SIGRTMAX}) {
        sigaction(s, &action, nullptr);
        say("raise %d", raise(s));
        say("kill %d", kill(getpid(), s));
        say("pthread_kill %d", pthread_kill(pthread_self(), s));
        std::thread([s] { say("raise %d", raise(s)); }).join();
    }
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    raise(SIGUSR1);
    sigpending(&set);
    say("pending %d", sigismember(&set, SIGUSR1));
    int s = 0;
    say("sigwait %d", sigwait(&set, &s));
    say("%d", s);
    return 0;
}

int killed_by_signal()
{
    std::thread([] { pause_ms(10000); }).detach();
    kill(getpid(), SIGTERM);
    pause_ms(10000);
    return 0;
}

int asynchronous_io()
{
    aiocb request{};
    const aiocb *list[] = {&request};
    request.aio_fildes = open("/dev/zero", O_RDONLY);
    request.aio_buf = some;
    request.aio_nbytes = 8;
    say("%d", aio_read(&request));
    say("%d", aio_suspend(list, 1, nullptr));
    say("%zd", aio_return(&request));
    pthread_exit(nullptr);
}

const struct Observation {
    const char *name;
    int (*run)();
} observations[] = {
#define OBSERVATION(name) {#name, name}
    OBSERVATION(main_leaves_std_thread),
    OBSERVATION(main_leaves_two_generations),
    OBSERVATION(main_leaves_c11_thread),
    OBSERVATION(main_leaves_and_thread_exits),
    OBSERVATION(main_is_cancelled),
    OBSERVATION(main_alone_leaves),
    OBSERVATION(order_of_the_end),
    OBSERVATION(timer_thread_keeps_the_process),
    OBSERVATION(uncaught_exception),
    OBSERVATION(quick_end),
    OBSERVATION(status),
    OBSERVATION(mapped_files),
    OBSERVATION(keys),
    OBSERVATION(signals),
    OBSERVATION(threads_and_their_attributes),
    OBSERVATION(c11_threads),
    OBSERVATION(threads_refused),
    OBSERVATION(thread_that_has_ended),
    OBSERVATION(cancellation),
    OBSERVATION(interruption),
    OBSERVATION(asynchronous_cancellation),
    OBSERVATION(errors),
    OBSERVATION(overflow_is_detected),
    OBSERVATION(children),
    OBSERVATION(fork_handlers),
    OBSERVATION(spawn_of_a_script),
    OBSERVATION(raised),
    OBSERVATION(killed_by_signal),
    OBSERVATION(asynchronous_io),
};

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (const Observation &o : observations) {
            puts(o.name);
        }
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--late")) {
        if (!dlopen(argv[2], RTLD_NOW)) {
            say("%s", dlerror());
            return 126;
        }
    } else if (argc != 2) {
        return 126;
    }
    for (const Observation &o : observations) {
        if (!strcmp(argv[argc - 1], o.name)) {
            return o.run();
        }
    }
    return 126;
}
