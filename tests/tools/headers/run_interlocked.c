/* SPDX-License-Identifier: MIT
 *
 * run_interlocked.c - what the interlocked operations, bit tests and other intrinsics return.
 */
#include <windows.h>

#include <intrin.h>
#include <stdio.h>
#include <string.h>

#include "run_check.h"

static void widths(void)
{
    LONG dword = 5;
    volatile long plain = 5;
    volatile LONGLONG wide = 0x100000000;
    short word = -1;

    CHECK(InterlockedIncrement(&dword) == 6 && dword == 6);
    CHECK(InterlockedIncrement(&plain) == 6 && plain == 6);
    CHECK(InterlockedDecrement(&plain) == 5);
    CHECK(InterlockedExchange(&dword, -2) == 6 && dword == -2);
    CHECK(InterlockedExchangeAdd(&dword, 3) == -2 && dword == 1);
    CHECK(InterlockedAdd(&dword, 3) == 4);
    CHECK(InterlockedCompareExchange(&dword, 9, 4) == 4 && dword == 9);
    CHECK(InterlockedCompareExchange(&dword, 1, 4) == 9 && dword == 9);
    CHECK(InterlockedOr(&dword, 6) == 9 && dword == 15);
    CHECK(InterlockedAnd(&dword, 3) == 15 && dword == 3);
    CHECK(InterlockedXor(&dword, 1) == 3 && dword == 2);
    CHECK(InterlockedIncrement64(&wide) == 0x100000001);
    CHECK(InterlockedCompareExchange64(&wide, 0x200000000, 0x100000001) == 0x100000001);
    CHECK(_InterlockedExchangeAdd64(&wide, -1) == 0x200000000 && wide == 0x1ffffffff);
    CHECK(InterlockedIncrement16(&word) == 0 && word == 0);
#ifndef _WIN32 /* MinGW 10 has none of 8 bits, nor of size_t */
    char byte = 7;
    SIZE_T size = 0;

    CHECK(_InterlockedExchange8(&byte, 1) == 7 && byte == 1);
    CHECK(InterlockedIncrementSizeT(&size) == 1);
    CHECK(InterlockedDecrementSizeT(&size) == 0);
#endif
    CHECK(_InterlockedCompareExchange(&plain, 8, 5) == 5 && plain == 8);
}

static void pointers(void)
{
    int one, two;
    PVOID pointer = &one;
    __declspec(align(16)) LONGLONG pair[2] = {1, 2};
    LONGLONG expected[2] = {1, 3};

    CHECK(InterlockedExchangePointer(&pointer, &two) == &one && pointer == &two);
    CHECK(InterlockedCompareExchangePointer(&pointer, &one, &two) == &two && pointer == &one);
    CHECK(InterlockedCompareExchange128(pair, 4, -1, expected) == 0);
    CHECK(expected[0] == 1 && expected[1] == 2 && pair[1] == 2);
    CHECK(InterlockedCompareExchange128(pair, 4, -1, expected) == 1);
    CHECK(pair[0] == -1 && pair[1] == 4);
}

#if !defined(__cplusplus) && !defined(_WIN32)
/* A void pointer, which C takes for a pointer to the type of the operation's width. Each call reads
 * its argument once. */
static void untyped(void)
{
    unsigned char room[32];
    void *at = room;
    volatile void *there = room;
    void *each[2] = {room + 16, room};
    int i = 0;

    memset(room, 0xff, sizeof room);
    CHECK(InterlockedIncrement(at) == 0 && room[3] == 0 && room[4] == 0xff);
    CHECK(InterlockedDecrement64(at) == -4294967297 && room[4] == 0xfe);
    memset(room, 0xff, sizeof room);
    CHECK(InterlockedIncrement64(there) == 0 && room[7] == 0 && room[8] == 0xff);
    CHECK(InterlockedExchange(at, 7) == 0 && room[0] == 7);
    CHECK(InterlockedExchangeAdd(at, 2) == 7 && InterlockedAdd(at, 1) == 10);
    CHECK(InterlockedCompareExchange(there, 5, 10) == 10 && room[0] == 5);
    CHECK(InterlockedCompareExchange64(at, -1, 5) == 5 && room[7] == 0xff);
    CHECK(InterlockedAnd(at, 0xf0) == -1 && room[0] == 0xf0 && room[4] == 0xff);
    CHECK(InterlockedOr(at, 1) == 0xf0 && InterlockedXor(at, 3) == 0xf1 && room[0] == 0xf2);
    CHECK(InterlockedIncrement16(at) == 0xf3 && _InterlockedExchange8(at, 1) == -13);
    CHECK(InterlockedExchangePointer(at, &i) != &i && *(int **)at == &i);
    CHECK(InterlockedIncrement(each[i++]) == 0 && i == 1);
    CHECK(InterlockedExchange(each[0], InterlockedExchange(each[0], 4)) == 4);
}
#endif

static void bits(void)
{
    LONG words[2] = {0, 0};
    unsigned long index = 77;
    DWORD short_index = 77;
    unsigned __int64 high = 0;

    CHECK(!_interlockedbittestandset(words, 33 - 32) && words[0] == 2);
    CHECK(InterlockedBitTestAndSet(words, 1));
    CHECK(_bittest(words, 1) && !_bittest(words, 0));
    CHECK(_interlockedbittestandreset(words, 1) && words[0] == 0);
    CHECK(!_bittestandcomplement(words, 31) && (DWORD)words[0] == 0x80000000);
    CHECK(!_BitScanForward(&index, 0) && index == 77);
    CHECK(_BitScanForward(&index, 0x50) && index == 4);
    CHECK(_BitScanReverse(&index, 0x50) && index == 6);
    CHECK(_BitScanReverse64(&index, (unsigned __int64)1 << 40) && index == 40);
    CHECK(BitScanForward(&short_index, 8) && short_index == 3);
    CHECK(__popcnt64(0xff00ff) == 16 && __lzcnt64(1) == 63 && __lzcnt16(1) == 15);
    CHECK(_byteswap_ulong(0x01020304) == 0x04030201);
    CHECK(_rotl(0x80000001, 1) == 3 && _rotr64(1, 1) == (unsigned __int64)1 << 63);
    CHECK(_umul128((unsigned __int64)1 << 63, 6, &high) == 0 && high == 3);
}

static void processor(void)
{
    int information[4];
    char vendor[13] = "";
    unsigned int helper;
    unsigned char bytes[5] = "....";
    unsigned __int64 then = __rdtsc();

    __cpuid(information, 0);
    memcpy(vendor, &information[1], 4);
    memcpy(vendor + 4, &information[3], 4);
    memcpy(vendor + 8, &information[2], 4);
    CHECK(strlen(vendor) == 12);
    __cpuidex(information, 7, 0);
    __stosb(bytes, 'x', 3);
    CHECK(strcmp((char *)bytes, "xxx.") == 0);
    _mm_lfence();
    __faststorefence();
    _ReadBarrier();
    _WriteBarrier();
#ifndef _WIN32 /* MinGW 10 has none */
    __nop();
#endif
    CHECK(_ReturnAddress() == *(void **)_AddressOfReturnAddress());
    CHECK(__rdtscp(&helper) > then);
}

int main(void)
{
    widths();
    pointers();
#if !defined(__cplusplus) && !defined(_WIN32)
    untyped();
#endif
    bits();
    processor();
    return failures != 0;
}
