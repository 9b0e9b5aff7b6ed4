/* SPDX-License-Identifier: MIT
 *
 * The filter (platform/linux/traps/filter.c), run by an interpreter of BPF: every number, every argument's bits,
 * every caller, once where it notifies and once where it traps. Its answers are held against
 * calls.def, whose words are read here as C conditions.
 */
#include "platform/linux/os/caps.h"
#include "platform/linux/traps/filter.c"

#include "calls_table.h"

#include <fcntl.h>
#include <linux/bpf_common.h>
#include <sched.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "doubles.h"
#include "gtest_c.h"

#include <asm/prctl.h>

/* The addresses from which the engine calls. */
const char raw_syscall_ip[16], bare_clone_ip[16], bare_clone_into_ip[16], lent_gate_behind[16];

static bool watched;
bool fault_watch_wanted(void)
{
    return watched;
}

struct engine_caps engine_caps;

/* ---- The table, as its head explains it ------------------------------------------------------ */

#undef ALWAYS
#undef CLEAR
#undef NONZERO
#undef ONE_OF
#undef IN_SET
#define ARGUMENT(arg) ((uint32_t)data->args[arg])
#define ALWAYS 1
#define CLEAR(arg, mask) ((ARGUMENT(arg) & (uint32_t)(mask)) == 0)
#define NONZERO(arg) (ARGUMENT(arg) != 0)
#define ONE_OF(arg, mask, a, b)                                                                    \
    ((ARGUMENT(arg) & (mask)) == (uint32_t)(a) || (ARGUMENT(arg) & (mask)) == (uint32_t)(b))
#define IN_SET(arg, mask, bits)                                                                    \
    ((ARGUMENT(arg) & (mask)) < 32 && (1u << (ARGUMENT(arg) & (mask)) & (bits)) != 0)
#define STOPS(name, when, ops, signal, mask, told)                                                 \
    case SYS_##name:                                                                               \
        return when;
#define STOPS_OR_LENDS STOPS
static int is_trapped(const struct seccomp_data *data)
{
    switch (data->nr) {
#include "platform/linux/traps/calls.def"
    default:
        return 0;
    }
}

static struct program filter;

static int is_of_faults(uint32_t number)
{
    static const uint32_t faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (number == faults[i])
            return 1;
    return 0;
}

/* What the table does not have, or has for some arguments only. */
static int is_trapped_too(const struct seccomp_data *data)
{
    return data->nr == SYS_rt_sigprocmask || data->nr == SYS_sigaltstack || data->nr == SYS_futex ||
           data->nr == SYS_clone ||
           (data->nr == SYS_rt_sigaction && is_of_faults((uint32_t)data->args[0])) ||
           (watched && data->nr == SYS_io_uring_enter && (uint32_t)data->args[2] != 0);
}

static int passes(uint64_t ip)
{
    return ip == (uintptr_t)raw_syscall_ip || ip == (uintptr_t)bare_clone_ip ||
           ip == (uintptr_t)bare_clone_into_ip || (watched && ip == (uintptr_t)lent_gate_behind);
}

static uint32_t action;

static uint32_t stopped(void)
{
    return action;
}

static uint32_t wanted(const struct seccomp_data *data)
{
    if (data->arch != AUDIT_ARCH_X86_64)
        return SECCOMP_RET_ALLOW;
    if (data->nr == SYS_clone3)
        return SECCOMP_RET_ERRNO | ENOSYS;
    if (!is_trapped(data) && !is_trapped_too(data))
        return SECCOMP_RET_ALLOW;
    return passes(data->instruction_pointer) ? SECCOMP_RET_ALLOW : stopped();
}

/* ---- The interpreter ------------------------------------------------------------------------- */

/* What the program answers; a step that the kernel's checker would refuse fails the test and gives 0. */
static uint32_t run(const struct seccomp_data *data)
{
    uint32_t a = 0, x = 0;

    for (unsigned pc = 0; pc < filter.length; pc++) {
        const struct sock_filter *step = &filter.code[pc];

        switch (step->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (step->k % 4 || step->k + 4 > sizeof *data) {
                FAIL("step %u loads from %u", pc, step->k);
                return 0;
            }
            memcpy(&a, (const char *)data + step->k, 4);
            break;
        case BPF_LD | BPF_IMM:
            a = step->k;
            break;
        case BPF_MISC | BPF_TAX:
            x = a;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= step->k;
            break;
        case BPF_ALU | BPF_LSH | BPF_X:
            if (x > 31) {
                FAIL("step %u shifts by %u", pc, x);
                return 0;
            }
            a <<= x;
            break;
        case BPF_JMP | BPF_JA:
            pc += step->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == step->k ? step->jt : step->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            pc += a > step->k ? step->jt : step->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            pc += a & step->k ? step->jt : step->jf;
            break;
        case BPF_RET | BPF_K:
            return step->k;
        default:
            FAIL("step %u: no such instruction %#x", pc, step->code);
            return 0;
        }
    }
    FAIL("the program ends without an answer");
    return 0;
}

static void agree(const struct seccomp_data *data)
{
    uint32_t answer = run(data);

    EXPECT_THAT(answer == wanted(data), "call %d (%llx, %llx, %llx, %llx) from %llx: %#x, not %#x",
                data->nr, data->args[0], data->args[1], data->args[2], data->args[3],
                data->instruction_pointer, answer, wanted(data));
}

