/* SPDX-License-Identifier: MIT
 *
 * Messages of a notified call (platform/linux/traps/messenger.c, and trap_message of libc/trap.c):
 * which calls are sent back, which go on as they are, and which message is taken for which call.
 */
#include "platform/linux/traps/messenger.c"
#include "platform/linux/libc/trap.c"

#include "doubles.h"
#include "gtest_c.h"

const struct plat_core *engine_core;
struct engine_clock engine_clock;

enum { LISTENER = 9, WORKERS_TID = 500, SCHEDULERS_TID, IDLE_TID, PLAIN_TID, TIDS };
enum { A_READ = SYS_read, ASKS_WHO = SYS_gettid };

static struct lane lane = {.listener = LISTENER};
static struct messages messages;
static struct carrier carriers[TIDS - WORKERS_TID];
static struct plat_context worker, scheduler;
static struct notification next;
static bool stands; /* its thread stands in the notification */
static unsigned sent, went_on;
static pid_t self_tid;
static uint64_t masks[TIDS - WORKERS_TID]; /* of the threads */

static const struct call_row read_row = {.nr = A_READ}, who_row = {.nr = ASKS_WHO};

pid_t own_pid(void)
{
    return 400;
}

pid_t own_tid(void)
{
    return self_tid;
}

struct carrier *tid_carrier(pid_t tid)
{
    return tid >= WORKERS_TID && tid < PLAIN_TID ? &carriers[tid - WORKERS_TID] : NULL;
}

const struct call_row *trapped_call_find(int nr)
{
    return nr == A_READ ? &read_row : nr == ASKS_WHO ? &who_row : NULL;
}

bool call_is_about_caller(const struct call_row *entry)
{
    return entry == &who_row;
}

int notify_receive(int listener, struct notification *n)
{
    EXPECT_EQ(listener, LISTENER);
    *n = next;
    return 0;
}

bool notify_valid(int listener, uint64_t id)
{
    EXPECT_EQ(listener, LISTENER);
    EXPECT_EQ(id, next.id);
    return stands;
}

int notify_continue(int listener, uint64_t id)
{
    EXPECT_EQ(listener, LISTENER);
    EXPECT_EQ(id, next.id);
    went_on++;
    return 0;
}

/* A thread's status, which is read for its mask. */
static long status_of(pid_t tid, char *text, size_t size)
{
    return snprintf(text, size, "Name:\tx\nSigPnd:\t%016llx\nSigBlk:\t%016llx\n", 0ull,
                    (unsigned long long)masks[tid - WORKERS_TID]);
}

static long kernel(long nr, const long args[6])
{
    static int status;

    switch (nr) {
    case SYS_rt_tgsigqueueinfo:
        EXPECT_EQ(args[0], 400);
        EXPECT_EQ(args[1], (long)next.tid);
        EXPECT_EQ(args[2], SIGSYS);
        sent++;
        return 0;
    case SYS_open:
        EXPECT_EQ(sscanf((const char *)args[0], "/proc/self/task/%d/status", &status), 1);
        return 20;
    case SYS_read:
        return status_of(status, (char *)args[1], (size_t)args[2]);
    default:
        return 0;
    }
}

static void start(void)
{
    memset(carriers, 0, sizeof carriers);
    memset(&messages, 0, sizeof messages);
    memset(masks, 0, sizeof masks);
    carriers[0].context = &worker;
    carriers[0].scheduler = carriers[SCHEDULERS_TID - WORKERS_TID].scheduler = &scheduler;
    sent = went_on = 0;
    stands = true;
    self_tid = WORKERS_TID;
    double_now = 1000000000;
    double_syscall = kernel;
}

/* A notification of this thread's call comes. */
static void receive(pid_t tid, int nr)
{
    static uint64_t id;

    next = (struct notification){.id = ++id, .tid = (uint32_t)tid, .nr = nr, .behind = 0x1002};
    messenger_receive(&messages, &lane);
}

