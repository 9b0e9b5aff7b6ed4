/* SPDX-License-Identifier: MIT
 *
 * filter.c - the BPF program, made from the table of system calls.
 *
 * To stop a call the filter notifies the messenger (messenger.c), or traps. Either way the call
 * ends in the handler of SIGSYS (libc/trap.c). So the filter has to stop some calls, too, that the
 * table does not have, or not in this form:
 *   rt_sigprocmask        the mask is the worker's, not the carrier's; and with SIGSYS blocked the
 *                         next trap would end the process
 *   rt_sigaction          of a signal that a fault raises: its handler is the library's
 *   sigaltstack           on a carrier handlers run on the carrier's own such stack
 *   every futex           a call that wakes may have to wake a worker that only this library knows
 *   every clone           the child would have the filter for life, and a program that the child
 *                         executes would have no handler of SIGSYS
 *   io_uring_enter        that waits, while the watch runs: liburing makes it by a `syscall` of its
 *                         own, and the handler makes a lent call of it (lent_call.h)
 *
 * The program tests the architecture, then finds the call's number among the rows by halves, then
 * does the row's test of an argument. One common tail comes last: it allows the engine's own calls,
 * by the address that they are made from. The number comes first and the address last: so the
 * kernel can prove that each number without a row is always allowed, and does not even run the
 * program for these calls. It does run the program for the engine's own calls.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "platform/check.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/os/call_numbers.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/fault_watch.h"
#include "platform/linux/traps/filter.h"

enum { MAX_PROGRAM = 1024, MAX_ROWS = 128 };

struct row {
    int nr;
    const struct call_test *test;
};

struct program {
    struct sock_filter code[MAX_PROGRAM];
    unsigned length;
    struct row row[MAX_ROWS]; /* by number */
    unsigned rows;
};

bool (*filter_before)(bool guards);

static void emit(struct program *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (p->length == MAX_PROGRAM)
        UMS_FATAL("the filter program is full", p->length, 0);
    p->code[p->length++] = (struct sock_filter){code, jt, jf, k};
}

static void load_field(struct program *p, size_t offset)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void load_arg(struct program *p, unsigned arg)
{
    load_field(p, offsetof(struct seccomp_data, args) + arg * 8);
}

static void give_back(struct program *p, uint32_t action)
{
    emit(p, BPF_RET | BPF_K, 0, 0, action);
}

/* The program goes on behind the test if the call is to be stopped. */
static void emit_test(struct program *p, const struct call_test *test)
{
    switch (test->kind) {
    case TEST_NONE:
        break;
    case TEST_CLEAR:
        load_arg(p, test->arg);
        emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, test->mask);
        give_back(p, SECCOMP_RET_ALLOW);
        break;
    case TEST_NONZERO:
        load_arg(p, test->arg);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        give_back(p, SECCOMP_RET_ALLOW);
        break;
    case TEST_ONE_OF:
        load_arg(p, test->arg);
        emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, test->mask);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, test->one);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, test->other);
        give_back(p, SECCOMP_RET_ALLOW);
        break;
    case TEST_IN_SET: /* one bit for each value below 32 */
        load_arg(p, test->arg);
        emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, test->mask);
        emit(p, BPF_JMP | BPF_JGT | BPF_K, 4, 0, 31);
        emit(p, BPF_MISC | BPF_TAX, 0, 0, 0);
        emit(p, BPF_LD | BPF_IMM, 0, 0, 1);
        emit(p, BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0);
        emit(p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, test->one);
        give_back(p, SECCOMP_RET_ALLOW);
        break;
    }
}

/* One row. The program skips it unless the number matches. The row ends in a jump to the tail,
 * which emit_tail fills in later. */
static void emit_row(struct program *p, int nr, const struct call_test *test)
{
    unsigned compare = p->length;
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint32_t)nr);
    emit_test(p, test);
    emit(p, BPF_JMP | BPF_JA, 0, 0, UINT32_MAX);
    p->code[compare].jf = (uint8_t)(p->length - compare - 1);
}

static void emit_pass(struct program *p, uintptr_t ip)
{
    load_field(p, offsetof(struct seccomp_data, instruction_pointer));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, (uint32_t)ip);
    load_field(p, offsetof(struct seccomp_data, instruction_pointer) + 4);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)(ip >> 32));
    give_back(p, SECCOMP_RET_ALLOW);
}

