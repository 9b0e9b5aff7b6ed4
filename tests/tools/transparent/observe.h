// SPDX-License-Identifier: MIT
//
// observe.h - what an observation has at hand, and how it becomes one.
//
// An observation is a function that says what a program can see of its process. It runs alone in a
// process, and may end it. OBSERVE(name) { ... } defines one; `observe name` runs it.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

// Writes a line, which is complete and in order also beside other processes' and before a violent end.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void pause_ms(long ms);

// Until a thread of this process has ended: it is gone, or a main thread's remains.
void until_ended(pid_t tid);

// The lines of a file, none if there is no such file.
std::vector<std::string> lines_of(const char *path);

struct Observation {
    Observation(const char *its_name, int (*its_run)());

    const char *name;
    int (*run)(); // gives the exit status
    const Observation *next;
};

#define OBSERVE(name)                                                                              \
    int name();                                                                                    \
    const Observation observation_##name{#name, name};                                             \
    int name()
