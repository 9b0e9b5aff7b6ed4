/* SPDX-License-Identifier: MIT
 *
 * pe_link.h - makes a copy of a program's file that imports one DLL more, before all others, and
 * makes the original of such a copy again.
 *
 * These functions call no system, so they run on any. The input is not trusted, and is never
 * changed.
 *
 * The file's content stays in its place, so that every offset in it stays right. Only the headers
 * change, and a new section is appended. It has a new import directory, whose first entry names the
 * DLL, and a record of the old headers. pe_unlink puts the old headers back and cuts the section
 * off; a hash in the record shows whether the result is the original.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_LINK_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_PE_LINK_H

#include <stddef.h>
#include <stdint.h>

/* Facts that the user of the new file has to know. */
enum pe_link_note {
    PE_LINK_UNSIGNED = 1, /* it was signed; the new file has no signature */
    PE_LINK_UNBOUND = 2,  /* imports were bound ahead; now the loader looks them up at each start */
    PE_LINK_DATA_BEHIND =
        4, /* the program may read data behind its sections, from the end of its file */
    PE_LINK_DELAYED_SET =
        8 /* the API set of UMS is loaded only at its first call, and the system may lack it */
};

struct pe_linked {
    uint8_t *bytes; /* the caller frees them */
    size_t size;
    unsigned notes;
};

/* `function`: an export of the DLL. NULL, or why there is no new file: the end of a sentence about
 * the program. */
const char *pe_link(const uint8_t *bytes, size_t size, const char *dll, const char *function,
                    struct pe_linked *linked);
/* Makes the original of a file that pe_link has made. Result as above. */
const char *pe_unlink(const uint8_t *bytes, size_t size, struct pe_linked *original);

#endif
