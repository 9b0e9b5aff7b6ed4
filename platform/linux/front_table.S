/* SPDX-License-Identifier: MIT
 *
 * front_table.S - front.def as a table (struct front_row in front.h), and the symbols of names that
 * have more than one version: an older one, and the one that release 0.1.0 exported, are jumps.
 */
        .macro  ROW name, version, ours
        .pushsection .rodata.str, "aMS", @progbits, 1
771:    .asciz  "\name"
        .popsection
        .ifnb   \version
        .pushsection .rodata.str, "aMS", @progbits, 1
772:    .asciz  "\version"
        .popsection
        .quad   771b, 772b, \ours
        .else
        .quad   771b, 0, \ours
        .endif
        .endm

#define FRONT(name) ROW name, , name ;
#define FRONT_VERSION(name, version) ROW name, version, name ;
#define FRONT_OLD(name, version, function) ROW name, version, function ;
#define FRONT_SAME(name, version)
        .section .data.rel.ro, "aw"
        .globl  front_rows
        .hidden front_rows
        .type   front_rows, @object
        .balign 8
front_rows:
#include "platform/linux/front.def"
        .size   front_rows, . - front_rows
#undef FRONT
#undef FRONT_VERSION
#undef FRONT_OLD
#undef FRONT_SAME

        .macro  JUMP symbol, name, version, to
        .globl  \symbol
        .type   \symbol, @function
        .balign 16
\symbol:
        .cfi_startproc
        jmp     \to
        .cfi_endproc
        .size   \symbol, . - \symbol
        .symver \symbol, \name@\version, remove
        .endm

#define FRONT(name)
#define FRONT_VERSION(name, version) JUMP name##_umsshim_0, name, UMSSHIM_0, name ;
#define FRONT_OLD(name, version, function) JUMP function##_jump, name, version, function ;
#define FRONT_SAME(name, version) JUMP name##_same, name, version, name ;
        .text
#include "platform/linux/front.def"
        .section .note.GNU-stack, "", @progbits
