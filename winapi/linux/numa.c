/* SPDX-License-Identifier: MIT
 *
 * numa.c - memory nodes: their processors, their memory, and allocation on one of them.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/groups.h"
#include "winapi/linux/topology.h"

enum { MPOL_PREFERRED_NODE = 1 }; /* as <numaif.h> is not on every system */

/* NULL with the last error. */
static const struct relation *node_numbered(unsigned number)
{
    const struct topology *topology = win__topology();
    for (unsigned i = 0; topology && i < topology->count; i++)
        if (topology->relations[i].what == SHARED_NODE && topology->relations[i].number == number)
            return &topology->relations[i];
    win__fail(topology ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

static const struct relation *node_of(unsigned cpu)
{
    const struct topology *topology = win__topology();
    for (unsigned i = 0; topology && cpu < CPU_SETSIZE && i < topology->count; i++)
        if (topology->relations[i].what == SHARED_NODE &&
            CPU_ISSET(cpu, &topology->relations[i].members))
            return &topology->relations[i];
    win__fail(topology ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY);
    return NULL;
}

BOOL WINAPI GetNumaHighestNodeNumber(PULONG HighestNodeNumber)
{
    const struct topology *topology = win__topology();
    if (!HighestNodeNumber || !topology)
        return win__fail(topology ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY);
    *HighestNodeNumber = topology->highest_node;
    return TRUE;
}

BOOL WINAPI GetNumaNodeProcessorMaskEx(USHORT Node, PGROUP_AFFINITY ProcessorMask)
{
    const struct relation *node = node_numbered(Node);
    if (!node)
        return FALSE;
    if (!ProcessorMask)
        return win__fail(ERROR_INVALID_PARAMETER);
    *ProcessorMask = win__main_group(&node->members);
    return TRUE;
}

BOOL WINAPI GetNumaNodeProcessorMask2(USHORT NodeNumber, PGROUP_AFFINITY ProcessorMasks,
                                      USHORT ProcessorMaskCount, PUSHORT RequiredMaskCount)
{
    const struct relation *node = node_numbered(NodeNumber);
    USHORT count = 0;
    if (!node)
        return FALSE;
    if (!RequiredMaskCount || (ProcessorMaskCount && !ProcessorMasks))
        return win__fail(ERROR_INVALID_PARAMETER);
    for (WORD group = 0; group < CPU_SETSIZE / 64; group++) {
        KAFFINITY mask = win__group_mask(&node->members, group);
        if (mask && count < ProcessorMaskCount)
            ProcessorMasks[count] = (GROUP_AFFINITY){.Mask = mask, .Group = group};
        count = (USHORT)(count + (mask != 0));
    }
    *RequiredMaskCount = count;
    return count <= ProcessorMaskCount ? TRUE : win__fail(ERROR_INSUFFICIENT_BUFFER);
}

BOOL WINAPI GetNumaNodeProcessorMask(UCHAR Node, PULONGLONG ProcessorMask)
{
    GROUP_AFFINITY affinity;
    if (!ProcessorMask)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!GetNumaNodeProcessorMaskEx(Node, &affinity))
        return FALSE;
    *ProcessorMask = affinity.Group == win__current_group() ? affinity.Mask : 0;
    return TRUE;
}

BOOL WINAPI GetNumaProcessorNodeEx(PPROCESSOR_NUMBER Processor, PUSHORT NodeNumber)
{
    if (!Processor || !NodeNumber)
        return win__fail(ERROR_INVALID_PARAMETER);
    *NodeNumber = 0xffff;
    if (Processor->Number >= 64 || Processor->Reserved)
        return win__fail(ERROR_INVALID_PARAMETER);
    const struct relation *node = node_of(Processor->Group * 64u + Processor->Number);
    if (node)
        *NodeNumber = (USHORT)node->number;
    return node != NULL;
}

BOOL WINAPI GetNumaProcessorNode(UCHAR Processor, PUCHAR NodeNumber)
{
    PROCESSOR_NUMBER number = {.Group = win__current_group(), .Number = Processor};
    USHORT node = 0xffff;
    if (!NodeNumber)
        return win__fail(ERROR_INVALID_PARAMETER);
    BOOL known = GetNumaProcessorNodeEx(&number, &node);
    *NodeNumber = (UCHAR)node;
    return known;
}

/* Reads a line such as "Node 0 MemFree:   123 kB". */
static bool free_memory(unsigned number, ULONGLONG *bytes)
{
    char path[80], line[160];
    unsigned long long kilobytes = 0;
    bool found = false;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/meminfo", number);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "Node %*u MemFree: %llu", &kilobytes) == 1;
    if (file)
        fclose(file);
    *bytes = kilobytes * 1024;
    return found;
}

BOOL WINAPI GetNumaAvailableMemoryNodeEx(USHORT Node, PULONGLONG AvailableBytes)
{
    if (!AvailableBytes)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!node_numbered(Node))
        return FALSE;
    if (!free_memory(Node, AvailableBytes)) /* there is one node, which has all memory */
        *AvailableBytes = (ULONGLONG)sysconf(_SC_AVPHYS_PAGES) * (ULONGLONG)sysconf(_SC_PAGESIZE);
    return TRUE;
}

