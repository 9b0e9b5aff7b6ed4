/* SPDX-License-Identifier: MIT
 *
 * window_calls.S - where all hooked window calls arrive, with the copy of their stub in r11.
 *
 * The code saves the arguments and calls window_call. Then it jumps to the copy, with the stack as
 * the caller made it, because further arguments lie there.
 */
        .text
        .globl  window_call_entry
        .def    window_call_entry; .scl 2; .type 32; .endef
        .seh_proc window_call_entry
        .p2align 4
window_call_entry:
        subq    $136, %rsp
        .seh_stackalloc 136
        .seh_endprologue
        movaps  %xmm0, 32(%rsp)
        movaps  %xmm1, 48(%rsp)
        movaps  %xmm2, 64(%rsp)
        movaps  %xmm3, 80(%rsp)
        movq    %rcx, 96(%rsp)
        movq    %rdx, 104(%rsp)
        movq    %r8, 112(%rsp)
        movq    %r9, 120(%rsp)
        movq    %r11, 128(%rsp)
        call    window_call
        movaps  32(%rsp), %xmm0
        movaps  48(%rsp), %xmm1
        movaps  64(%rsp), %xmm2
        movaps  80(%rsp), %xmm3
        movq    96(%rsp), %rcx
        movq    104(%rsp), %rdx
        movq    112(%rsp), %r8
        movq    120(%rsp), %r9
        movq    128(%rsp), %r11
        addq    $136, %rsp
        jmp     *%r11
        .seh_endproc