static void emit_tail(struct program *p, uint32_t action)
{
    unsigned tail = p->length;
    for (unsigned i = 0; i < tail; i++)
        if (p->code[i].code == (BPF_JMP | BPF_JA) && p->code[i].k == UINT32_MAX)
            p->code[i].k = tail - i - 1;
    emit_pass(p, (uintptr_t)raw_syscall_ip);
    emit_pass(p, (uintptr_t)bare_clone_ip); /* a new thread does not return to raw.S */
    emit_pass(p, (uintptr_t)bare_clone_into_ip);
    if (fault_watch_wanted())
        emit_pass(p, (uintptr_t)lent_gate_behind);
    give_back(p, action);
}

/* So many rows are compared one after the other. */
enum { AT_A_TIME = 4 };

static void emit_search(struct program *p, const struct row *rows, unsigned count)
{
    if (count <= AT_A_TIME) {
        for (unsigned i = 0; i < count; i++)
            emit_row(p, rows[i].nr, rows[i].test);
        give_back(p, SECCOMP_RET_ALLOW);
        return;
    }
    unsigned half = count / 2;
    emit(p, BPF_JMP | BPF_JGT | BPF_K, 0, 1, (uint32_t)rows[half - 1].nr);
    unsigned far = p->length; /* a conditional jump reaches 255 instructions */
    emit(p, BPF_JMP | BPF_JA, 0, 0, 0);
    emit_search(p, rows, half);
    p->code[far].k = p->length - far - 1;
    emit_search(p, rows + half, count - half);
}

static void add_row(struct program *p, int nr, const struct call_test *test)
{
    if (p->rows == MAX_ROWS)
        UMS_FATAL("too many rows for the filter", p->rows, 0);
    unsigned at = p->rows++;
    for (; at > 0 && p->row[at - 1].nr > nr; at--)
        p->row[at] = p->row[at - 1];
    p->row[at] = (struct row){nr, test};
}

static void emit_rows(struct program *p)
{
    static const struct call_test always = {.kind = TEST_NONE};
    /* Bit 0 of a filter's set is the number 0; bit 0 of a set of signals is signal 1. */
    static const struct call_test of_kept = {TEST_IN_SET, 0, UINT32_MAX,
                                             (uint32_t)(SIGNALS_OF_FAULTS << 1), 0};
    static const struct call_test waits = {.kind = TEST_NONZERO, .arg = 2};
    p->rows = 0;
    for (unsigned i = 0; i < call_row_count; i++) {
        const struct call_row *row = &call_rows[i];
        bool all = row->nr == SYS_futex || row->nr == SYS_clone;
        if (row->kinds & CALL_STOPS)
            add_row(p, row->nr, all ? &always : &row->when);
    }
    add_row(p, SYS_rt_sigprocmask, &always);
    add_row(p, SYS_rt_sigaction, &of_kept);
    add_row(p, SYS_sigaltstack, &always);
    if (fault_watch_wanted())
        add_row(p, SYS_io_uring_enter, &waits);
    emit_search(p, p->row, p->rows);
}

static void build(struct program *p, uint32_t action)
{
    p->length = 0;
    load_field(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    give_back(p, SECCOMP_RET_ALLOW);
    load_field(p, offsetof(struct seccomp_data, nr));
    /* clone3 hides its flags behind a pointer. After ENOSYS libc falls back to clone, whose flags
     * the filter sees. */
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone3);
    give_back(p, SECCOMP_RET_ERRNO | ENOSYS);
    emit_rows(p);
    emit_tail(p, action);
}

static long install(uint32_t action, unsigned long flags)
{
    static PLAT_LOCK(FILTER) lock; /* of `program` */
    static struct program program;
    plat_lock(&lock);
    build(&program, action);
    struct sock_fprog fprog = {(unsigned short)program.length, program.code};
    RAW5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long r = RAW3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &fprog);
    plat_unlock(&lock);
    return r;
}

int filter_install_traps(void)
{
    long r = install(SECCOMP_RET_TRAP | TRAP_MARK, SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    if (r == -EINVAL) /* gVisor knows no flags */
        r = install(SECCOMP_RET_TRAP | TRAP_MARK, 0);
    return (int)r;
}

/* Without SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: any signal is to end the wait of a thread that is
 * notified (messenger.c). */
int filter_install_notifying(void)
{
    return (int)install(SECCOMP_RET_USER_NOTIF,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}
