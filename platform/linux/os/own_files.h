/* SPDX-License-Identifier: MIT
 *
 * own_files.h - the library's own descriptors: where they lie, and how they are kept from the
 * program.
 *
 * Programs close numbers that they never opened (all of them, before an exec), and put files on
 * numbers of their choice. The library's lie above the limit of the process, where dup2 and loops
 * do not reach, if that can be raised for a moment; else at high numbers below it. Which numbers
 * are its own is noted, and close_front.c looks there. Any thread.
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
/* The first from this number on, or -1. */
int own_file_from(unsigned fd);

void own_file_note(int fd);

/* Duplicates the program's file onto a number from `lowest` on that is noted as the library's
 * beforehand: so a child that is forked at any moment closes it. `blank`: any file of the
 * library's, which reserves such a number until then. -EMFILE or the like: there is no number. */
long own_file_duplicate(int fd, int blank, unsigned lowest);
/* Closes the file. Its number may be kept for another one. */
void own_file_let_go(int number, int blank);
/* True: the number was kept for duplicates, and is free for the program now. */
bool own_file_give_up_spare(int number);
/* In a child after fork: closes duplicates, and ends what another thread had begun. */
void own_files_forget(void);

int fd_move_high(int fd); /* out of the program's way, and noted; -1 for -1 */
void own_file_close(long fd);

/* While the process has one thread: makes the kernel's table of descriptors as large as our numbers
 * need it. With several threads the kernel waits for all processors before it changes tables, which
 * takes 5 to 20 ms. The file is one of our own, for closing another could drop record locks. */
void own_files_room(void);

#endif
