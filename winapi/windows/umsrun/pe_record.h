/* SPDX-License-Identifier: MIT
 *
 * pe_record.h - the begin of a linked program's section: the data by which pe_unlink.c undoes the
 * work of pe_link.c. The old headers follow it.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_RECORD_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define PE_RECORD_SECTION ".umsshim"
#define PE_RECORD_MAGIC "umsshim linked 1"

struct pe_record {
    char magic[16];
    uint8_t hash[8], size[8]; /* of the original */
    uint8_t header_bytes[4], unused[12];
};
_Static_assert(sizeof(struct pe_record) == 48, "the same in every file");

/* The hash FNV-1a. It finds accidents, but no attack: an attacker who can write the file can write
 * its hash, too. */
static inline uint64_t pe_record_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

#endif
