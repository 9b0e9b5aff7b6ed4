/* SPDX-License-Identifier: MIT
 *
 * pe_writer.h - small programs, written byte by byte: what no linker at hand would make.
 *
 * Each program creates a completion list and deletes it, and ends with 42; or with the last error of what
 * failed. Everything after its headers lies in one section, at SECTION_AT.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_PE_WRITER_H
#define UMSSHIM_TESTS_WINDOWS_PE_WRITER_H

#include <windows.h>

#include <stdbool.h>
#include <stdint.h>

enum { PE_SECTION_AT = 0x2000, PE_SECTION_BYTES = 0x2000, PE_GOOD = 42 };
enum { PE_MOST_DLLS = 5, PE_MOST_NAMES = 8, PE_MOST_IMPORTS = 16 };

/* The import of one DLL, its names in their order. NULL ends them. */
struct pe_import {
    const char *dll;
    const char *names[PE_MOST_NAMES];
};

struct pe_kind {
    const char *name;
    struct pe_import imports[PE_MOST_DLLS]; /* a NULL dll ends them; none at all: it returns 42 */
    DWORD header_at;                        /* e_lfanew; 0: at once after the DOS header */
    bool no_address_directory;              /* directory 12 is empty */
    bool no_import_size;                    /* directory 1 has a place and the size 0 */
    bool bound;                             /* addresses of a system that is not this one */
    bool no_lookups;                        /* the names are in the address table alone */
    bool delayed;                           /* the UMS functions are looked up at the first call */
    bool beside;                            /* another program lies below it in its process */
    bool utf8;                              /* a manifest that asks for that code page */
};

/* Writes the program. False if the file cannot be written. */
bool pe_write(const struct pe_kind *kind, const wchar_t *path);

#endif
