/* SPDX-License-Identifier: MIT
 *
 * fault_red_zone.c - a function that calls nothing keeps values below its stack pointer: the values
 * are unchanged when the handler of its fault has returned.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

/* Puts 16 values below the stack pointer, writes to the address, and gives how many are there
 * then. */
long values_after_a_write(volatile int *address);
__asm__(".text\n"
        ".type values_after_a_write, @function\n"
        "values_after_a_write:\n"
        "    mov $16, %ecx\n"
        "1:  neg %rcx\n"
        "    mov %rcx, (%rsp,%rcx,8)\n"
        "    neg %rcx\n"
        "    dec %rcx\n"
        "    jnz 1b\n"
        "    movl $1, (%rdi)\n"
        "    xor %eax, %eax\n"
        "    mov $16, %ecx\n"
        "2:  neg %rcx\n"
        "    cmp %rcx, (%rsp,%rcx,8)\n"
        "    jne 3f\n"
        "    inc %rax\n"
        "3:  neg %rcx\n"
        "    dec %rcx\n"
        "    jnz 2b\n"
        "    ret\n"
        ".size values_after_a_write, . - values_after_a_write\n");

static int faults;

static void make_writable(int number, siginfo_t *info, void *context)
{
    volatile char here[1024];

    for (unsigned i = 0; i < sizeof here; i++)
        here[i] = 0x55;
    faults += mprotect((void *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE), PAGE,
                       PROT_READ | PROT_WRITE) == 0;
}

static void write_and_look(int flags)
{
    struct sigaction action = {.sa_sigaction = make_writable, .sa_flags = SA_SIGINFO | flags};
    struct sigaction before;
    int *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ASSERT_NE(page, MAP_FAILED);
    EXPECT_EQ(sigaction(SIGSEGV, &action, &before), 0);
    faults = 0;
    EXPECT_EQ(values_after_a_write(page), 16);
    EXPECT_EQ(faults, 1);
    EXPECT_EQ(*page, 1);
    EXPECT_EQ(sigaction(SIGSEGV, &before, NULL), 0);
    EXPECT_EQ(munmap(page, PAGE), 0);
}

WORKER_TEST(FaultRedZone, is_there_when_the_handler_has_returned)
{
    write_and_look(0);
}

WORKER_TEST(FaultRedZone, is_there_where_the_handler_wants_a_stack_of_its_own)
{
    write_and_look(SA_ONSTACK);
}