static struct seccomp_data from_anywhere(int nr)
{
    return (struct seccomp_data){
        .nr = nr, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = 0x7f0012345678};
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void answers_for_every_number(void)
{
    EXPECT_LE(filter.length, 4096); /* BPF_MAXINSNS */
    for (int nr = -1024; nr < 4096; nr++) {
        struct seccomp_data data = from_anywhere(nr);

        agree(&data);
        memset(data.args, 0xFF, sizeof data.args);
        agree(&data);
    }
}

static void other_architectures_pass(void)
{
    static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0, UINT32_MAX};

    for (unsigned i = 0; i < call_row_count; i++) {
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            struct seccomp_data data = from_anywhere(call_rows[i].nr);

            data.arch = others[j];
            EXPECT_EQ(run(&data), SECCOMP_RET_ALLOW);
        }
    }
}

/* Each argument: small numbers, each single bit and each pair of bits, all but one bit; and what is above
 * the 32 bits that the kernel's call looks at. */
static void looks_at_the_bits_that_the_table_names(void)
{
    for (unsigned i = 0; i < call_row_count; i++) {
        if (!(call_rows[i].kinds & CALL_STOPS))
            continue;
        for (int arg = 0; arg < 6; arg++) {
            struct seccomp_data data = from_anywhere(call_rows[i].nr);

            for (uint64_t value = 0; value < 512; value++) {
                data.args[arg] = value;
                agree(&data);
                data.args[arg] = value | 0xABCD00000000;
                agree(&data);
                data.args[arg] = ~value;
                agree(&data);
            }
            for (int bit = 0; bit < 33; bit++) {
                for (int other = bit; other < 33; other++) {
                    data.args[arg] = 1ull << bit | 1ull << other;
                    agree(&data);
                    data.args[arg] = ~data.args[arg];
                    agree(&data);
                }
            }
        }
    }
}

static void agrees_for_random_calls(void)
{
    uint64_t random = tc_seed() * 2u + 1;

    for (int i = 0; i < 300000; i++) {
        struct seccomp_data data =
            from_anywhere(call_rows[next_random(&random) % call_row_count].nr);

        for (int arg = 0; arg < 6; arg++)
            data.args[arg] = next_random(&random) >> next_random(&random) % 64;
        agree(&data);
    }
}

/* The engine's own calls pass, from its own addresses; one that differs in either half does not. */
static void engines_addresses_pass(void)
{
    uint64_t own = (uintptr_t)raw_syscall_ip;
    const uint64_t others[] = {
        own - 1, own + 1, own ^ 1ull << 32, own ^ 1ull << 46, own & UINT32_MAX, own << 32, 0};

    for (unsigned i = 0; i < call_row_count; i++) {
        struct seccomp_data data = from_anywhere(call_rows[i].nr);

        if (!(call_rows[i].kinds & CALL_STOPS))
            continue;
        data.args[1] = call_rows[i].nr == SYS_futex ? FUTEX_WAIT : F_SETLKW;
        data.args[2] = call_rows[i].nr == SYS_poll; /* its time-out */
        data.args[3] = call_rows[i].nr == SYS_epoll_wait || call_rows[i].nr == SYS_epoll_pwait;
        if (call_rows[i].when.kind == TEST_CLEAR)
            memset(data.args, 0, sizeof data.args);
        if (call_rows[i].when.kind == TEST_NONZERO && call_rows[i].when.arg == 0)
            data.args[0] = 1;
        if (call_rows[i].nr == SYS_arch_prctl)
            data.args[0] = ARCH_SET_GS;
        if (call_rows[i].nr == SYS_io_uring_register)
            data.args[1] = 20;
        EXPECT_THAT(run(&data) == stopped(), "%s is not stopped", call_rows[i].name);
        data.instruction_pointer = own;
        EXPECT_THAT(run(&data) == SECCOMP_RET_ALLOW, "%s of the engine is stopped",
                    call_rows[i].name);
        data.instruction_pointer = (uintptr_t)lent_gate_behind;
        agree(&data);
        data.instruction_pointer = (uintptr_t)bare_clone_ip;
        agree(&data);
        data.instruction_pointer = (uintptr_t)bare_clone_into_ip;
        agree(&data);
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            data.instruction_pointer = others[j];
            EXPECT_THAT(run(&data) == stopped(), "%s from %lx is not stopped", call_rows[i].name,
                        others[j]);
        }
    }
}

/* The call that only the test's table has. */
static void stops_a_call_for_its_row(void)
{
    struct seccomp_data data = from_anywhere(SYS_made_up);

    EXPECT_EQ(run(&data), SECCOMP_RET_ALLOW);
    data.args[1] = 1;
    EXPECT_EQ(run(&data), stopped());
}

/* With either action, without the watch and with it. */
#define TEST_BOTH(name)                                                                            \
    TEST(FilterProgram, name)                                                                      \
    {                                                                                              \
        for (int with = 0; with < 4; with++) {                                                     \
            watched = with & 1;                                                                    \
            action = with & 2 ? SECCOMP_RET_TRAP | TRAP_MARK : SECCOMP_RET_USER_NOTIF;             \
            build(&filter, action);                                                                \
            name();                                                                                \
        }                                                                                          \
    }
TEST_BOTH(answers_for_every_number)
TEST_BOTH(other_architectures_pass)
TEST_BOTH(looks_at_the_bits_that_the_table_names)
TEST_BOTH(agrees_for_random_calls)
TEST_BOTH(engines_addresses_pass)
TEST_BOTH(stops_a_call_for_its_row)
