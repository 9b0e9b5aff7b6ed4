/* SPDX-License-Identifier: MIT
 *
 * slow_page.c - see slow_page.h.
 */
#include "slow_page.h"
#include "slow_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

enum { PAGE = 4096, LONGER_THAN_A_TEST_US = 600000000 };

volatile unsigned char *slow_page;

/* Only the view of the file remains, and its server, which ends with the process: so there is nothing to put away. */
const char *slow_page_make(void)
{
    struct slow_file slow;
    const char *refusal = slow_file_make(&slow, LONGER_THAN_A_TEST_US);
    if (refusal)
        return refusal;
    int file = open(slow.path, O_RDONLY | O_CLOEXEC);
    void *view = file < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (umount2(slow.folder, MNT_DETACH) || rmdir(slow.folder) || view == MAP_FAILED)
        return "the slow file has no view";
    slow_page = view;
    return NULL;
}
