/* SPDX-License-Identifier: MIT
 *
 * front_table.S - the fronts in the order of front.def (front_ours), and the symbols of names that
 * have more than one version. An older version's symbol is a jump, and so is the one that release
 * 0.1.0 exported.
 */
#define FRONT(name) .quad name ;
#define FRONT_VERSION(name, version) .quad name ;
#define FRONT_OLD(name, version, function) .quad function ;
#define FRONT_SAME(name, version)
        .section .data.rel.ro, "aw"
        .globl  front_ours
        .hidden front_ours
        .type   front_ours, @object
        .balign 8
front_ours:
#include "platform/linux/os/front.def"
        .size   front_ours, . - front_ours
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
#include "platform/linux/os/front.def"
        .section .note.GNU-stack, "", @progbits
