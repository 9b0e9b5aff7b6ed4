/* SPDX-License-Identifier: MIT
 *
 * stub_hooks_of_others.c - hooks that come and go while threads call the stubs, over stubs as they are and over somebody
 * else's jump in each of the shapes that are known.
 */
#include "gtest_c.h"
#include "stub_bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <windows.h>

#include "platform/windows/os/hooks.h"
#include "platform/windows/os/stub_jumps.h"
#include "platform/windows/os/trampolines.h"

static _Atomic unsigned called_through;

/* Behind a jump of theirs: it counts, and goes to the copy of the stub. */
static MS_ABI uint64_t theirs(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    called_through++;
    return ((stub_function)(void *)(MODULE + 2 * PAGE + 64))(a, b, c, d, e);
}

static size_t put_shape(int shape, uint8_t *stub)
{
    uint8_t *place = MODULE + 2 * PAGE;
    void *target = (void *)theirs;
    uint32_t low = (uint32_t)(uintptr_t)target, high = (uint32_t)((uintptr_t)target >> 32);
    int32_t distance;

    memcpy(place + 64, stub, SPACING);
    memcpy(place, "\xFF\x25\0\0\0\0", 6);
    memcpy(place + 6, &target, 8);
    switch (shape) {
    case 0: /* jmp near */
    case 1: /* the same after the first instruction */
        memcpy(stub + shape * 3, "\xE9", 1);
        distance = (int32_t)(place - (stub + shape * 3 + 5));
        memcpy(stub + shape * 3 + 1, &distance, 4);
        return 8;
    case 2: /* jmp [near] */
        distance = (int32_t)(place + 6 - (stub + 6));
        memcpy(stub, "\xFF\x25", 2);
        memcpy(stub + 2, &distance, 4);
        return 6;
    case 3: /* mov rax; jmp rax */
    case 4: /* mov rax; push rax; ret */
        memcpy(stub, "\x48\xB8", 2);
        memcpy(stub + 2, &target, 8);
        memcpy(stub + 10, shape == 3 ? "\xFF\xE0" : "\x50\xC3", 2);
        return 12;
    case 5: /* mov r11; jmp r11 */
        memcpy(stub, "\x49\xBB", 2);
        memcpy(stub + 2, &target, 8);
        memcpy(stub + 10, "\x41\xFF\xE3", 3);
        return 13;
    default: /* push; mov [rsp+4]; ret */
        memcpy(stub, "\x68", 1);
        memcpy(stub + 1, &low, 4);
        memcpy(stub + 5, "\xC7\x44\x24\x04", 4);
        memcpy(stub + 9, &high, 4);
        memcpy(stub + 13, "\xC3", 1);
        return 14;
    }
}

enum { SHAPES = 7 };

/* ---- Threads that call meanwhile ---------------------------------------------------------------- */

enum { CALLERS = 3, ROUNDS = 4000 };
static _Atomic bool over;
static _Atomic unsigned wrong, right;

static void *call_on(void *arg)
{
    uint64_t a = (uintptr_t)arg * 1000000;

    if (!EXPECT_OK(dispatch()))
        return NULL;
    while (!over)
        for (int i = 0; i < HOOKS; i++)
            call_is_right(i, a++) ? right++ : wrong++;
    return NULL;
}

/* Until the callers have made their calls, however late the system lets them begin. */
static void come_and_go(void)
{
    pthread_t callers[CALLERS];
    DWORD before;

    ASSERT_EQ(hooks_install(hooks, HOOKS), 0);
    ASSERT_OK(VirtualProtect(stub_code(0), PAGE, PAGE_EXECUTE_READWRITE, &before));
    for (uintptr_t i = 0; i < CALLERS; i++)
        ASSERT_EQ(pthread_create(&callers[i], NULL, call_on, (void *)i), 0);
    for (unsigned i = 0; i < ROUNDS || (right + wrong < ROUNDS && !tc_failures()); i++) {
        struct hook *hook = &hooks[i % HOOKS];
        EXPECT_OK(trampolines_exchange(hook->stub, hook->after, hook->before));
        EXPECT_OK(!trampolines_exchange(hook->stub, hook->after, hook->before));
        EXPECT_OK(trampolines_exchange(hook->stub, hook->before, hook->after));
    }
    over = true;
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(right, ROUNDS);
    EXPECT_NE(handled, 0);
    if (!called_through)
        EXPECT_EQ(elsewhere, 0);
}

TEST(StubHooksOfOthers, threads_call_while_hooks_come_and_go)
{
    BEGIN();
    come_and_go();
}

/* One stub is somebody else's before. */
static void come_and_go_over(int shape)
{
    BEGIN();
    put_shape(shape, stub_code(2));
    EXPECT_OK(call_is_right(2, 5));
    EXPECT_EQ(called_through, 1);
    come_and_go();
    EXPECT_OK(hooks[2].other != NULL);
    EXPECT_GE(called_through, 2);
    hooks_remove(hooks, HOOKS);
    EXPECT_OK(call_is_right(2, 6));
}

CALL_TEST(StubHooksOfOthers, over_a_near_jump, come_and_go_over(0))
CALL_TEST(StubHooksOfOthers, over_a_near_jump_after_the_first_instruction, come_and_go_over(1))
CALL_TEST(StubHooksOfOthers, over_a_jump_by_memory, come_and_go_over(2))
CALL_TEST(StubHooksOfOthers, over_a_jump_by_rax, come_and_go_over(3))
CALL_TEST(StubHooksOfOthers, over_a_return_to_rax, come_and_go_over(4))
CALL_TEST(StubHooksOfOthers, over_a_jump_by_r11, come_and_go_over(5))
CALL_TEST(StubHooksOfOthers, over_a_return_to_what_was_pushed, come_and_go_over(SHAPES - 1))
