/* SPDX-License-Identifier: MIT
 *
 * native.h - what the tests here ask of the system in the system's own words: channels that carry
 * numbers, a short sleep, a lock. Each system has its file, native_linux.c and native_windows.c.
 */
#ifndef UMSSHIM_TESTS_STRESS_NATIVE_H
#define UMSSHIM_TESTS_STRESS_NATIVE_H

#include <windows.h>

#include <stdbool.h>
#include <stdint.h>

/* Read by any thread that comes; reading an empty one waits. */
struct native_channel {
    intptr_t ends[2]; /* to read, to write */
    bool other_kind;
};

/* Two kinds of channel that the system waits for in different ways. */
bool native_open(struct native_channel *channel, bool other_kind);
void native_close(struct native_channel *channel);
bool native_send(struct native_channel *channel, int value);
bool native_receive(struct native_channel *channel, int *value);
/* Looks whether there is something, for so long at most; takes nothing. */
bool native_look(struct native_channel *channel, int milliseconds);

bool native_sleep(unsigned nanoseconds);

/* Waits while the word is 0, by the system's way to wait for an address; wakes whoever does. */
void native_await(int *word);
void native_wake(int *word);

/* Whether a thread may be ended in native_await, native_sleep or EnterCriticalSection, while it
 * waits for a channel of the first kind, or while it ends by itself: false where the system keeps a
 * list of waiters on their own stacks, which go with them, or leaves its locks with a thread that
 * is ended. */
bool native_forgets_waiters(void);

/* Reads a page of a file that is not in memory, if that can be. */
bool native_touch_page(void);

/* Whether a child process made by fork can use UMS, and ends. True where the system has no fork. */
bool native_fork_works(void);

/* A lock of the system's that is neither a mutex object nor a critical section. */
bool native_lock(void);
bool native_unlock(void);

/* The id by which the system knows the calling thread. */
DWORD native_thread_id(void);

#endif
