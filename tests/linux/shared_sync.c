/* SPDX-License-Identifier: MIT
 *
 * shared_sync.c - see shared_sync.h.
 */
#include "shared_sync.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t test;
static int out = -1;
static int in = -1;

const char *name_of(const char *what)
{
    static char names[8][NAME_ROOM];
    static int next;
    char *name = names[next++ % 8];

    if (!test)
        test = getpid();
    snprintf(name, NAME_ROOM, "umsshim shared %s %d", what, (int)test);
    return name;
}

struct partner partner_start(int (*body)(enum kind kind), enum kind kind)
{
    struct partner partner = {-1, -1, -1};
    int says[2];
    int told[2];

    name_of(""); /* the partner's names are this process's */
    if (!EXPECT_EQ(pipe(says), 0) || !EXPECT_EQ(pipe(told), 0))
        return partner;
    partner.process = fork();
    if (partner.process == 0) {
        close(says[0]);
        close(told[1]);
        out = says[1];
        in = told[0];
        _exit(body(kind));
    }
    close(says[1]);
    close(told[0]);
    partner.says = says[0];
    partner.told = told[1];
    return partner;
}

int run_on_kind(enum kind kind, void (*body)(void *unused))
{
    struct kind_thread thread;

    return !kind_start(&thread, kind, body, NULL) || !kind_join(&thread) || tc_failures();
}

void partner_ready(void)
{
    if (write(out, "", 1) != 1)
        _exit(90);
}

void partner_await(void)
{
    char byte;

    if (read(in, &byte, 1) != 1)
        _exit(91); /* the test has ended */
}

void expect_ready(struct partner *partner)
{
    char byte;

    EXPECT_EQ(read(partner->says, &byte, 1), 1);
}

void go_on(struct partner *partner)
{
    EXPECT_EQ(write(partner->told, "", 1), 1);
}

void expect_end(struct partner *partner, int code)
{
    int status = 0;

    EXPECT_EQ(waitpid(partner->process, &status, 0), partner->process);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), code);
    close(partner->says);
    close(partner->told);
}

void kill_partner(struct partner *partner)
{
    EXPECT_EQ(kill(partner->process, SIGKILL), 0);
    expect_end(partner, -SIGKILL);
}

unsigned find_words(_Atomic uint64_t **words, unsigned room)
{
    DIR *files = opendir("/proc/self/fd");
    unsigned count = 0;

    for (struct dirent *entry; files && count < room && (entry = readdir(files));) {
        char path[300];
        char file[300] = "";

        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, file, sizeof file - 1) > 0 && strstr(file, "memfd:umsshim-object"))
            words[count++] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  (int)strtol(entry->d_name, NULL, 10), 0);
    }
    if (files)
        closedir(files);
    return count;
}

bool is_waited_for(_Atomic uint64_t *words)
{
    enum { WAITING = 8, WORDS = 16 }; /* the bits of those that wait */
    for (int i = 0; i < WORDS; i++)
        if (atomic_load(&words[WAITING + i]))
            return true;
    return false;
}

void expect_waits(struct partner *partner, _Atomic uint64_t *words)
{
    int status = 0;

    while (!is_waited_for(words) && waitpid(partner->process, &status, WNOHANG) == 0)
        usleep(100); /* no other sign tells that the partner waits */
    EXPECT_OK(is_waited_for(words));
}
