/* SPDX-License-Identifier: MIT
 *
 * recorder.c - which function of the library was entered, from where, and left: what gcc's -finstrument-functions calls.
 *
 * It runs wherever the library's code does: on carriers, between stacks, below the filter. So it uses nothing but
 * its own memory. Only the thread that has armed it is recorded, however many contexts run on that thread.
 */
#include "recorder.h"

#include <stddef.h>
#include <stdint.h>
#ifndef _WIN32
#endif

static struct walk_record records[WALK_MAX];
static _Atomic unsigned count;
static _Atomic int armed;
static uintptr_t of_armed; /* what this_thread() says there */

#ifdef _WIN32
/* The TEB's address stays the thread's, whichever context runs on it. */
static uintptr_t this_thread(void)
{
    uintptr_t teb;
    __asm__ volatile("mov %%gs:0x30, %0" : "=r"(teb));
    return teb;
}

__declspec(dllexport) void walk_arm(void)
{
    of_armed = this_thread();
    count = 0;
    armed = 1;
}

__declspec(dllexport) unsigned walk_disarm(const struct walk_record **first)
{
    armed = 0;
    *first = records;
    return count;
}
#else
/* The thread pointer goes with the context; gs is nobody's, and stays with the kernel thread. */
static uintptr_t this_thread(void)
{
    return __builtin_ia32_rdgsbase64();
}

void walk_arm(void)
{
    of_armed = (uintptr_t)&of_armed;
    __builtin_ia32_wrgsbase64(of_armed);
    count = 0;
    armed = 1;
}

unsigned walk_disarm(const struct walk_record **first)
{
    armed = 0;
    __builtin_ia32_wrgsbase64(0);
    *first = records;
    return count;
}
#endif

static void record(void *function, void *call_site)
{
    if (armed && this_thread() == of_armed && count < WALK_MAX)
        records[count++] = (struct walk_record){function, call_site};
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    record(function, call_site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    record(function, NULL);
}
