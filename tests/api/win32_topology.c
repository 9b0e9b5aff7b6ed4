/* SPDX-License-Identifier: MIT
 *
 * win32_topology.c - cores, caches, packages, nodes and groups: rules that hold on any machine, and
 * the agreement of the several calls.
 *
 * modes: win32
 * except: memory_on_a_node, nodes
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "own_name.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32) && !defined(NUMA_NO_PREFERRED_NODE)
#define NUMA_NO_PREFERRED_NODE ((DWORD)-1)
#endif

static ULONG_PTR active_mask(void)
{
    DWORD count = GetActiveProcessorCount(0);

    return count >= 64 ? ~(ULONG_PTR)0 : ((ULONG_PTR)1 << count) - 1;
}

static int overlaps;

static void cover(ULONG_PTR *all, ULONG_PTR part)
{
    overlaps += (*all & part) != 0;
    *all |= part;
}

TEST_IN_EACH_KIND(Win32Topology, each_processor_has_its_place)
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION *entries;
    ULONG_PTR cores = 0, packages = 0, nodes = 0;
    DWORD bytes = 0, short_of;

    overlaps = 0;
    EXPECT_FAILS(GetLogicalProcessorInformation(NULL, &bytes), ERROR_INSUFFICIENT_BUFFER);
    ASSERT_GE(bytes, 3 * sizeof *entries);
    EXPECT_EQ(bytes % sizeof *entries, 0);
    entries = calloc(1, bytes);
    short_of = bytes - 1;
    EXPECT_FAILS(GetLogicalProcessorInformation(entries, &short_of), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(short_of, bytes);
    ASSERT_OK(GetLogicalProcessorInformation(entries, &bytes));
    for (DWORD i = 0; i < bytes / sizeof *entries; i++) {
        EXPECT_NE(entries[i].ProcessorMask, 0);
        switch (entries[i].Relationship) {
        case RelationProcessorCore:
            cover(&cores, entries[i].ProcessorMask);
            EXPECT_LE(entries[i].ProcessorCore.Flags, 1);
            break;
        case RelationProcessorPackage:
            cover(&packages, entries[i].ProcessorMask);
            break;
        case RelationNumaNode:
            cover(&nodes, entries[i].ProcessorMask);
            break;
        case RelationCache:
            EXPECT_GE(entries[i].Cache.Level, 1);
            EXPECT_GT(entries[i].Cache.Size, 0);
            EXPECT_GT(entries[i].Cache.LineSize, 0);
            break;
        default:
            FAIL("relation %d", (int)entries[i].Relationship);
        }
    }
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(cores, active_mask());
    EXPECT_EQ(packages, active_mask());
    EXPECT_EQ(nodes, active_mask());
    free(entries);
}

/* The sum of the Ex entries' processors, -1 after a failed check; each is of the relation asked for. */
static int processors_in(LOGICAL_PROCESSOR_RELATIONSHIP what, int *entries)
{
    SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX *entry;
    DWORD bytes = 0;
    char *all;
    int sum = 0;

    *entries = 0;
    SetLastError(SENTINEL);
    if (!EXPECT_EQ(GetLogicalProcessorInformationEx(what, NULL, &bytes), FALSE) ||
        !EXPECT_EQ(GetLastError(), ERROR_INSUFFICIENT_BUFFER))
        return -1;
    all = calloc(1, bytes);
    if (!EXPECT_OK(GetLogicalProcessorInformationEx(what, (void *)all, &bytes)))
        return -1;
    for (DWORD at = 0; at < bytes; at += entry->Size) {
        entry = (void *)(all + at);
        if (!EXPECT_EQ(entry->Relationship, what) || !EXPECT_GT(entry->Size, 8))
            return -1;
        ++*entries;
        if (what == RelationProcessorCore || what == RelationProcessorPackage)
            for (WORD i = 0; i < entry->Processor.GroupCount; i++)
                sum += __builtin_popcountll(entry->Processor.GroupMask[i].Mask);
        else if (what == RelationNumaNode)
            sum += __builtin_popcountll(entry->NumaNode.GroupMask.Mask);
        else if (what == RelationGroup)
            for (WORD i = 0; i < entry->Group.ActiveGroupCount; i++)
                sum += entry->Group.GroupInfo[i].ActiveProcessorCount;
    }
    free(all);
    return sum;
}

