/* SPDX-License-Identifier: MIT
 *
 * dump_file.c - see dump_file.h. The format is documented: a header, a table of streams, and
 * streams with places in the file. A stream may be anywhere in the file. So umsrun appends the
 * stacks, and then a new list of all memory, and has the table name that list. The new list leaves
 * out old ranges that are part of a new one.
 *
 * A callback could give MiniDumpWriteDump the stacks, but not the registers; and Wine does not call
 * it for memory.
 */
#include "winapi/windows/umsrun/dump_file.h"

#include <dbghelp.h>
#include <stdlib.h>
#include <string.h>

enum { PORTION = 1 << 16 };

struct dump_file {
    HANDLE file;
    const struct target *target;
    uint64_t end;
    MINIDUMP_DIRECTORY threads, memory;
    uint64_t memory_entry; /* the place of its entry in the table */
    MINIDUMP_MEMORY_DESCRIPTOR *ranges;
    ULONG32 range_count;
};

static bool get(const struct dump_file *dump, uint64_t place, void *to, size_t bytes)
{
    OVERLAPPED at = {.Offset = (DWORD)place, .OffsetHigh = (DWORD)(place >> 32)};
    DWORD done;
    return ReadFile(dump->file, to, (DWORD)bytes, &done, &at) && done == bytes;
}

static bool put(const struct dump_file *dump, uint64_t place, const void *from, size_t bytes)
{
    OVERLAPPED at = {.Offset = (DWORD)place, .OffsetHigh = (DWORD)(place >> 32)};
    DWORD done;
    return WriteFile(dump->file, from, (DWORD)bytes, &done, &at) && done == bytes;
}

/* Places in the file have 32 bits. */
static bool append(struct dump_file *dump, const void *from, size_t bytes)
{
    if (dump->end + bytes > UINT32_MAX || !put(dump, dump->end, from, bytes))
        return false;
    dump->end += bytes;
    return true;
}

/* ---- The old streams ------------------------------------------------------------------------- */

static bool find_streams(struct dump_file *dump)
{
    MINIDUMP_HEADER header;
    MINIDUMP_DIRECTORY entry;
    if (!get(dump, 0, &header, sizeof header) || memcmp(&header.Signature, "MDMP", 4) != 0)
        return false;
    for (ULONG32 i = 0; i < header.NumberOfStreams; i++) {
        uint64_t place = header.StreamDirectoryRva + (uint64_t)i * sizeof entry;
        if (!get(dump, place, &entry, sizeof entry))
            return false;
        if (entry.StreamType == ThreadListStream)
            dump->threads = entry;
        if (entry.StreamType == MemoryListStream) {
            dump->memory = entry;
            dump->memory_entry = place;
        }
    }
    return dump->threads.Location.Rva && dump->memory.Location.Rva;
}

/* Reads the list of memory, with room for one more range for each worker. */
static bool read_ranges(struct dump_file *dump)
{
    ULONG32 count;
    LARGE_INTEGER size;
    if (!GetFileSizeEx(dump->file, &size) ||
        !get(dump, dump->memory.Location.Rva, &count, sizeof count) ||
        count > (uint64_t)size.QuadPart / sizeof *dump->ranges)
        return false;
    dump->end = (uint64_t)size.QuadPart;
    dump->ranges = malloc(((size_t)count + dump->target->count + 1) * sizeof *dump->ranges);
    dump->range_count = count;
    return dump->ranges && get(dump, dump->memory.Location.Rva + sizeof count, dump->ranges,
                               count * sizeof *dump->ranges);
}

/* ---- The new parts --------------------------------------------------------------------------- */

static const struct seen *parked_on(const struct target *target, ULONG32 thread)
{
    for (unsigned i = 0; i < target->count; i++)
        if (target->all[i].thread == thread && target_is_parked(&target->all[i]))
            return &target->all[i];
    return NULL;
}

