/* SPDX-License-Identifier: MIT
 *
 * hooks_of_others.c - somebody who watches system calls has put a jump over a stub, in one of the shapes that are known:
 * it is left where it is, ours stands before it, and calls go through both. The program is not linked with
 * umsshim.dll.
 *
 * modes: unlinked
 * labels: own_system
 */
#include <windows.h>

#include "gtest_c.h"
#include "stubs_seen.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static LONG watched;
static LONG(NTAPI *watched_stub)(BOOLEAN, LARGE_INTEGER *);

static LONG NTAPI watch(BOOLEAN alertable, LARGE_INTEGER *interval)
{
    InterlockedIncrement(&watched);
    return watched_stub(alertable, interval);
}

/* A place near ntdll from which one can get anywhere, as those who hook have it. */
static unsigned char *place_near(unsigned char *code)
{
    for (unsigned char *at = code + (16 << 20); at < code + (1 << 30); at += 1 << 20) {
        void *place = VirtualAlloc((void *)((uintptr_t)at & ~(uintptr_t)0xFFFF), 4096,
                                   MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

        if (place)
            return place;
    }
    return NULL;
}

enum shape {
    NEAR_JUMP,
    NEAR_JUMP_AFTER_FIRST,
    JUMP_BY_MEMORY,
    MOVE_RAX,
    MOVE_RAX_PUSH,
    MOVE_R11,
    PUSHES
};

static size_t shape_bytes(enum shape shape, unsigned char *bytes, unsigned char *stub,
                          unsigned char *place)
{
    void *target = (void *)(uintptr_t)watch;
    uint32_t low = (uint32_t)(uintptr_t)target, high = (uint32_t)((uintptr_t)target >> 32);
    int32_t distance;

    memcpy(place, "\xFF\x25\0\0\0\0", 6); /* jmp [next] */
    memcpy(place + 6, &target, sizeof target);
    switch (shape) {
    case NEAR_JUMP:
        distance = (int32_t)(place - (stub + 5));
        memcpy(bytes, "\xE9", 1);
        memcpy(bytes + 1, &distance, 4);
        return 5;
    case NEAR_JUMP_AFTER_FIRST:
        distance = (int32_t)(place - (stub + 8));
        memcpy(bytes, "\x4C\x8B\xD1\xE9", 4);
        memcpy(bytes + 4, &distance, 4);
        return 8;
    case JUMP_BY_MEMORY:
        distance = (int32_t)(place + 6 - (stub + 6));
        memcpy(bytes, "\xFF\x25", 2);
        memcpy(bytes + 2, &distance, 4);
        return 6;
    case MOVE_RAX:
    case MOVE_RAX_PUSH:
        memcpy(bytes, "\x48\xB8", 2);
        memcpy(bytes + 2, &target, 8);
        memcpy(bytes + 10, shape == MOVE_RAX ? "\xFF\xE0" : "\x50\xC3", 2);
        return 12;
    case MOVE_R11:
        memcpy(bytes, "\x49\xBB", 2);
        memcpy(bytes + 2, &target, 8);
        memcpy(bytes + 10, "\x41\xFF\xE3", 3);
        return 13;
    case PUSHES:
        memcpy(bytes, "\x68", 1);
        memcpy(bytes + 1, &low, 4);
        memcpy(bytes + 5, "\xC7\x44\x24\x04", 4);
        memcpy(bytes + 9, &high, 4);
        memcpy(bytes + 13, "\xC3", 1);
        return 14;
    }
    return 0;
}

static bool in_place_is_wanted(void)
{
    char text[16] = "";

    GetEnvironmentVariableA("UMSSHIM_SWITCH", text, sizeof text);
    return strcmp(text, "inplace") == 0;
}

static void live_with(enum shape shape)
{
    static char text[16384];
    unsigned char *stub = address("ntdll.dll", "NtDelayExecution"), bytes[16], before[STUB_BYTES];
    unsigned char *place = place_near(stub);
    int (*describe)(char *, size_t);
    size_t length;
    DWORD protection;
    HMODULE dll;

    watched = 0;
    ASSERT_OK(place != NULL);
    memcpy(place + 64, stub, 40); /* it refers to nothing relative */
    watched_stub = (void *)(place + 64);
    length = shape_bytes(shape, bytes, stub, place);
    ASSERT_OK(VirtualProtect(stub, sizeof before, PAGE_EXECUTE_READWRITE, &protection));
    memcpy(stub, bytes, length);
    memcpy(before, stub, sizeof before);
    Sleep(0);
    ASSERT_EQ(watched, 1);

    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    describe = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");
    ASSERT_OK(describe != NULL && describe(text, sizeof text));
    EXPECT_THAT(strstr(text, "hook NtDelayExecution (delay, user wait, asked): applied, before "),
                "it said: %s", text);
    EXPECT_THAT(!in_place_is_wanted() || strstr(text, "switching: in place"), "it said: %s", text);
    EXPECT_OK(memcmp(stub, before, sizeof before) != 0);
    watched = 1; /* the start has tried its hooks */
    Sleep(1);
    EXPECT_EQ(watched, 2);
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_EQ(memcmp(stub, before, sizeof before), 0);
    Sleep(1);
    EXPECT_EQ(watched, 3);
    memcpy(stub, place + 64, sizeof before);
}

CALL_TEST(HooksOfOthers, before_a_near_jump, live_with(NEAR_JUMP))
CALL_TEST(HooksOfOthers, before_a_near_jump_after_the_first_instruction,
          live_with(NEAR_JUMP_AFTER_FIRST))
CALL_TEST(HooksOfOthers, before_a_jump_by_memory, live_with(JUMP_BY_MEMORY))
CALL_TEST(HooksOfOthers, before_a_jump_by_rax, live_with(MOVE_RAX))
CALL_TEST(HooksOfOthers, before_a_return_to_rax, live_with(MOVE_RAX_PUSH))
CALL_TEST(HooksOfOthers, before_a_jump_by_r11, live_with(MOVE_R11))
CALL_TEST(HooksOfOthers, before_a_return_to_what_was_pushed, live_with(PUSHES))