TEST_IN_EACH_KIND(Win32Topology, by_relation)
{
    int processors = (int)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), entries;
    DWORD caches = 0;

    EXPECT_EQ(processors_in(RelationProcessorCore, &entries), processors);
    EXPECT_GE(processors, entries);
    EXPECT_EQ(processors_in(RelationProcessorPackage, &entries), processors);
    EXPECT_EQ(processors_in(RelationGroup, &entries), processors);
    EXPECT_EQ(entries, 1);
    EXPECT_EQ(processors_in(RelationNumaNode, &entries), processors);
    GetLogicalProcessorInformationEx(RelationCache, NULL, &caches);
    if (caches) /* a virtual machine may tell of none */
        EXPECT_GE(processors_in(RelationCache, &entries), 0);
}

/* What Windows programs have compiled in. */
TEST(Win32Topology, layout)
{
    EXPECT_EQ(sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION), 32);
    EXPECT_EQ(sizeof(PROCESSOR_RELATIONSHIP), 40);
    EXPECT_EQ(sizeof(NUMA_NODE_RELATIONSHIP), 40);
    EXPECT_EQ(sizeof(GROUP_AFFINITY), 16);
}

TEST_IN_EACH_KIND(Win32Topology, everything_is_the_sum_of_its_parts)
{
    static const LOGICAL_PROCESSOR_RELATIONSHIP parts[] = {RelationProcessorCore, RelationNumaNode,
                                                           RelationCache, RelationProcessorPackage,
                                                           RelationGroup};
    DWORD all = 0, sum = 0;

    EXPECT_FAILS(GetLogicalProcessorInformationEx(RelationAll, NULL, &all),
                 ERROR_INSUFFICIENT_BUFFER);
    for (int i = 0; i < 5; i++) {
        DWORD bytes = 0;
        GetLogicalProcessorInformationEx(parts[i], NULL, &bytes);
        sum += bytes;
    }
    EXPECT_GE(all, sum);
}

/* ---- Groups and nodes ---------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Topology, affinity_by_group)
{
    GROUP_AFFINITY before = {0}, one = {0}, seen = {0}, bad;

    ASSERT_OK(GetThreadGroupAffinity(GetCurrentThread(), &before));
    EXPECT_NE(before.Mask, 0);
    one.Group = before.Group;
    one.Mask = before.Mask & (~before.Mask + 1); /* the lowest */
    ASSERT_OK(SetThreadGroupAffinity(GetCurrentThread(), &one, &seen));
    EXPECT_EQ(seen.Mask, before.Mask);
    EXPECT_EQ(seen.Group, before.Group);
    ASSERT_OK(GetThreadGroupAffinity(GetCurrentThread(), &seen));
    EXPECT_EQ(seen.Mask, one.Mask);
    EXPECT_OK(SetThreadGroupAffinity(GetCurrentThread(), &before, NULL));
    bad = one;
    bad.Mask = 0;
    EXPECT_FAILS(SetThreadGroupAffinity(GetCurrentThread(), &bad, NULL), ERROR_INVALID_PARAMETER);
    bad = one;
    bad.Group = 77;
    EXPECT_FAILS(SetThreadGroupAffinity(GetCurrentThread(), &bad, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetThreadGroupAffinity((HANDLE)0x7777770, &one, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetThreadGroupAffinity((HANDLE)0x7777770, &seen), ERROR_INVALID_HANDLE);
    EXPECT_EQ(GetActiveProcessorGroupCount(),
              1 + (GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) - 1) / 64);
    EXPECT_GE(GetMaximumProcessorGroupCount(), GetActiveProcessorGroupCount());
}

