/* SPDX-License-Identifier: MIT
 *
 * call_sites.c - system calls within libc that are led to the library at the instruction: what a system call
 * keeps they keep, an unwinder passes at every instruction, and threads that run in libc while it is rewritten
 * notice nothing.
 *
 * libc's `syscall` is the site that is looked at closely: it changes no register but those that it loads.
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* libc's own: the library has one before it (syscall_front.c). */
void *libcs_syscall;

static __attribute__((constructor)) void find_syscall(void)
{
    libcs_syscall = dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "syscall", "GLIBC_2.2.5");
}

/* The first instructions of `syscall` move its parameters; the last of them makes room for a jump. */
static bool rewritten(void)
{
    const unsigned char *code = libcs_syscall;

    for (int i = 0; i < 48; i++)
        if (code[i] == 0xe9 && code[i + 5] == 0x0f && code[i + 6] == 0x05)
            return true;
    return false;
}

/* ---- Registers, flags, red zone -------------------------------------------------------------------------- */

struct machine {
    long call[7]; /* number, six arguments */
    unsigned char vectors[16][32];
    double x87;
    uint64_t zone[16];
    /* Behind the call: */
    long result;
    long arguments[6];
    unsigned char vectors_after[16][32];
    double x87_after;
    uint64_t zone_after[16];
    uint64_t flags;
};

/* Loads all of it, calls `syscall` with the direction flag set, writes down what is there then. */
void make_call(struct machine *machine);

