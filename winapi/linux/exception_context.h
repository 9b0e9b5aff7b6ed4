/* SPDX-License-Identifier: MIT
 *
 * exception_context.h - offsets in a CONTEXT, for the assembler.
 */
#ifndef UMSSHIM_WINAPI_LINUX_EXCEPTION_CONTEXT_H
#define UMSSHIM_WINAPI_LINUX_EXCEPTION_CONTEXT_H

#define IN_CONTEXT_FLAGS 0x30
#define IN_CONTEXT_MXCSR 0x34
#define IN_CONTEXT_CS 0x38
#define IN_CONTEXT_DS 0x3a
#define IN_CONTEXT_ES 0x3c
#define IN_CONTEXT_FS 0x3e
#define IN_CONTEXT_GS 0x40
#define IN_CONTEXT_SS 0x42
#define IN_CONTEXT_EFLAGS 0x44
#define IN_CONTEXT_RAX 0x78
#define IN_CONTEXT_RCX 0x80
#define IN_CONTEXT_RDX 0x88
#define IN_CONTEXT_RBX 0x90
#define IN_CONTEXT_RSP 0x98
#define IN_CONTEXT_RBP 0xa0
#define IN_CONTEXT_RSI 0xa8
#define IN_CONTEXT_RDI 0xb0
#define IN_CONTEXT_R8 0xb8
#define IN_CONTEXT_R9 0xc0
#define IN_CONTEXT_R10 0xc8
#define IN_CONTEXT_R11 0xd0
#define IN_CONTEXT_R12 0xd8
#define IN_CONTEXT_R13 0xe0
#define IN_CONTEXT_R14 0xe8
#define IN_CONTEXT_R15 0xf0
#define IN_CONTEXT_RIP 0xf8
#define IN_CONTEXT_STATE 0x100
#define CONTEXT_BYTES 0x4d0
#define FULL_AND_SEGMENTS 0x10000f

#endif