TEST_IN_EACH_KIND(Win32Topology, nodes)
{
    ULONG highest = 4711;
    PROCESSOR_NUMBER here = {0, 0, 0}, nowhere = {0, 63, 0};
    GROUP_AFFINITY mask = {0};
    ULONGLONG bytes = 0, narrow = 0;
    USHORT node = 4711;
    UCHAR small = 77;

    ASSERT_OK(GetNumaHighestNodeNumber(&highest));
    EXPECT_LT(highest, 1024);
    GetCurrentProcessorNumberEx(&here);
    ASSERT_OK(GetNumaProcessorNodeEx(&here, &node));
    EXPECT_LE(node, highest);
    ASSERT_OK(GetNumaNodeProcessorMaskEx(node, &mask));
    EXPECT_EQ(mask.Group, here.Group);
    EXPECT_EQ(mask.Mask >> here.Number & 1, 1);
    EXPECT_OK(GetNumaProcessorNode(here.Number, &small));
    EXPECT_EQ(small, node);
    EXPECT_OK(GetNumaNodeProcessorMask(small, &narrow));
    EXPECT_EQ(narrow, mask.Mask);
    EXPECT_OK(GetNumaAvailableMemoryNodeEx(node, &bytes));
    EXPECT_GT(bytes, 0);
    EXPECT_FAILS(GetNumaNodeProcessorMaskEx((USHORT)(highest + 1), &mask), ERROR_INVALID_PARAMETER);
#ifndef _WIN32 /* Windows 11's, which neither Wine nor MinGW has */
    GROUP_AFFINITY masks[64] = {{0}};
    USHORT groups = 0;

    EXPECT_FAILS(GetNumaNodeProcessorMask2(node, NULL, 0, &groups), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_THAT(groups >= 1 && groups <= 64, "%d groups", groups);
    EXPECT_OK(GetNumaNodeProcessorMask2(node, masks, 64, &groups));
    for (int i = 0; i < groups; i++)
        if (masks[i].Group == mask.Group)
            EXPECT_EQ(masks[i].Mask, mask.Mask);
    EXPECT_FAILS(GetNumaNodeProcessorMask2((USHORT)(highest + 1), masks, 64, &groups),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetNumaNodeProcessorMask2(node, masks, 64, NULL), ERROR_INVALID_PARAMETER);
#endif
    if (GetActiveProcessorCount(0) < 64) {
        EXPECT_FAILS(GetNumaProcessorNodeEx(&nowhere, &node), ERROR_INVALID_PARAMETER);
        EXPECT_EQ(node, 0xffff);
    }
}

TEST_IN_EACH_KIND(Win32Topology, memory_on_a_node)
{
    ULONG highest = 0;
    char *memory;

    ASSERT_OK(GetNumaHighestNodeNumber(&highest));
    for (DWORD node = 0; node <= highest + 1; node++) {
        DWORD wanted = node > highest ? NUMA_NO_PREFERRED_NODE : node;
        memory = VirtualAllocExNuma(GetCurrentProcess(), NULL, 65536, MEM_RESERVE | MEM_COMMIT,
                                    PAGE_READWRITE, wanted);
        ASSERT_OK(memory != NULL);
        memset(memory, 1, 65536);
        EXPECT_OK(VirtualFree(memory, 0, MEM_RELEASE));
    }
    SetLastError(SENTINEL);
    EXPECT_EQ(
        VirtualAllocExNuma(GetCurrentProcess(), NULL, 65536, MEM_RESERVE, PAGE_READWRITE, 4711),
        NULL);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Topology, sections_on_a_node)
{
    static const WCHAR plain[] = {'o', 'n', ' ', 'n', 'o', 'd', 'e', 0};
    const WCHAR *name = OWN_NAME_W(plain);
    ULONG highest = 0;
    HANDLE section, again;

    ASSERT_OK(GetNumaHighestNodeNumber(&highest));
    section =
        CreateFileMappingNumaW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 65536, name, highest);
    ASSERT_OK(section != NULL);
    again = CreateFileMappingNumaW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 65536, name,
                                   NUMA_NO_PREFERRED_NODE);
    EXPECT_NE(again, NULL);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_OK(CloseHandle(again));
    EXPECT_OK(CloseHandle(section));
#ifndef _WIN32 /* Wine has the W form only, and takes any node */
    section = CreateFileMappingNumaA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 65536, NULL, 0);
    ASSERT_OK(section != NULL);
    EXPECT_OK(CloseHandle(section));
    EXPECT_FAILS(CreateFileMappingNumaA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 65536, NULL,
                                        highest + 1),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateFileMappingNumaW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 65536, NULL,
                                        highest + 1),
                 ERROR_INVALID_PARAMETER);
#endif
}
