/* SPDX-License-Identifier: MIT
 *
 * unwinding.h - how frames of this library learn that the stack is unwound through them.
 *
 * pthread_exit and a cancellation unwind the stack. Libc takes libgcc's unwinder for that, even if
 * another one's functions (libunwind's) stand before libgcc's by name. __attribute__((cleanup))
 * does not work then: its personality routine and the end of its landing pad find the other
 * unwinder's functions by name, and give them libgcc's data. So the frames here have personality
 * routines of their own, which call no unwinder. Each calls one function, on the stack that is
 * being unwound, and unwinding goes on if that returns.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_UNWINDING_H
#define UMSSHIM_PLATFORM_LINUX_OS_UNWINDING_H

/* The frames: a worker's first, an activation's, a fiber's first, that of a thread that the program
 * made, and the handler thread's. */
enum unwinding_frame {
    UNWINDING_WORKER,
    UNWINDING_ENTRY,
    UNWINDING_FIBER,
    UNWINDING_THREAD,
    UNWINDING_HANDLER
};

/* Sets the function that such a frame's personality calls. To be called before there is such a
 * frame; to repeat it does no harm. */
void unwinding_calls(enum unwinding_frame frame, void (*function)(void));

/* The personality routines; only their addresses are used. */
extern const char worker_personality[] __attribute__((visibility("hidden")));
extern const char entry_personality[] __attribute__((visibility("hidden")));
extern const char fiber_personality[] __attribute__((visibility("hidden")));
extern const char thread_personality[] __attribute__((visibility("hidden")));
extern const char handler_personality[] __attribute__((visibility("hidden")));

/* Gives the function that it stands in that personality. It stands right before the call that may
 * unwind. The function must do something after that call, or the compiler makes the call a jump.
 * pre: the function is not inlined, and has no __attribute__((cleanup)). */
#define UNWINDING_RUNS(personality)                                                                \
    __asm__ volatile(".cfi_personality 0x1b, %c0" : : "i"(personality))

#endif
