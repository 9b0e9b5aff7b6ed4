/* SPDX-License-Identifier: MIT
 *
 * signal_frame.h - where the library's handlers of faults and trapped calls run, and where the
 * program's handlers run.
 *
 * The kernel calls the library's handler of a kept signal (signals/kept_action.h) on the thread's
 * alternate stack, if the thread has one. A carrier's is its own stack, which is free while a
 * context is loaded. A thread that carries its own scheduler gets one, unless the program has given
 * it one (os/signal_stack.h). So a signal needs no room on the stack that the context is on, which
 * may be at its end, or be any stack of the program's.
 *
 * A context must not leave its scheduler while it is on the carrier's stack: the next context's
 * signals are handled there. So
 *   a repair of the thread pointer   is made there, and returns at once (guard_entry.S)
 *   a trapped call                   has its frame moved first: below the trapped stack pointer, if
 *                                    that is in the worker's own stack with room for it; else to a
 *                                    stack that the worker has for such calls alone, made with the
 *                                    first of them
 *   a fault of the program's         has its frame moved to where its action wants it: to the
 *                                    alternate stack that the context has by its sigaltstack, or
 *                                    below the faulting stack pointer
 * A moved frame is as the kernel would have made it there: unwinders, debuggers and rt_sigreturn
 * find it so.
 *
 * Plain threads have the alternate stack that they gave the kernel. The library's handler runs
 * there even if the program's action does not ask for it: then the frame moves to the stack that
 * faulted.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_FRAME_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SIGNAL_FRAME_H

/* In a frame, behind the address to which the handler returns. Read by the assembler, too. */
#define SIGNAL_FRAME_CONTEXT 8
#define SIGNAL_FRAME_INFO 312
#define SIGNAL_FRAME_BYTES 448

/* In a ucontext_t. */
#define CONTEXT_R8 40
#define CONTEXT_R9 48
#define CONTEXT_R10 56
#define CONTEXT_R12 72
#define CONTEXT_R13 80
#define CONTEXT_R14 88
#define CONTEXT_R15 96
#define CONTEXT_RDI 104
#define CONTEXT_RSI 112
#define CONTEXT_RBP 120
#define CONTEXT_RBX 128
#define CONTEXT_RDX 136
#define CONTEXT_RAX 144
#define CONTEXT_RCX 152
#define CONTEXT_RSP 160
#define CONTEXT_RIP 168
#define CONTEXT_FLAGS 176
#define CONTEXT_STATE 224
/* In the extended state: whether there is more than FXSAVE's, how long it is then, and which
 * parts. */
#define STATE_MAGIC 464
#define STATE_LENGTH 468
#define STATE_FEATURES 472
#define STATE_IS_LONG 0x46505853

#ifdef __ASSEMBLER__
/* clang-format off */
/* Loads the extended state at \state, which is neither rax nor rdx: these are lost. */
        .macro  LOAD_STATE state
        cmpl    $STATE_IS_LONG, STATE_MAGIC(\state)
        jne     81f
        mov     STATE_FEATURES(\state), %eax
        mov     STATE_FEATURES + 4(\state), %edx
        xrstor64 (\state)
        jmp     82f
81:     fxrstor64 (\state)
82:
        .endm
/* clang-format on */
#endif

#ifndef __ASSEMBLER__

#include <signal.h>
#include <ucontext.h>

      /* Called by trap_entry.S. Returns the place to which it has moved the frame; NULL: it
       * stays. */
      __attribute__((used)) void *trap_place(const siginfo_t *info, ucontext_t *trapped);
/* Called by fault_entry.S: the same for a signal whose handler is the program's. Returns `context`
 * itself where the signal has to end the process. */
__attribute__((used)) void *fault_place(int number, const siginfo_t *info, ucontext_t *context);

#endif
#endif