BOOL WINAPI GetNumaAvailableMemoryNode(UCHAR Node, PULONGLONG AvailableBytes)
{
    return GetNumaAvailableMemoryNodeEx(Node, AvailableBytes);
}

static bool may_be_preferred(DWORD node)
{
    return node == NUMA_NO_PREFERRED_NODE || node_numbered(node);
}

/* A page of a file lies on the node where its first user runs. So the call only checks the node. */
HANDLE WINAPI CreateFileMappingNumaA(HANDLE hFile, LPSECURITY_ATTRIBUTES lpFileMappingAttributes,
                                     DWORD flProtect, DWORD dwMaximumSizeHigh,
                                     DWORD dwMaximumSizeLow, LPCSTR lpName, DWORD nndPreferred)
{
    return may_be_preferred(nndPreferred)
               ? CreateFileMappingA(hFile, lpFileMappingAttributes, flProtect, dwMaximumSizeHigh,
                                    dwMaximumSizeLow, lpName)
               : NULL;
}

HANDLE WINAPI CreateFileMappingNumaW(HANDLE hFile, LPSECURITY_ATTRIBUTES lpFileMappingAttributes,
                                     DWORD flProtect, DWORD dwMaximumSizeHigh,
                                     DWORD dwMaximumSizeLow, LPCWSTR lpName, DWORD nndPreferred)
{
    return may_be_preferred(nndPreferred)
               ? CreateFileMappingW(hFile, lpFileMappingAttributes, flProtect, dwMaximumSizeHigh,
                                    dwMaximumSizeLow, lpName)
               : NULL;
}

/* Prefers a node. Where the kernel has no nodes, or forbids to choose one, any memory will do. */
LPVOID WINAPI VirtualAllocExNuma(HANDLE hProcess, LPVOID lpAddress, SIZE_T dwSize,
                                 DWORD flAllocationType, DWORD flProtect, DWORD nndPreferred)
{
    if (!win__this_process(hProcess)) {
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    bool chosen = nndPreferred != NUMA_NO_PREFERRED_NODE;
    if (!may_be_preferred(nndPreferred))
        return NULL;
    char *memory = VirtualAlloc(lpAddress, dwSize, flAllocationType, flProtect);
    if (memory && chosen) {
        unsigned long nodes[CPU_SETSIZE / 64] = {0};
        nodes[nndPreferred / 64] = 1ul << nndPreferred % 64;
        RAW6(SYS_mbind, memory, dwSize, MPOL_PREFERRED_NODE, nodes, CPU_SETSIZE, 0);
    }
    return memory;
}
