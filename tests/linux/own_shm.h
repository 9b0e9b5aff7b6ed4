/* SPDX-License-Identifier: MIT
 *
 * own_shm.h - a child that has a /dev/shm of its own, and processes in it that hold sections by
 * their names. Only root can do that, and only if it may become nobody. For other users such a test
 * is skipped.
 */
#ifndef UMSSHIM_TESTS_LINUX_OWN_SHM_H
#define UMSSHIM_TESTS_LINUX_OWN_SHM_H

#include <windows.h>

#include "child.h"
#include "gtest_c.h"

#include <stdbool.h>
#include <sys/types.h>

enum { LIMIT_MS = 20000, NOBODY = 65534, BYTES = 4096, NO_PLACE = 77 };

HANDLE make_section(const char *name);
HANDLE find_section(const char *name);

/* Mounts an empty file system there, which this process and its children see. */
bool own_place(const char *place);
/* The body's code is NO_PLACE where own_place has failed. `line`, or NULL, is in what it writes. */
void in_own_place(child_body body, const char *line);
/* How many entries there are; the last one's path. */
int entries(const char *folder, char *last, size_t room);

/* In a process of its own, which this waits for: ends with this code, or by -signal. */
bool other_process(int (*body)(void), int expected);

/* A process that does something, is there until it is told to go, and ends with 0 then. */
struct held {
    pid_t process;
    int ends; /* written to: it is to go */
};
/* True: its body has returned 0. */
bool hold(struct held *held, int (*body)(void));
void let_go(struct held *held);
/* By a signal. */
void kill_held(struct held *held);

#endif
