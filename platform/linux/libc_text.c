/* SPDX-License-Identifier: MIT
 *
 * libc_text.c - where the code lies that may hold a lock which a thread needs in order to end: libc's,
 * the heap's if that is another library's, and the dynamic linker's.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "platform/linux/thread.h"

enum { RANGES = 4 };

static struct {
    uintptr_t start, end;
} ranges[RANGES];
static unsigned range_count;

static bool concerns(uintptr_t start, uintptr_t end)
{
    uintptr_t marks[] = {(uintptr_t)malloc, (uintptr_t)fflush, getauxval(AT_BASE)};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i] >= start && marks[i] < end)
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *first)
{
    (void)size;
    uintptr_t start = UINTPTR_MAX, end = 0;
    bool program = *(bool *)first; /* comes first; a heap of its own is not worth stopping nowhere */
    *(bool *)first = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        start = at < start ? at : start;
        end = at + header->p_memsz > end ? at + header->p_memsz : end;
    }
    if (!program && range_count < RANGES && concerns(start, end)) {
        ranges[range_count].start = start;
        ranges[range_count++].end = end;
    }
    return 0;
}

void libc_locate(void)
{
    bool first = true;
    range_count = 0;
    dl_iterate_phdr(look_at, &first);
}

bool libc_holds(const void *code)
{
    for (unsigned i = 0; i < range_count; i++)
        if ((uintptr_t)code >= ranges[i].start && (uintptr_t)code < ranges[i].end)
            return true;
    return false;
}
