/* SPDX-License-Identifier: MIT
 *
 * file_habits.h - how long calls on a file are likely to take, by its kind and by how long its last
 * calls took.
 *
 * A call on NUL never waits. Reads and writes of disk files, and writes to anything, are expected
 * to be short until one was long. Other calls are expected to be long until a few in a row were
 * short. Each time that a call was long unexpectedly, twice as many short ones have to come before
 * the next is expected to be short. So a reader that waits most of the time is reported at once,
 * and one that rarely waits rarely holds its scheduler up.
 *
 * A write is given much more time than others. Programs write with a lock that their scheduler
 * wants as well (that of stdout), so if the engine reports such a call only because the machine is
 * busy, the program may stop for good. Once a write on a handle has really waited (its pipe was
 * full), its writes get no more time than other calls.
 *
 * A call is short if it takes less than a moment. A moment is twice the cost of a report to the
 * scheduler. The engine measures it once: some microseconds on Windows, and ten to a hundred times
 * that where another process keeps the objects.
 *
 * Habits are kept by the handle's value, and handles whose values are far apart share one. A wrong
 * habit costs time, nothing else.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_FILE_HABITS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_FILE_HABITS_H

#include "platform/windows/engine.h"

enum file_kind {
    KIND_UNKNOWN,     /* not asked, or the system does not tell */
    KIND_NEVER_WAITS, /* NUL */
    KIND_OVERLAPPED,  /* the call only begins the operation, which belongs to the calling thread */
    KIND_ON_DISK,
    KIND_OTHER /* pipes, sockets, consoles, devices */
};

enum file_operation { FILE_READS, FILE_WRITES, FILE_CONTROLS, FILE_OPERATIONS };

struct file_habit {
    _Atomic uint8_t shorts; /* so many short calls in a row, up to 255 */
    _Atomic uint8_t lapses; /* how often a call was long that was expected to be short, up to a
                             * limit */
};

/* Asks the system: two system calls, if the answer is not kept from before. They may wait for
 * another thread's call on the file. */
enum file_kind file_kind_of(HANDLE file);
/* The answer that is kept from before, or UNKNOWN. It is kept until the handle is closed, which
 * only the hooks of in-place switching see. */
enum file_kind file_kind_known(HANDLE file);
struct file_habit *file_habit_of(HANDLE file, enum file_operation operation);

/* How long a scheduler should wait for its worker's call, in ns; 0: not at all. PATIENCE_ASK: the
 * caller asks the system for the file's kind, and asks here again. */
enum { PATIENCE_ASK = 1 };
uint64_t file_patience(const struct file_habit *habit, enum file_kind kind,
                       enum file_operation operation);

/* At the engine's start, before there are hooks. */
void file_habits_start(void);
/* For how long a scheduler waits for a call that is taken for a short one, in ns. */
uint64_t file_moment(void);

/* The same, in ns, while the worker asks the system what kind of file it is. */
uint64_t file_asking_patience(enum file_operation operation);

/* Notes how long a call took. lapsed: its scheduler waited for it in vain, and was told. */
void file_learn(struct file_habit *habit, uint64_t ns, bool lapsed);

#endif
