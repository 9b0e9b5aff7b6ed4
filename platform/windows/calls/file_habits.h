/* SPDX-License-Identifier: MIT
 *
 * file_habits.h - how long calls on a file are likely to take: by what it is, and by what its last
 * calls took.
 *
 * A call on NUL never waits. Reads and writes of disk files, and writes to anything, are taken for
 * short until one was not; other calls until then for long, a few short ones in a row make them
 * taken for short. Each time that one which was taken for short turns out long, it takes twice as
 * many to be trusted again. So a reader that waits most of the time is reported at once, and one
 * that rarely waits holds its scheduler up rarely.
 *
 * A write is given much more time than others. Programs write with a lock that their scheduler
 * wants as well (that of stdout), so a report that comes only because the machine is busy may stop
 * them for good. Once such a handle has really waited (its pipe was full), it gets no more time
 * than others.
 *
 * Short depends on the system: a moment is twice what a report to the scheduler costs,
 * which is some microseconds on Windows, and ten to a hundred times that where another process
 * keeps the objects. It is measured once.
 *
 * Habits are kept by the handle's value and shared by those far apart; nothing depends on them but
 * time.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_FILE_HABITS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_FILE_HABITS_H

#include "platform/windows/engine.h"

enum file_kind {
    KIND_UNKNOWN,     /* not asked, or the system does not tell */
    KIND_NEVER_WAITS, /* NUL; or opened for overlapped input and output: the call only begins it, */
    KIND_OVERLAPPED,  /* which belongs to the thread that makes it */
    KIND_ON_DISK,
    KIND_OTHER /* pipes, sockets, consoles, devices */
};

enum file_operation { FILE_READS, FILE_WRITES, FILE_CONTROLS, FILE_OPERATIONS };

struct file_habit {
    _Atomic uint8_t shorts; /* so many in a row, up to 255 */
    _Atomic uint8_t lapses; /* so often one was long that was taken for short, up to a limit */
};

/* Asks the system: two system calls, if the answer is not kept from before. They may wait for
 * another thread's call on the file. */
enum file_kind file_kind_of(HANDLE file);
/* What is kept from before (until the handle is closed, which is seen in place only); else
 * UNKNOWN. */
enum file_kind file_kind_known(HANDLE file);
struct file_habit *file_habit_of(HANDLE file, enum file_operation operation);

/* How long a scheduler should wait for its worker's call, ns; 0: not at all. PATIENCE_ASK: the
 * caller asks the system for the file's kind, and asks here again. */
enum { PATIENCE_ASK = 1 };
uint64_t file_patience(const struct file_habit *habit, enum file_kind kind,
                       enum file_operation operation);

/* At the engine's start, before there are hooks. */
void file_habits_start(void);
/* For how long a scheduler waits for a call that is taken for a short one, in ns. */
uint64_t file_moment(void);

/* The same while the system is asked what kind of file it is, in ns. */
uint64_t file_asking_patience(enum file_operation operation);

/* Notes how long a call took. lapsed: its scheduler waited for it in vain, and was told. */
void file_learn(struct file_habit *habit, uint64_t ns, bool lapsed);

#endif
