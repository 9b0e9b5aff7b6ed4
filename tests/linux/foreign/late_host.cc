// SPDX-License-Identifier: MIT
//
// late_host.cc - a program without umsshim, with threads, opens a plug-in that uses it. What the program
// does in a worker is what a program that was linked with us does; and the process ends with the last
// of its threads, also of those that were there before.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "foreign.h"
#include "late_module.h"

namespace {

bool failed;

void check(const char *what, bool holds)
{
    if (!holds) {
        fprintf(stderr, "wrong: %s\n", what);
        failed = true;
    }
}

void in_worker()
{
    const foreign *calls = foreign_calls();
    foreign_thread seen{};
    char text[128];

    seen.blocked = ~0ULL;
    calls->std_thread(&seen);
    check("the thread has no signal blocked", seen.blocked == 0);
    check("the thread is outside the filter", seen.seccomp == 0);
    calls->output_of("grep -c SigBlk:.0000000000000000 /proc/self/status", text, sizeof text);
    check("the child has no signal blocked", text[0] == '1');
}

void last_words()
{
    char text[] = "the older thread went on, and handlers ran\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(1);
    if (failed)
        _exit(1);
}

} // namespace

int main(int argc, char **argv)
{
    static int go[2];
    if (argc != 2 || pipe(go))
        return 2;
    alarm(20); // no hang without an end
    atexit(last_words);
    std::thread([] {
        char byte;
        check("it was told", read(go[0], &byte, 1) == 1);
        usleep(300000); // the main thread, and the count, are over by then
        char text[] = "older thread\n";
        check("said", write(1, text, sizeof text - 1) > 0);
    }).detach();
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    auto run = (int (*)(void (*)()))dlsym(module, "late_run");
    int result = run ? run(in_worker) : -1;
    if (result) {
        fprintf(stderr, "late_run: %d\n", result);
        failed = true;
    }
    check("told", write(go[1], "x", 1) == 1);
    pthread_exit(nullptr);
}
