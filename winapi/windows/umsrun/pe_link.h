/* SPDX-License-Identifier: MIT
 *
 * pe_link.h - a program's file that imports one DLL more, before all others; and the file that it
 * was made of.
 *
 * Pure: bytes in, bytes out, on any system; the bytes that come in are a stranger's, and are never
 * changed.
 *
 * The file's contents stay where they are, so that every offset in it stays right. A section is put
 * behind its end: a new import directory, whose first entry names the DLL, and a record of the old
 * headers. Only the headers change. Undoing that is putting them back and cutting the file off; a
 * hash in the record says whether the result is the original.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_LINK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_LINK_H

#include <stddef.h>
#include <stdint.h>

/* What the user of the new file has to know. */
enum pe_link_note {
    PE_LINK_UNSIGNED =
        1, /* it was signed: the signature does not hold for the new file, which names none */
    PE_LINK_UNBOUND = 2, /* addresses bound ahead are looked up at each start */
    PE_LINK_DATA_BEHIND =
        4, /* the program may look for data behind its sections, from its file's end */
    PE_LINK_DELAYED_SET =
        8 /* the API set of UMS is loaded at its first call, from the system that may lack it */
};

struct pe_linked {
    uint8_t *bytes; /* the caller's to free */
    size_t size;
    unsigned notes;
};

/* `function` is one that the DLL exports. NULL, or why there is no new file: the end of a sentence
 * about the program. */
const char *pe_link(const uint8_t *bytes, size_t size, const char *dll, const char *function,
                    struct pe_linked *linked);
/* The same for a file that pe_link has made: what it was made of. */
const char *pe_unlink(const uint8_t *bytes, size_t size, struct pe_linked *original);

#endif
