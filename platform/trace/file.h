/* SPDX-License-Identifier: MIT
 *
 * file.h - the file of a trace (trace.h says what is in it): its life in a process.
 */
#ifndef UMSSHIM_PLATFORM_TRACE_FILE_H
#define UMSSHIM_PLATFORM_TRACE_FILE_H

#include "platform/platform.h"

/* Opens the file and begins to record, if UMSSHIM_TRACE is set: to the file's name, behind which
 * options may stand, as in "trace,ring=64,stacks=6". An option begins with a comma and a word and
 * "=", and has no slash in it; another comma is a part of the name. At the first call of the
 * engine; tell() is to tell names (ring.h). On an error one line says so, and nothing is
 * recorded. */
void trace_open(void (*tell)(void));
/* The thread that fills the file: as soon as there may be one. */
void trace_start(void);
/* The process ends, by exit: writes what is left. alone: all other threads are gone, wherever they
 * were. */
void trace_end(bool alone);
/* A child after fork is not traced: its file is its parent's. */
void trace_forget(void);

#endif