__asm__(
    ".text\n"
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

static void fill(struct machine *machine, int seed)
{
    unsigned char *bytes = (unsigned char *)machine->vectors;

    memset(machine, 0, sizeof *machine);
    for (size_t i = 0; i < sizeof machine->vectors; i++)
        bytes[i] = (unsigned char)((size_t)seed * 37 + i * 7);
    for (int i = 0; i < 16; i++)
        machine->zone[i] = (uint64_t)seed << 32 | (uint64_t)i;
    machine->x87 = 1.0 + seed;
}

static void check(const struct machine *machine)
{
    for (int i = 0; i < 6; i++)
        EXPECT_EQ(machine->arguments[i], machine->call[1 + i]);
    EXPECT_EQ(memcmp(machine->vectors, machine->vectors_after, sizeof machine->vectors), 0);
    /* The first two words are below make_call's own red zone, and the flags were pushed onto the last. */
    EXPECT_EQ(memcmp(machine->zone + 2, machine->zone_after + 2, 13 * sizeof *machine->zone), 0);
    EXPECT_NE(machine->x87 == machine->x87_after, 0);
    EXPECT_NE(machine->flags & 0x400, 0); /* the direction flag */
}

static void read_one(struct machine *machine, int fd, char *byte, int seed)
{
    fill(machine, seed);
    long call[7] = {SYS_read, fd, (long)byte, 1, 0x4444, 0x5555, 0x6666};
    memcpy(machine->call, call, sizeof call);
    make_call(machine);
    EXPECT_EQ(machine->result, 1);
    check(machine);
}

struct talk {
    int there[2], back[2];
};

static void ask(struct worker *self)
{
    struct talk *talk = self->arg;
    struct machine machine;
    char byte;

    for (int i = 0; i < 200; i++) {
        EXPECT_EQ(write(talk->there[1], "q", 1), 1);
        read_one(&machine, talk->back[0], &byte, 2 * i);
    }
}

static void answer(struct worker *self)
{
    struct talk *talk = self->arg;
    struct machine machine;
    char byte;

    for (int i = 0; i < 200; i++) {
        read_one(&machine, talk->there[0], &byte, 2 * i + 1);
        EXPECT_EQ(write(talk->back[1], "a", 1), 1);
    }
}

TEST(CallSites, keep_what_a_call_keeps)
{
    struct talk talk;
    struct fleet *fleet = fleet_create(1, 2, 0);

    make_pipe(talk.there);
    make_pipe(talk.back);
    ASSERT_NE(fleet_add(fleet, ask, &talk) && fleet_add(fleet, answer, &talk), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    EXPECT_NE(rewritten(), 0);
}

static void *read_in_a_thread(void *arg)
{
    struct machine machine;
    char byte;

    read_one(&machine, ((struct talk *)arg)->there[0], &byte, 5);
    return NULL;
}

static void nothing(struct worker *self)
{
    (void)self;
}

static void rewrite(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet_add(fleet, nothing, NULL), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    EXPECT_NE(rewritten(), 0);
}

TEST(CallSites, of_plain_threads_keep_it_too)
{
    struct talk talk;
    pthread_t thread;
    struct timespec moment = {0, 10000000};

    rewrite();
    make_pipe(talk.there);
    ASSERT_EQ(pthread_create(&thread, NULL, read_in_a_thread, &talk), 0);
    nanosleep(&moment, NULL);
    EXPECT_EQ(write(talk.there[1], "x", 1), 1);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

/* ---- Stacks with no room ------------------------------------------------------------------------------------ */

/* Calls make_call with another stack pointer. */
void call_on(void *stack, struct machine *machine);
__asm__(".text\n"
        ".type call_on, @function\n"
        "call_on:\n"
        "    push %rbp\n mov %rsp, %rbp\n mov %rdi, %rsp\n mov %rsi, %rdi\n"
        "    call make_call\n"
        "    mov %rbp, %rsp\n pop %rbp\n ret\n"
        ".size call_on, . - call_on\n");

enum {
    OF_MAKE_CALL = 160 + 8
}; /* what make_call writes below the stack pointer, with 8 bytes to spare */

static void read_on_stacks(struct block_case *c)
{
    struct machine machine;
    char byte, *low, *other = malloc(65536);
    size_t bytes;
    pthread_attr_t attr;

    ASSERT_EQ(pthread_getattr_np(pthread_self(), &attr), 0);
    pthread_attr_getstack(&attr, (void **)&low, &bytes);
    pthread_attr_destroy(&attr);
    void *stacks[] = {low + OF_MAKE_CALL, low + 1024, low + 8192, other + OF_MAKE_CALL,
                      other + 65536};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        fill(&machine, (int)i);
        long call[7] = {SYS_read, c->fd[0], (long)&byte, 1, 4, 5, 6};
        memcpy(machine.call, call, sizeof call);
        call_on((void *)((uintptr_t)stacks[i] & ~(uintptr_t)15), &machine);
        EXPECT_EQ(machine.result, 1);
        check(&machine);
    }
    free(other);
}

static void write_later(struct block_case *c)
{
    struct timespec moment = {0, 2000000};

    for (int i = 0; i < 5; i++) {
        nanosleep(&moment, NULL);
        EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    }
}

TEST(CallSites, near_the_end_of_a_stack)
{
    struct block_case c = {.block = read_on_stacks, .complete = write_later};

    make_pipe(c.fd);
    run_block_case(&c);
    EXPECT_NE(rewritten(), 0);
    close_all(&c);
}

/* ---- Unwinding at every instruction ----------------------------------------------------------------------------- */

static volatile long steps, lost, inside;
static volatile bool stepping;
static void step_through(int fd);

static void on_step(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    void *frames[64];
    int count, found = 0;

    (void)number, (void)info;
    if (!stepping) {
        registers[REG_EFL] &= ~0x100;
        return;
    }
    count = backtrace(frames, 64);
    for (int i = 0; i < count; i++)
        found |= (uintptr_t)frames[i] - (uintptr_t)make_call < 1024;
    steps++;
    inside += (uintptr_t)registers[REG_RIP] - (uintptr_t)libcs_syscall < 64;
    if (!found && (uintptr_t)registers[REG_RIP] - (uintptr_t)step_through > 1024)
        lost++;
}

static __attribute__((noinline)) void step_through(int fd)
{
    struct machine machine;
    char byte;

    fill(&machine, 1);
    long call[7] = {SYS_read, fd, (long)&byte, 1, 4, 5, 6};
    memcpy(machine.call, call, sizeof call);
    steps = lost = inside = 0;
    stepping = true;
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
    make_call(&machine);
    stepping = false;
    __asm__ volatile("nop");
    EXPECT_EQ(machine.result, 1);
    EXPECT_EQ(lost, 0);
    check(&machine);
}

static void expect_steps(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    void *one;

    backtrace(&one, 1); /* loads what it needs */
    ASSERT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
}

static void step_in_worker(struct block_case *c)
{
    step_through(c->fd[0]);
    EXPECT_NE(steps > 300 && inside > 5, 0);
}

TEST(CallSites, unwind_in_a_thread)
{
    int fd[2];

    rewrite();
    make_pipe(fd);
    EXPECT_EQ(write(fd[1], "x", 1), 1);
    expect_steps();
    step_through(fd[0]);
    EXPECT_NE(inside > 5, 0);
}

TEST(CallSites, unwind_in_a_worker)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    rewrite();
    make_pipe(c.fd);
    EXPECT_EQ(write(c.fd[1], "x", 1), 1);
    expect_steps();
    run_in_worker(step_in_worker, &c);
    close_all(&c);
}

/* ---- Rewritten while others run there ------------------------------------------------------------------------------- */

enum { RUNNERS = 3 };
static volatile bool run_on;
static sem_t turn;

static void *run_in_libc(void *arg)
{
    long *rounds = arg;
    int fd[2];
    char byte = 0;
    struct timespec now = {0, 1};

    make_pipe(fd);
    while (run_on) {
        if (syscall(SYS_write, fd[1], "x", 1) != 1 || syscall(SYS_read, fd[0], &byte, 1) != 1 ||
            byte != 'x')
            abort();
        if (write(fd[1], "y", 1) != 1 || read(fd[0], &byte, 1) != 1 || byte != 'y')
            abort();
        if (sem_post(&turn) || sem_wait(&turn) || nanosleep(&now, NULL))
            abort();
        ++*rounds;
    }
    close(fd[0]);
    close(fd[1]);
    return NULL;
}

static int rewrite_under_load(void *arg)
{
    pthread_t threads[RUNNERS];
    long rounds[RUNNERS] = {0};
    struct timespec moment = {0, 5000000};

    (void)arg;
    run_on = true;
    sem_init(&turn, 0, 0);
    for (int i = 0; i < RUNNERS; i++)
        if (pthread_create(&threads[i], NULL, run_in_libc, &rounds[i]))
            return 1;
    nanosleep(&moment, NULL);
    rewrite();
    nanosleep(&moment, NULL);
    run_on = false;
    for (int i = 0; i < RUNNERS; i++) {
        pthread_join(threads[i], NULL);
        if (!rounds[i])
            return 2;
    }
    return 0;
}

TEST(CallSites, are_rewritten_while_threads_run_there)
{
    for (int i = 0; i < 8; i++) {
        struct child_result result = child_run(rewrite_under_load, NULL, 20000);
        EXPECT_CHILD_OK(result);
    }
}

/* ---- Processes -------------------------------------------------------------------------------------------------------- */

static void fork_here(struct block_case *c)
{
    struct machine machine;
    char byte;
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        read_one(&machine, c->fd[0], &byte, 3);
        _exit(tc_failures() ? 1 : 0);
    }
    EXPECT_EQ(write(c->fd[1], "x", 1), 1);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(CallSites, are_a_childs_as_well)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    rewrite();
    make_pipe(c.fd);
    run_in_worker(fork_here, &c);
    fork_here(&c);
    close_all(&c);
}

