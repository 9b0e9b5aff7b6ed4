/* SPDX-License-Identifier: MIT
 *
 * win32_memory.c - released memory is the system's again, and an access to memory without access
 * rights faults.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

enum { LIMIT_MS = 20000, PAGE = 4096 };

/* Limits the address space: there is room for a few rounds of the loops below, and not for all. */
static int limit_address_space(void)
{
    struct rlimit limit = {(rlim_t)3 << 30, (rlim_t)3 << 30};

    return setrlimit(RLIMIT_AS, &limit);
}

static int destroy_heaps(void *unused)
{
    limit_address_space();
    for (int i = 0; i < 100; i++) {
        HANDLE heap = HeapCreate(0, 0, 0);

        for (int j = 0; j < 100; j++) {
            if (!HeapAlloc(heap, 0, 1 << 20)) {
                FAIL("round %d, block %d", i, j);
                return 1;
            }
        }
        EXPECT_OK(HeapDestroy(heap));
    }
    return 0;
}

CALL_TEST(Win32Memory, a_destroyed_heap_gives_all_back,
          EXPECT_IN_CHILD(destroy_heaps, NULL, LIMIT_MS))

static int release_regions(void *unused)
{
    limit_address_space();
    for (int i = 0; i < 1000; i++) {
        void *memory = VirtualAlloc(NULL, 1 << 30, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

        if (!memory) {
            FAIL("round %d: last error %u", i, (unsigned)GetLastError());
            return 1;
        }
        EXPECT_OK(VirtualFree(memory, 0, MEM_RELEASE));
    }
    SetLastError(0);
    EXPECT_EQ(VirtualAlloc(NULL, (SIZE_T)1 << 40, MEM_RESERVE, PAGE_READWRITE), NULL);
    EXPECT_EQ(GetLastError(), ERROR_NOT_ENOUGH_MEMORY);
    return 0;
}

CALL_TEST(Win32Memory, released_regions_are_gone, EXPECT_IN_CHILD(release_regions, NULL, LIMIT_MS))

static DWORD tls;
static DWORD fls;
static DWORD far_tls;

static DWORD WINAPI use_slots(LPVOID unused)
{
    EXPECT_OK(TlsSetValue(tls, &tls));
    EXPECT_OK(TlsSetValue(far_tls, &tls));
    EXPECT_OK(FlsSetValue(fls, &fls));
    return 0;
}

static void run_threads(int count)
{
    for (int i = 0; i < count; i++) {
        HANDLE thread = CreateThread(NULL, 0, use_slots, NULL, 0, NULL);

        ASSERT_OK(thread != NULL);
        ASSERT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(thread));
    }
}

TEST(Win32Memory, slots_go_with_their_thread)
{
    size_t before;

    for (int i = 0; i < 200; i++)
        far_tls = TlsAlloc(); /* in another page of slots */
    tls = TlsAlloc();
    fls = FlsAlloc(NULL);
    run_threads(20);
    before = mallinfo2().uordblks;
    run_threads(300);
    EXPECT_LT(mallinfo2().uordblks, before + 300 * 1000); /* a thread's slots take more */
}

enum touch { RESERVED, DECOMMITTED, READ_ONLY_WRITE, NO_ACCESS, RELEASED };

static int touch(void *how)
{
    volatile char *memory = VirtualAlloc(NULL, PAGE, MEM_RESERVE, PAGE_READWRITE);
    DWORD old;

    if (*(enum touch *)how != RESERVED) {
        VirtualAlloc((void *)memory, PAGE, MEM_COMMIT, PAGE_READWRITE);
        memory[0] = 1;
    }
    switch (*(enum touch *)how) {
    case RESERVED:
        break;
    case DECOMMITTED:
        VirtualFree((void *)memory, PAGE, MEM_DECOMMIT);
        break;
    case READ_ONLY_WRITE:
        VirtualProtect((void *)memory, PAGE, PAGE_READONLY, &old);
        if (memory[0] != 1)
            return 2;
        memory[0] = 2;
        break;
    case NO_ACCESS:
        VirtualProtect((void *)memory, PAGE, PAGE_NOACCESS, &old);
        break;
    case RELEASED:
        VirtualFree((void *)memory, 0, MEM_RELEASE);
        break;
    }
    return memory[0] == 77;
}

TEST(Win32Memory, what_is_not_accessible_faults)
{
    for (enum touch how = RESERVED; how <= RELEASED; how++) {
        struct child_result result = child_run(touch, &how, LIMIT_MS);

        EXPECT_CHILD_SIGNAL(result, SIGSEGV);
    }
}
