/* SPDX-License-Identifier: MIT
 *
 * pe_scene.h - a program's file, made field by field, for the tests of pe_link.h: sections .text
 * and .data, imports from kernel32, headers with room for one section more.
 *
 * The bytes that are handed to pe_link and pe_unlink lie at the end of a page that is followed by
 * none, so that a byte too many is a fault.
 */
#ifndef UMSSHIM_TESTS_UNIT_PE_SCENE_H
#define UMSSHIM_TESTS_UNIT_PE_SCENE_H

#include "winapi/windows/pe_image.h"
#include "winapi/windows/umsrun/pe_link.h"

enum { PAGE_BYTES = 4096, ROOM = 16 * PAGE_BYTES, ALIGN = 0x200, PAGES = 0x1000 };
enum { NT = 0x80, TABLE = NT + 24 + 240, HEADERS = 0x400 };
enum { TEXT = PAGES, DATA = 2 * PAGES, DIRECTORY = DATA + 0x40, NAMES = DATA + 0x100 };

/* The program, which tests change. */
extern uint8_t file[ROOM];
extern size_t file_size;
void make_program(void);

/* Fields of it. */
void put16(size_t at, unsigned value);
void put32(size_t at, uint32_t value);
void directory(int number, uint32_t at, uint32_t size);
void section(int number, const char *name, uint32_t at, uint32_t file_at, uint32_t flags);
void import(int number, const char *dll, uint32_t lookups);
/* The place in the file of what is at an RVA of the data section. */
size_t in_data(uint32_t rva);

const uint8_t *at_the_end(const uint8_t *bytes, size_t size);
const char *link_file(struct pe_linked *linked);
/* Linked, and undone: the same bytes. The linked file stays, the caller's to free. */
bool link_and_back(struct pe_linked *linked);
void expect_refused(const char *wanted);
unsigned notes_of(void);

#endif
