/* SPDX-License-Identifier: MIT
 *
 * keepers.S - functions of ntdll, and those of kernelbase around its system calls, as a compiler
 * may make them: the address of the thread's block is taken into a register that calls preserve,
 * before the function waits, and is used after it. See teb.c. None has more than five arguments.
 */
        .text

        .macro  KEEPER name
        .globl  keep_\name
        .def    keep_\name; .scl 2; .type 32; .endef
        .seh_proc keep_\name
        .p2align 4
keep_\name:
        pushq   %rbx
        .seh_pushreg %rbx
        subq    $48, %rsp
        .seh_stackalloc 48
        .seh_endprologue
        movq    0x60(%rsp), %rax /* the fifth argument, where there is one */
        movq    %rax, 0x20(%rsp)
        movq    %gs:0x30, %rbx
        callq   *kept_\name(%rip)
        cmpq    %gs:0x30, %rbx
        jne     1f
        addq    $48, %rsp
        popq    %rbx
        retq
1:      leaq    name_\name(%rip), %rcx
        callq   teb_was_lost
        ud2
        .seh_endproc
        .section .rdata
name_\name:
        .asciz  "\name"
        .data
        .globl  kept_\name
kept_\name:
        .quad   0
        .text
        .endm

        KEEPER RtlEnterCriticalSection
        KEEPER RtlAcquireSRWLockExclusive
        KEEPER RtlAcquireSRWLockShared
        KEEPER RtlSleepConditionVariableCS
        KEEPER RtlSleepConditionVariableSRW
        KEEPER RtlWaitOnAddress
        KEEPER RtlRunOnceExecuteOnce
        KEEPER RtlAllocateHeap
        KEEPER RtlFreeHeap
        KEEPER LdrUnloadDll
        KEEPER NtDelayExecution
        KEEPER NtWaitForSingleObject
        KEEPER NtWaitForMultipleObjects
        KEEPER NtSignalAndWaitForSingleObject
        KEEPER NtRemoveIoCompletion
