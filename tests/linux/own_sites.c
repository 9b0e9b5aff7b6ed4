/* SPDX-License-Identifier: MIT
 *
 * own_sites.c - see own_sites.h.
 */
#include "own_sites.h"
#include "child.h"
#include "gtest_c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTION(name, call, body)                                                                 \
    ".globl " name ", " call "\n.balign 16\n.type " name ", @function\n" name ":\n"                \
    "    .cfi_startproc\n" body "    .cfi_endproc\n.size " name ", . - " name "\n.balign 16\n"

__asm__(
    ".text\n"
    /* The usual shape. */
    FUNCTION("write_here", "write_call",
             "    mov $1, %eax\n"
             "write_call:\n"
             "    syscall\n"
             "    ret\n")
    /* No instruction is long enough; there is room behind the function. */
    FUNCTION("read_here", "read_call",
             "    xor %eax, %eax\n"
             "read_call:\n"
             "    syscall\n"
             "    ret\n")
    /* The number is a parameter. */
    FUNCTION("any_here", "any_call",
             "    mov %rdi, %rax\n"
             "    mov %rsi, %rdi\n"
             "    mov %rdx, %rsi\n"
             "    mov %rcx, %rdx\n"
             "    mov %r8, %r10\n"
             "any_call:\n"
             "    syscall\n"
             "    ret\n")
    /* The number comes first, and the way splits. */
    FUNCTION("late_here", "late_call",
             "    mov $1, %eax\n"
             "    test %rdx, %rdx\n"
             "    jns 1f\n"
             "    neg %rdx\n"
             "1:  movabs $0x1111222233334444, %r8\n"
             "late_call:\n"
             "    syscall\n"
             "    ret\n")
    /* What looks like the way in is the middle of an instruction: `mov $1, %eax` is behind the prefix. */
    FUNCTION("entered_here", "entered_call",
             "    mov $1, %r8d\n"
             "    mov $1, %eax\n"
             "    jmp 2f + 1\n"
             "2:  mov $1, %r8d\n"
             "entered_call:\n"
             "    syscall\n"
             "    ret\n")
    /* Two in a function, which is decoded again for the second. The first takes five of the six bytes that align `1:`,
     * and two of three for its own jump. What is left of them must not be taken for the beginning of an instruction:
     * 00 48 89, d9 ba 03 00 00 00 and ca 0f 05 are some. The second writes three bytes. */
    FUNCTION("first_here", "first_call",
             "    xor %r8d, %r8d\n"
             "    jmp 2f\n"
             ".globl second_here, second_call\n"
             "second_here:\n"
             "    mov $1, %r8d\n"
             "    jmp 2f\n"
             "    .byte 0x66, 0x0f, 0x1f, 0x44, 0, 0\n"
             "1:  mov %rbx, %rcx\n"
             "    mov $3, %edx\n"
             "    mov %r8, %rax\n"
             "second_call:\n"
             "    syscall\n"
             "    ret\n"
             "2:  test %r8, %r8\n"
             "    jnz 1b\n"
             "    mov $1, %r9d\n"
             "    mov %r9, %rax\n"
             "3:  test %rax, %rax\n"
             "    je 3b\n"
             "    mov %r9, %r10\n"
             "first_call:\n"
             "    syscall\n"
             "    ret\n"));

/* As a compiler has it. */
__attribute__((noinline)) long made_here(long fd, const void *bytes, long count)
{
    long result;

    __asm__ volatile(".globl made_call\nmade_call: syscall"
                     : "=a"(result)
                     : "0"(SYS_write), "D"(fd), "S"(bytes), "d"(count)
                     : "rcx", "r11", "memory");
    return result;
}

bool led(const char *call)
{
    enum { SLOT_END = 56 }; /* where a slot has the address behind its call */
    const unsigned char *code = (const unsigned char *)call, *behind;

    EXPECT_EQ(code[0] == 0x0f && code[1] == 0x05, 1);
    for (int i = 2; i < 24; i++) {
        int32_t way;
        const unsigned char *jump = code - i;
        if (jump[0] == 0xeb && i < 16)
            jump += 2 + (signed char)jump[1];
        else if (i < 5)
            continue;
        if (jump[0] != 0xe9)
            continue;
        memcpy(&way, jump + 1, sizeof way);
        if (labs((long)way) <= 4096) /* within the module */
            continue;
        memcpy(&behind, jump + 5 + way + SLOT_END, sizeof behind);
        if (behind == code + 2)
            return true;
    }
    return false;
}

int null_device = -1;

bool use(call_function *call, long result, const char *place)
{
    long long begun = now_ms();

    while (!led(place) && now_ms() - begun < 10000)
        for (int i = 0; i < 16; i++)
            if (call(null_device, "x", 1) != result)
                return false;
    return led(place);
}

void in_worker(block_step step)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    ASSERT_GE(null_device, 0);
    run_in_worker(step, &c);
    close(null_device);
}

long any_write(long fd, const void *bytes, long count)
{
    return any_here(SYS_write, fd, bytes, count);
}

void of_all_shapes(struct block_case *c)
{
    EXPECT_EQ(use(write_here, 1, write_call), 1);
    EXPECT_EQ(use(read_here, 0, read_call), 1);
    EXPECT_EQ(use(any_write, 1, any_call), 1);
    EXPECT_EQ(use(late_here, 1, late_call), 1);
    EXPECT_EQ(use(made_here, 1, made_call), 1);
    EXPECT_EQ(use(first_here, 1, first_call), 1);
    EXPECT_EQ(use(second_here, 3, second_call), 1);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(write_here(-1, "x", 1), -EBADF);
        EXPECT_EQ(write_here(null_device, "xyz", 3), 3);
        EXPECT_EQ(read_here(-1, "x", 1), -EBADF);
        EXPECT_EQ(late_here(null_device, "xyz", -2), 2);
        EXPECT_EQ(made_here(null_device, "xyz", 3), 3);
        EXPECT_EQ(any_write(null_device, "x", 1), 1);
        EXPECT_EQ(first_here(null_device, "xyz", 3), 3);
        EXPECT_EQ(second_here(null_device, "xyz", 3), 3);
        EXPECT_EQ(second_here(-1, "xyz", 3), -EBADF);
    }
}

void use_both(struct block_case *c)
{
    EXPECT_EQ(use(write_here, 1, write_call), 1);
    EXPECT_EQ(use(read_here, 0, read_call), 1);
}
