/* SPDX-License-Identifier: MIT
 *
 * thread_keys.h - pthread keys of the program's: their values at a worker's end.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_KEYS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct home;

/* Whether a value of that age is one of a key that is remembered here. */
bool key_is_remembered(unsigned key, uintptr_t age);
/* Whether the thread of that home has a value of such a key. */
bool keys_have_values(const struct home *home);
/* On the worker that ends: calls the destructors as POSIX has it, round after round; no such key
 * has a value afterwards. */
void keys_destroy_values(void);

#endif
