/* SPDX-License-Identifier: MIT
 *
 * known_file.c - see known_file.h.
 */
#include "platform/linux/traps/known_file.h"

#include <fcntl.h>
#include <string.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/traps/disk_file.h"
#include "platform/linux/traps/known_stream.h"
#include "platform/linux/traps/open_call.h"

enum { LONGEST_PATH = 255 };

/* 0: the path is too long, or begins in a folder's descriptor: a program that walks a tree opens
 * the same names in other folders. A path that begins in the working directory may lead to another
 * file the next time. */
static uint64_t name_of_path(const struct call *call)
{
    bool at = call->entry->nr == SYS_openat;
    const char *path = (const char *)call->args[at];
    size_t left = strnlen(path, LONGEST_PATH + 1);
    uint64_t name = (at ? (uint64_t)call->args[0] << 16 : 0) + left, part;
    if (left > LONGEST_PATH || (at && *path != '/' && (int)call->args[0] != AT_FDCWD))
        return 0;
    for (; left >= sizeof part; left -= sizeof part, path += sizeof part) {
        memcpy(&part, path, sizeof part);
        name = disk_name_mixed(name + part * 0x9e3779b97f4a7c15u);
    }
    part = 0;
    memcpy(&part, path, left);
    return disk_name_mixed(name + part * 0x9e3779b97f4a7c15u) | 1;
}

void known_file_opened(struct call *call)
{
    struct known_file *known = &call_worker(call)->known.file;
    known->name = name_of_path(call);
    known->number = known->name ? (int)call->result + 1 : 0;
}

bool known_file_read(struct call *call)
{
    struct known_file *known = &call_worker(call)->known.file;
    if (!disk_seen(known->name) || !open_can_be_ended(call))
        return false;
    bool made = open_made(call);
    if (call->result < call->args[2])
        known->number = 0;
    if (!made)
        disk_see_no_more(known->name);
    else if (call->result > 0 && !known->number)
        known_end_comes(call);
    return made;
}

void known_file_asked(struct call *call, const struct disk_place *place)
{
    if (place->seen && is_known_file(call))
        disk_see_alike(call_worker(call)->known.file.name, disk_name(&place->file));
}
