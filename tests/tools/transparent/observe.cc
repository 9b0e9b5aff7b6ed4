// SPDX-License-Identifier: MIT
//
// observe.cc - what a program can see of its process: one observation for each argument, as text.
//
// Built with and without libumsshim, and run in other ways by compare.sh: the text and the end of the
// process must be the same. Nothing here is a call of ours.
//
//   observe --list
//   observe [--late LIBRARY] OBSERVATION
#include "observe.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

namespace {

const Observation *first;

} // namespace

Observation::Observation(const char *its_name, int (*its_run)())
    : name(its_name), run(its_run), next(first)
{
    first = this;
}

void say(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    n = std::min(n, static_cast<int>(sizeof line) - 2);
    line[n] = '\n';
    if (write(1, line, static_cast<size_t>(n) + 1) < 0)
        _exit(125);
}

void pause_ms(long ms)
{
    timespec t = {ms / 1000, ms % 1000 * 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}

std::vector<std::string> lines_of(const char *path)
{
    std::vector<std::string> lines;
    FILE *file = fopen(path, "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        lines.emplace_back(line);
    }
    if (file)
        fclose(file);
    return lines;
}

void until_ended(pid_t tid)
{
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/stat";
    for (;;) {
        std::vector<std::string> lines = lines_of(path.c_str());
        if (lines.empty() || lines[0].find(") Z") != std::string::npos)
            return;
        pause_ms(1);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (const Observation *o = first; o; o = o->next)
            puts(o->name);
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
    for (const Observation *o = first; o; o = o->next)
        if (!strcmp(argv[argc - 1], o->name))
            return o->run();
    return 126;
}
