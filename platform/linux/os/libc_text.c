/* SPDX-License-Identifier: MIT
 *
 * libc_text.c - the places of code that may hold a lock which a thread needs in order to end:
 * libc's, the dynamic linker's, and the heap's, if another library has it.
 */
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/libc_text.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/platform.h"

enum { RANGES = 4 };

static struct {
    uintptr_t start, end;
} ranges[RANGES];
static unsigned range_count;
static bool found;
static uintptr_t
    own; /* an address in libc itself, even if another library stands before its functions */

static bool concerns(uintptr_t start, uintptr_t end)
{
    uintptr_t marks[] = {(uintptr_t)malloc, own, getauxval(AT_BASE)};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i] >= start && marks[i] < end)
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *first)
{
    (void)size;
    uintptr_t start = UINTPTR_MAX, end = 0;
    bool program =
        *(bool *)first; /* the program is listed first. It does not count, even if it has the heap:
                         * else no thread could be stopped in it */
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

static bool covered(uintptr_t address)
{
    for (unsigned i = 0; i < range_count; i++)
        if (address >= ranges[i].start && address < ranges[i].end)
            return true;
    return false;
}

void libc_locate(void)
{
    bool first = true;
    range_count = 0;
    own = (uintptr_t)front_in_libc(FRONT_read);
    if (trial_misled("text"))
        own = 1;
    dl_iterate_phdr(look_at, &first);
    found = covered(own) && covered(getauxval(AT_BASE));
    if (!found)
        plat_log(
            "where the C library's code lies is not known here: a running thread that is ended "
            "from outside ends in its next system call, not before");
}

bool libc_holds(const void *code)
{
    return !found || covered((uintptr_t)code);
}
