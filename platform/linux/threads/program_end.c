/* SPDX-License-Identifier: MIT
 *
 * program_end.c - a process ends with the last of its own threads, as on Windows and as without
 * this library.
 *
 * libc ends a process with its last thread. That suffices until the engine has threads, which libc
 * counts as the program's. From then on the library counts, and the last thread's end calls exit.
 * So it counts every thread from its creation. A program that makes no call of this library still
 * ends by libc, even if libc has made threads that the library did not see.
 *
 *   made by pthread_create, thrd_create   its creator counts it; at its end (identity_front.c) it
 *                                         gets a thread object if the engine runs, else it is
 *                                         counted off at once
 *   with a thread object                  counted off by the end of the object (thread.c)
 *   the one that loads this library       counted at load; at its end the same
 *   strangers: there before this library  not counted, but known by id: the end waits for them
 */
#include <stdlib.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/task_list.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/threads/program_end.h"

static pid_t *strangers;
static unsigned stranger_count;
static int end_code;

void program_thread_leaves(void)
{
    if (plat_tls.thread)
        return; /* the end of its object counts it off */
    if (engine_runs() && thread_current())
        return;
    plat_tls.counting.counted = false; /* a destructor may still give it an object */
    program_thread_ended(plat_tls.counting.at);
}

static bool strangers_left(void)
{
    long self = own_pid();
    for (unsigned i = 0; i < stranger_count; i++)
        if (RAW3(SYS_tgkill, self, strangers[i], 0) == 0)
            return true;
    return false;
}

/* On the broker thread, again and again until it says true. */
static bool end_when_alone(void)
{
    if (program_has_threads())
        return true; /* a stranger has made a thread, whose end asks again */
    if (!strangers_left())
        exit(end_code);
    return false;
}

void program_end(uint32_t code)
{
    if (!engine_runs() && !code)
        return;
    if (!strangers_left())
        exit((int)code);
    end_code = (int)code;
    if (engine_runs())
        broker_post(POST_PROGRAM_END, end_when_alone);
}

void program_threads_forget(void)
{
    plat_tls.counting.counted = true;
    stranger_count = 0;
    program_threads_reset();
}

/* ---- At load --------------------------------------------------------------------------------- */

static void remember_strangers(void)
{
    struct task_list list;
    if (task_list_open(&list))
        return;
    task_list_complete(&list);
    pid_t own = own_tid();
    strangers = malloc(list.count * sizeof *strangers);
    for (size_t i = 0; strangers && i < list.count; i++)
        if (list.tids[i] != own)
            strangers[stranger_count++] = list.tids[i];
    task_list_close(&list);
}

/* Runs among the destructors of C++'s thread-local objects, before those of pthread keys, so it
 * needs no key. It also runs when the thread calls exit, where it does no harm. */
static void loader_leaves(void *unused)
{
    (void)unused;
    program_thread_leaves();
}

static __attribute__((constructor)) void at_load(void)
{
    extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
    extern void *__dso_handle __attribute__((visibility("hidden")));
    plat_tls.counting.counted = true;
    __cxa_thread_atexit_impl(loader_leaves, NULL, &__dso_handle);
    if (!__libc_single_threaded)
        remember_strangers();
}