/* ---- Calls that are not led anywhere -------------------------------------------------------------------------------------- */

static void odd_calls(struct block_case *c)
{
    int status = -1;

    (void)c;
    EXPECT_NE(syscall(SYS_getppid) == getppid(), 0);
    EXPECT_NE(syscall(-1L) == -1 && errno == ENOSYS, 0);
    EXPECT_NE(syscall(511L) == -1 && errno == ENOSYS, 0);
    EXPECT_NE(syscall(1L << 40 | SYS_getpid) == getpid(), 0); /* the kernel reads 32 bits */
    EXPECT_NE(syscall(SYS_read, -1, NULL, 0) == -1 && errno == EBADF, 0);
    EXPECT_NE(syscall(SYS_read, 0, (void *)1, -1L) == -1, 0);
    long child = syscall(SYS_fork);
    if (child == 0)
        syscall(SYS_exit_group, 7);
    EXPECT_EQ(waitpid((pid_t)child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(CallSites, of_other_numbers_are_the_kernels)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    run_in_worker(odd_calls, &c);
    EXPECT_NE(rewritten(), 0);
}

static int left_alone(void *arg)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    setenv(arg, "0", 1);
    run_in_worker(odd_calls, &c);
    EXPECT_EQ(rewritten(), 0);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(CallSites, are_left_alone_when_told_so)
{
    char sites[] = "UMSSHIM_SITES", front[] = "UMSSHIM_FRONT";
    char *names[] = {sites, front};

    for (int i = 0; i < 2; i++) {
        struct child_result result = child_run(left_alone, names[i], 10000);
        EXPECT_CHILD_OK(result);
    }
}