TEST(Messenger, a_workers_call_is_sent_back)
{
    start();
    receive(WORKERS_TID, A_READ);
    EXPECT_EQ(sent, 1u);
    EXPECT_EQ(went_on, 0u);
    EXPECT_EQ(messages.count, 1u);
    stands = false;
    receive(WORKERS_TID, A_READ); /* withdrawn meanwhile */
    EXPECT_EQ(sent, 1u);
    EXPECT_EQ(messages.count, 1u);
}

/* It waits on its own carrier, and nobody else is to run there. */
TEST(Messenger, a_schedulers_call_goes_on_unless_it_asks_who_it_is)
{
    start();
    receive(SCHEDULERS_TID, A_READ);
    EXPECT_EQ(went_on, 1u);
    EXPECT_EQ(sent, 0u);
    receive(SCHEDULERS_TID, ASKS_WHO);
    receive(SCHEDULERS_TID, SYS_futex); /* it may let workers go that the kernel does not know */
    EXPECT_EQ(went_on, 1u);
    EXPECT_EQ(sent, 2u);
}

/* Its handler would find nobody whose call it is. */
TEST(Messenger, a_call_of_a_thread_that_carries_nobody_goes_on)
{
    start();
    receive(IDLE_TID, A_READ);
    receive(PLAIN_TID, ASKS_WHO);
    receive(IDLE_TID, ASKS_WHO);
    EXPECT_EQ(went_on, 3u);
    EXPECT_EQ(sent, 0u);
    EXPECT_EQ(messages.count, 0u);
}

/* The message stays pending for as long as the mask stops it. */
TEST(Messenger, a_call_whose_message_a_mask_stops_goes_on_after_a_while)
{
    start();
    masks[0] = SIGNAL_BIT(SIGSYS);
    receive(WORKERS_TID, A_READ);
    EXPECT_EQ(messages_look(&messages, &lane), (uint64_t)ARRIVES_NS);
    EXPECT_EQ(went_on, 0u);
    double_now += ARRIVES_NS;
    EXPECT_EQ(messages_look(&messages, &lane), 0u);
    EXPECT_EQ(went_on, 1u);

    masks[0] = 0; /* it is on its way */
    receive(WORKERS_TID, A_READ);
    double_now += ARRIVES_NS;
    EXPECT_EQ(messages_look(&messages, &lane), 0u);
    EXPECT_EQ(went_on, 1u);
}

/* ---- What comes ------------------------------------------------------------------------------ */

/* Two calls of the program's, one behind the other. */
static const char code[] = "\x0f\x05\x0f\x05\x90\x90";

static enum message comes(const char *at, const char *told_of, long nr)
{
    ucontext_t trapped;
    siginfo_t info;

    memset(&trapped, 0, sizeof trapped);
    memset(&info, 0, sizeof info);
    trapped.uc_mcontext.gregs[REG_RIP] = (greg_t)at;
    trapped.uc_mcontext.gregs[REG_RAX] = A_READ;
    info.si_signo = SIGSYS;
    info.si_code = SI_QUEUE;
    info.si_errno = TRAP_MARK;
    info.si_call_addr = (void *)(uintptr_t)(told_of + SYSCALL_BYTES);
    info.si_syscall = (int)nr;
    enum message message = trap_message(&info, &trapped);
    EXPECT_EQ(trapped.uc_mcontext.gregs[REG_RIP],
              (greg_t)(message == MESSAGE_CALL ? at + SYSCALL_BYTES : at));
    return message;
}

TEST(Messenger, a_message_is_for_the_call_that_it_tells_of_and_no_other)
{
    start();
    for (unsigned i = 0; i < 4; i++)
        receive(WORKERS_TID, A_READ);
    EXPECT_EQ(comes(code, code, A_READ), MESSAGE_CALL);
    /* The thread is at its next call by now: that one has a message of its own coming. */
    EXPECT_EQ(comes(code + SYSCALL_BYTES, code, A_READ), MESSAGE_LATE);
    EXPECT_EQ(comes(code, code, ASKS_WHO), MESSAGE_LATE);
    EXPECT_EQ(comes(code + 4, code + 4, A_READ), MESSAGE_LATE); /* there is no call */
    /* One more than were sent. */
    EXPECT_EQ(comes(code, code, A_READ), MESSAGE_LATE);
}
