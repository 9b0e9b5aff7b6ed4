/* SPDX-License-Identifier: MIT
 *
 * stub_hooks.c - hooks go in and out, the old way into the kernel is reached as well, and what is no stub of the
 * known layout is refused.
 */
#include "gtest_c.h"
#include "stub_bench.h"

#include <string.h>

#include <windows.h>

#include "platform/windows/os/hooks.h"
#include "platform/windows/os/stub_jumps.h"
#include "platform/windows/os/trampolines.h"

TEST(StubHooks, hooks_go_in_and_out)
{
    uint8_t before[STUBS * SPACING];

    BEGIN();
    memcpy(before, stub_code(0), sizeof before);
    for (int i = 0; i < STUBS; i++)
        EXPECT_OK(call_is_right(i, 1000));
    EXPECT_EQ(syscalls, STUBS);
    opened = 0;
    ASSERT_EQ(hooks_install(hooks, HOOKS), 0);
    EXPECT_EQ(opened, 1); /* for all of them */
    for (int i = 0; i < STUBS; i++) {
        EXPECT_EQ(memcmp(before + i * SPACING + 8, stub_code(i) + 8, SPACING - 8), 0);
        EXPECT_EQ(memcmp(before + i * SPACING, stub_code(i), 8) != 0, i < HOOKS);
        EXPECT_OK(call_is_right(i, 2000));
    }
    EXPECT_EQ(handled, HOOKS);
    EXPECT_EQ(syscalls, 2 * STUBS);
    hooks_remove(hooks, HOOKS);
    EXPECT_EQ(memcmp(before, stub_code(0), sizeof before), 0);
    EXPECT_OK(call_is_right(0, 3000) && call_is_right(3, 3000));
    EXPECT_EQ(handled, HOOKS);
    EXPECT_EQ(elsewhere, 0); /* each was made in the module */
}

/* A hypervisor that wants the old way in. */
TEST(StubHooks, the_interrupt_is_reached_as_well)
{
    BEGIN();
    SHARED_DATA[0x308] = 1;
    EXPECT_OK(call_is_right(0, 1));
    ASSERT_EQ(hooks_install(hooks, HOOKS), 0);
    EXPECT_OK(call_is_right(0, 2) && call_is_right(3, 3) && call_is_right(4, 4));
    EXPECT_EQ(interrupts, 4);
    EXPECT_EQ(handled, 2);
    EXPECT_EQ(syscalls, 0);
}

TEST(StubHooks, what_is_no_stub_of_this_layout_is_refused)
{
    static const struct {
        int at;
        uint8_t byte;
    } changes[] = {{0, 0x4D}, {3, 0xB9}, {6, 1}, {8, 0xF7}, {16, 0x74}, {18, 0x90}, {22, 0x2F}};
    uint8_t *code = stub_code(1);

    BEGIN();
    EXPECT_EQ(stub_read(code).kind, STUB_USUAL);
    EXPECT_EQ(stub_read(code + 4).kind, STUB_NONE);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        uint8_t old = code[changes[i].at];
        code[changes[i].at] = changes[i].byte;
        EXPECT_NE(stub_read(code).kind, STUB_USUAL);
        EXPECT_EQ(hooks_install(hooks + 1, 1), 1);
        EXPECT_EQ(code[changes[i].at], changes[i].byte);
        code[changes[i].at] = old;
    }
}
