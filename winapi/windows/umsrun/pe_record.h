/* SPDX-License-Identifier: MIT
 *
 * pe_record.h - what the section of a linked program begins with: how to undo it. Behind it are the
 * old headers. Between pe_link.c, which writes it, and pe_unlink.c.
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

/* FNV-1a: it finds accidents, not attacks; who can write the file can write its hash. */
static inline uint64_t pe_record_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

#endif
