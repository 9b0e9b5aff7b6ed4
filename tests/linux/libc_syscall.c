/* SPDX-License-Identifier: MIT
 *
 * libc_syscall.c - see libc_syscall.h.
 */
#include "fleet.h"
#include "gtest_c.h"
#include "is_set.h"
#include "libc_syscall.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

void *libcs_syscall;

static __attribute__((constructor)) void find_syscall(void)
{
    libcs_syscall = dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "syscall", "GLIBC_2.2.5");
}

/* The first instructions of `syscall` move its parameters; the last of them makes room for a jump. */
bool syscall_rewritten(void)
{
    const unsigned char *code = libcs_syscall;

    for (int i = 0; i < 48; i++)
        if (code[i] == 0xe9 && code[i + 5] == 0x0f && code[i + 6] == 0x05)
            return true;
    return false;
}

void expect_rewritten(void)
{
    EXPECT_EQ(syscall_rewritten(), !is_set("UMSSHIM_FRONT", "functions"));
}

bool calls_are_trapped(void)
{
    return is_set("UMSSHIM_DETECT", "traps");
}

__asm__(
    ".text\n"
    ".globl make_call\n"
    ".type make_call, @function\n"
    "make_call:\n"
    "    .cfi_startproc\n"
    "    push %rbx\n .cfi_adjust_cfa_offset 8\n .cfi_rel_offset rbx, 0\n"
    "    mov %rdi, %rbx\n"
    "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    vmovdqu 56+32*\\n(%rbx), %ymm\\n\n"
    "    .endr\n"
    "    fldl 568(%rbx)\n"
    "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    mov 576+8*\\n(%rbx), %rax\n"
    "    mov %rax, -144+8*\\n(%rsp)\n" /* below the sixth argument and the return address */
    "    .endr\n"
    "    mov 0(%rbx), %rdi\n mov 8(%rbx), %rsi\n mov 16(%rbx), %rdx\n mov 24(%rbx), %rcx\n"
    "    mov 32(%rbx), %r8\n mov 40(%rbx), %r9\n pushq 48(%rbx)\n .cfi_adjust_cfa_offset 8\n"
    "    std\n"
    "    call *libcs_syscall(%rip)\n"
    "    mov %rax, 704(%rbx)\n"
    "    pushfq\n .cfi_adjust_cfa_offset 8\n"
    "    pop %rax\n .cfi_adjust_cfa_offset -8\n cld\n mov %rax, 1408(%rbx)\n"
    "    mov %rdi, 712(%rbx)\n mov %rsi, 720(%rbx)\n mov %rdx, 728(%rbx)\n mov %r10, 736(%rbx)\n"
    "    mov %r8, 744(%rbx)\n mov %r9, 752(%rbx)\n"
    "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "    vmovdqu %ymm\\n, 760+32*\\n(%rbx)\n"
    "    .endr\n"
    "    vzeroupper\n"
    "    fstpl 1272(%rbx)\n"
    "    add $8, %rsp\n .cfi_adjust_cfa_offset -8\n"
    "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14\n"
    "    mov -144+8*\\n(%rsp), %rax\n"
    "    mov %rax, 1280+8*\\n(%rbx)\n"
    "    .endr\n"
    "    pop %rbx\n .cfi_adjust_cfa_offset -8\n"
    "    ret\n"
    "    .cfi_endproc\n"
    ".size make_call, . - make_call\n");
_Static_assert(offsetof(struct machine, vectors) == 56 && offsetof(struct machine, x87) == 568 &&
                   offsetof(struct machine, zone) == 576 &&
                   offsetof(struct machine, result) == 704 &&
                   offsetof(struct machine, vectors_after) == 760 &&
                   offsetof(struct machine, x87_after) == 1272 &&
                   offsetof(struct machine, zone_after) == 1280 &&
                   offsetof(struct machine, flags) == 1408,
               "make_call relies on this layout");

void machine_fill(struct machine *machine, int seed)
{
    unsigned char *bytes = (unsigned char *)machine->vectors;

    memset(machine, 0, sizeof *machine);
    for (size_t i = 0; i < sizeof machine->vectors; i++)
        bytes[i] = (unsigned char)((size_t)seed * 37 + i * 7);
    for (int i = 0; i < 16; i++)
        machine->zone[i] = (uint64_t)seed << 32 | (uint64_t)i;
    machine->x87 = 1.0 + seed;
}

void machine_check(const struct machine *machine)
{
    for (int i = 0; i < 6; i++)
        EXPECT_EQ(machine->arguments[i], machine->call[1 + i]);
    EXPECT_EQ(memcmp(machine->vectors, machine->vectors_after, sizeof machine->vectors), 0);
    /* The first two words are below make_call's own red zone, and the flags were pushed onto the last. */
    EXPECT_EQ(memcmp(machine->zone + 2, machine->zone_after + 2, 13 * sizeof *machine->zone), 0);
    EXPECT_NE(machine->x87 == machine->x87_after, 0);
    EXPECT_NE(machine->flags & 0x400, 0); /* the direction flag */
}

void read_one(struct machine *machine, int fd, char *byte, int seed)
{
    machine_fill(machine, seed);
    long call[7] = {SYS_read, fd, (long)byte, 1, 0x4444, 0x5555, 0x6666};
    memcpy(machine->call, call, sizeof call);
    make_call(machine);
    EXPECT_EQ(machine->result, 1);
    machine_check(machine);
}

static void call_often(struct worker *self)
{
    long (*call)(long, ...) = libcs_syscall;

    for (int i = 0; i < 64 && !syscall_rewritten(); i++)
        EXPECT_EQ(call(SYS_read, -1, NULL, 0), -1);
}

void rewrite(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet_add(fleet, call_often, NULL), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    expect_rewritten();
}
