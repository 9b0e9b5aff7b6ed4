/* SPDX-License-Identifier: MIT
 *
 * site_text.c - exchanges pages of code while other threads run in them.
 *
 * Nothing is written where code runs, and no page can be written and executed at once.
 * site_exchange copies the pages elsewhere, changes the copy, makes it executable and moves it onto
 * the old pages. The kernel moves it with the whole address space locked: first no processor has
 * the old pages any more, then the new ones are there. A thread that comes in between waits for the
 * lock. So a thread fetches an instruction from the old pages or from the new ones, wherever its
 * bytes lie. It can go on in either: they differ only in instructions that mean the same.
 *
 * The copy is a private mapping of the same file where that can be had, so the process's map looks
 * as before.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/libc/sites.h"
#include "platform/platform.h"

void site_file_open(struct site_file *file, const char *path, uintptr_t start, off_t offset)
{
    struct stat st = {.st_size = 0};
    file->fd = (int)RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    file->start = start;
    file->offset = offset;
    if (file->fd >= 0)
        RAW2(SYS_fstat, file->fd, &st);
    file->bytes = st.st_size;
    file->inode = st.st_ino;
}

void site_file_close(struct site_file *file)
{
    if (file->fd >= 0)
        RAW1(SYS_close, file->fd);
    file->fd = -1;
}

/* Maps memory for the new text. The caller overwrites every byte of it. It is a mapping of the
 * file, if that is long enough, so that /proc/self/maps goes on to name the file here. */
static char *map_copy(const struct site_file *file, uintptr_t start, size_t bytes)
{
    off_t offset = file->offset + (off_t)(start - file->start);
    if (file->fd >= 0 && offset + (off_t)bytes <= file->bytes) {
        long copy = RAW6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file->fd, offset);
        if (copy >= 0 || copy < -4095) {
            SANITIZER_FRESH((void *)copy, bytes);
            return (char *)copy;
        }
    }
    return plat_reserve(bytes);
}

bool site_exchange(const struct site_file *file, uintptr_t start, size_t bytes, site_edit *edit,
                   void *arg)
{
    char *copy = map_copy(file, start, bytes);
    if (!copy)
        return false;
    memcpy(copy, (const void *)start, bytes);
    edit((unsigned char *)copy, start, arg);
    if (RAW3(SYS_mprotect, copy, bytes, PROT_READ | PROT_EXEC) == 0 &&
        RAW5(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, start) == (long)start)
        return true;
    RAW2(SYS_munmap, copy, bytes);
    return false;
}
