/* SPDX-License-Identifier: MIT
 *
 * thread_keys.h - pthread keys of the program's: their values at a worker's end.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_KEYS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct home;

/* Whether a value of that age belongs to a remembered key. */
bool key_is_remembered(unsigned key, uintptr_t age);
/* Whether the home's thread has a value of a remembered key. */
bool keys_have_values(const struct home *home);
/* A worker that ends calls this. It calls the destructors as POSIX has it, round after round.
 * Afterwards no remembered key has a value. */
void keys_destroy_values(void);

#endif
