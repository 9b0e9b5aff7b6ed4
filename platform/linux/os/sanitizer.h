/* SPDX-License-Identifier: MIT
 *
 * sanitizer.h - what the address sanitizer must be told about stacks of ours. Nothing in other
 * builds.
 *
 * A thread pointer and its stack travel together, so the sanitizer finds the right bounds for every
 * worker and scheduler by itself, and needs no annotations. It cannot know:
 *   - the program's fibers, which fiber.c tells it of;
 *   - threads that are made without its pthread_create: those of this library, and bare threads
 *     (bare_thread.c), which libc does not know either. sanitizer.c answers __asan_handle_no_return
 *     for code of this library;
 *   - memory that comes from the kernel or from libc's cache of stacks: what a stack that lay there
 *     before has left in the shadow still counts;
 *   - frames of a worker that was ended from outside: nobody leaves them one by one.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SANITIZER_H
#define UMSSHIM_PLATFORM_LINUX_OS_SANITIZER_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);
#define SANITIZER_FRESH(start, bytes) __asan_unpoison_memory_region(start, bytes)
/* Nothing lives on the calling thread's stack below the caller's frame. */
void sanitizer_stack_is_left(void);
#define SANITIZER_STACK_IS_LEFT() sanitizer_stack_is_left()
/* The same at the beginning of a thread that is to be created: another main and argument, to be
 * given back if there is no thread after all. */
void sanitizer_wrap(void *(**main)(void *), void **arg, size_t stack_bytes);
void sanitizer_not_started(void *(*main)(void *), void *arg);
#define SANITIZER_WRAP(main, arg, stack_bytes) sanitizer_wrap(&(main), &(arg), stack_bytes)
#define SANITIZER_NOT_STARTED(main, arg) sanitizer_not_started(main, arg)
#else
#define SANITIZER_WRAP(main, arg, stack_bytes) ((void)0)
#define SANITIZER_NOT_STARTED(main, arg) ((void)0)
#define SANITIZER_FRESH(start, bytes) ((void)(start), (void)(bytes))
#define SANITIZER_STACK_IS_LEFT() ((void)0)
#endif

#endif
