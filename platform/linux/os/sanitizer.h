/* SPDX-License-Identifier: MIT
 *
 * sanitizer.h - tells the address sanitizer about the library's stacks. Does nothing in other
 * builds.
 *
 * A thread pointer and its stack travel together, so the sanitizer finds the right bounds for every
 * worker and scheduler by itself, and needs no annotations. It cannot know:
 *   - the program's fibers, of which fiber.c tells it;
 *   - threads that are made without its pthread_create: those of this library, and bare threads
 *     (bare_thread.c), which libc does not know either. sanitizer.c has __asan_handle_no_return for
 *     code of this library;
 *   - memory that comes from the kernel or from libc's cache of stacks: the shadow of a stack that
 *     lay there before still counts;
 *   - frames of a worker that was ended from outside: they are not left one by one.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SANITIZER_H
#define UMSSHIM_PLATFORM_LINUX_OS_SANITIZER_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);
#define SANITIZER_FRESH(start, bytes) __asan_unpoison_memory_region(start, bytes)
/* Tells that nothing lives on the calling thread's stack below the caller's frame. */
void sanitizer_stack_is_left(void);
#define SANITIZER_STACK_IS_LEFT() sanitizer_stack_is_left()
/* The same for the beginning of a thread that is to be created. Replaces its main and argument;
 * sanitizer_not_started undoes that if no thread is made. */
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