/* A stack ends where its writable pages end; guard pages are below it. */
static size_t bytes_to_stack_end(const struct target *target, uint64_t sp)
{
    MEMORY_BASIC_INFORMATION pages;
    if (!VirtualQueryEx(target->process, (void *)(uintptr_t)sp, &pages, sizeof pages) ||
        pages.State != MEM_COMMIT)
        return 0;
    return (size_t)((uintptr_t)pages.BaseAddress + pages.RegionSize - sp);
}

static void leave_out_parts_of(struct dump_file *dump, const MINIDUMP_MEMORY_DESCRIPTOR *whole)
{
    ULONG32 kept = 0;
    uint64_t begin = whole->StartOfMemoryRange, end = begin + whole->Memory.DataSize;
    for (ULONG32 i = 0; i < dump->range_count; i++) {
        const MINIDUMP_MEMORY_DESCRIPTOR *range = &dump->ranges[i];
        if (range->StartOfMemoryRange < begin ||
            range->StartOfMemoryRange + range->Memory.DataSize > end)
            dump->ranges[kept++] = *range;
    }
    dump->range_count = kept;
}

static bool add_stack(struct dump_file *dump, uint64_t sp, MINIDUMP_MEMORY_DESCRIPTOR *range)
{
    static char portion[PORTION];
    size_t left = bytes_to_stack_end(dump->target, sp);
    *range = (MINIDUMP_MEMORY_DESCRIPTOR){sp, {(ULONG32)left, (RVA)dump->end}};
    while (left) {
        size_t bytes = left < sizeof portion ? left : sizeof portion;
        SIZE_T done;
        if (!ReadProcessMemory(dump->target->process, (void *)(uintptr_t)sp, portion, bytes,
                               &done) ||
            !append(dump, portion, bytes))
            return false;
        sp += bytes;
        left -= bytes;
    }
    leave_out_parts_of(dump, range);
    dump->ranges[dump->range_count++] = *range;
    return true;
}

static bool park(struct dump_file *dump, const struct seen *worker, MINIDUMP_THREAD *thread)
{
    CONTEXT registers;
    return thread->ThreadContext.DataSize >= sizeof registers &&
           get(dump, thread->ThreadContext.Rva, &registers, sizeof registers) &&
           target_registers(dump->target, worker, &registers) &&
           put(dump, thread->ThreadContext.Rva, &registers, sizeof registers) &&
           add_stack(dump, worker->saved_sp, &thread->Stack);
}

static int park_all(struct dump_file *dump)
{
    ULONG32 count;
    int parked = 0;
    uint64_t place = dump->threads.Location.Rva;
    if (!get(dump, place, &count, sizeof count))
        return -1;
    place += sizeof count;
    for (ULONG32 i = 0; i < count; i++, place += sizeof(MINIDUMP_THREAD)) {
        MINIDUMP_THREAD thread;
        if (!get(dump, place, &thread, sizeof thread))
            return -1;
        const struct seen *worker = parked_on(dump->target, thread.ThreadId);
        if (!worker)
            continue;
        if (!park(dump, worker, &thread) || !put(dump, place, &thread, sizeof thread))
            return -1;
        parked++;
    }
    return parked;
}

static bool put_ranges(struct dump_file *dump)
{
    size_t bytes = dump->range_count * sizeof *dump->ranges;
    dump->memory.Location =
        (MINIDUMP_LOCATION_DESCRIPTOR){(ULONG32)(sizeof dump->range_count + bytes), (RVA)dump->end};
    return append(dump, &dump->range_count, sizeof dump->range_count) &&
           append(dump, dump->ranges, bytes) &&
           put(dump, dump->memory_entry, &dump->memory, sizeof dump->memory);
}

int dump_file_park(HANDLE file, const struct target *target)
{
    struct dump_file dump = {.file = file, .target = target};
    int parked = -1;
    if (find_streams(&dump) && read_ranges(&dump))
        parked = park_all(&dump);
    if (parked >= 0 && !put_ranges(&dump))
        parked = -1;
    free(dump.ranges);
    return parked;
}
