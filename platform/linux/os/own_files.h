/* SPDX-License-Identifier: MIT
 *
 * own_files.h - the library's own descriptors: their numbers, and how the program is kept from
 * them.
 *
 * Programs close numbers that they never opened (all of them, before an exec), and put files on
 * numbers of their choice. The library's numbers lie above the limit of the process, where dup2 and
 * loops do not reach, if the limit can be raised for a moment. Else they are high numbers below it.
 * A table notes the library's numbers, and close_front.c looks there. Any thread.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_OWN_FILES_H
#define UMSSHIM_PLATFORM_LINUX_OS_OWN_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { OWN_FILES = 8192 }; /* higher numbers are not noted */
enum { FIRST_DUPLICATE = 512 };
extern _Atomic uint64_t own_files[OWN_FILES / 64];

static inline bool file_is_own(int fd)
{
    return (unsigned)fd < OWN_FILES &&
           atomic_load_explicit(&own_files[(unsigned)fd / 64], memory_order_relaxed) >> fd % 64 & 1;
}
/* The library's first number from this one on, or -1. */
int own_file_from(unsigned fd);

/* Duplicates the program's file to a number from `lowest` on. The number is noted as the library's
 * before, so a child that is forked at any moment closes it. `blank` is any file of the library's;
 * it reserves the number until then. Returns the number, or -EMFILE or the like if there is
 * none. */
long own_file_duplicate(int fd, int blank, unsigned lowest);
/* Closes such a duplicate. Its number may be kept for another one. */
void own_file_let_go(int number, int blank);
/* True: the number was kept for duplicates, and is free for the program now. */
bool own_file_give_up_spare(int number);
/* In a child after fork: closes duplicates, and restores the limit if another thread had raised
 * it. */
void own_files_forget(void);

int fd_move_high(int fd); /* moves the file to a high number and notes that; -1 for -1 */
void own_file_close(long fd);

/* While the process has one thread: makes the kernel's table of descriptors large enough for our
 * numbers. With several threads the kernel waits for all processors before it changes the table,
 * which takes 5 to 20 ms. It opens and closes a file of its own, since to close another could drop
 * record locks. */
void own_files_room(void);

#endif
