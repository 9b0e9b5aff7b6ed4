/* SPDX-License-Identifier: MIT
 *
 * system.h - what a trace needs of the system beside the seam (platform.h): a file, a thread,
 * memory that is there. Each engine has it in its os/.
 *
 * Errors are the system's own numbers; 0 is none.
 */
#ifndef UMSSHIM_PLATFORM_TRACE_SYSTEM_H
#define UMSSHIM_PLATFORM_TRACE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of an environment variable. False: it is not set, empty, too long, or not to be
 * trusted. */
bool system_variable(const char *name, char *value, size_t room);
/* Calls told with each variable that is to be trusted, as NAME=value; the name in capitals where
 * the system does not tell them from small letters. */
void system_variables(void (*told)(const char *text));

/* One file at a time, for writing, made anew; the program does not meet its descriptor. */
int system_file_create(const char *path);
/* All of it, or an error. `place`: where the caller's bytes end so far, or less where a thread was
 * ended in the middle of this and it is done again. */
int system_file_write(uint64_t place, const void *data, size_t bytes);
void system_file_close(void);
const char *system_error_text(int error);

/* A thread of ours that the program has nothing to do with. */
int system_thread_start(void (*run)(void));
/* In such a thread. */
void system_rest(unsigned milliseconds);

/* Zeroes that are there already, and need not be brought one by one when they are touched. NULL: no
 * memory. */
void *system_pages(size_t bytes);

/* The program's command line, or its beginning; empty where it is not to be had. */
void system_command_line(char *line, size_t room);
uint64_t system_wall_clock(void); /* nanoseconds since 1970 */
uint32_t system_process(void);    /* its id */

/* Return addresses of the calling thread, the innermost first; how many. No lock, no heap.
 * system_calls_ready comes before, once. */
bool system_calls_ready(void);
unsigned system_calls(void **addresses, unsigned most);
/* Calls told(name, base, bytes) for each file of code that is loaded. */
void system_modules(void (*told)(const char *name, uint64_t base, uint64_t bytes));
/* The module that this code belongs to. */
bool system_is_ours(const void *code);

#endif
