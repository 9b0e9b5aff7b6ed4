/* SPDX-License-Identifier: MIT
 *
 * sites.h - call sites: places in other modules' code that make a system call, and are redirected
 * here.
 *
 * A site is a `syscall` instruction and one instruction before it, the *lead*. The library replaces
 * the lead by a jump to the site's slot. The slot does what the lead, and the instructions between
 * it and the `syscall`, did. Then it jumps to the `syscall`, or makes the call in user mode and
 * returns behind the `syscall` (site_slots.S). A lead of less than five bytes is replaced by a
 * short jump to a *pad*, bytes near by that no thread executes, where the long jump is. The rest of
 * a longer lead is filled with instructions of one byte, so that the function can be decoded again
 * for another site in it.
 *
 *   site_table.c   where functions begin and end
 *   site_scan.c    which sites of a module can be rewritten; changes nothing
 *   site_decode.c  what an instruction is
 *   site_text.c    exchanges pages of code
 *   site_write.c   the bytes of slots and jumps
 *   site_pool.c    the slots that there are, also for modules far away
 *   site_module.c  a site that the filter has stopped a few times
 *   sites.c        the whole of libc and of the dynamic linker, where there is no filter
 */
#ifndef UMSSHIM_PLATFORM_LINUX_LIBC_SITES_H
#define UMSSHIM_PLATFORM_LINUX_LIBC_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A slot: the lead and what follows it, the slot's own code, and the address behind the `syscall`,
 * which the unwinding rule in site_slots.S reads. */
enum { SITE_SLOT = 64, SITE_OWN_CODE = 28, SITE_COPY = SITE_SLOT - SITE_OWN_CODE - 8 };

struct site {
    uintptr_t lead, call; /* the instruction that is replaced, the `syscall` */
    uintptr_t pad;        /* 0: the lead has room */
    unsigned bytes;       /* of the lead; the jump is shorter or as long, the rest is filled */
    unsigned pad_rest;    /* bytes to be filled behind the pad's jump */
    bool shared;          /* libc's cancellable calls share it: the lead is its first instruction */
};

/* The last byte of the lead, which the jump and the filling replace. */
static inline uintptr_t site_last(const struct site *site)
{
    return site->lead + site->bytes - 1;
}

/* Why a site of a call that may wait stays as it is; site_module.c has the words. */
enum site_left {
    SITE_UNDECODED, /* no function around it, or not an instruction */
    SITE_NO_LEAD, /* no instruction before it that has room for a jump and may be made elsewhere */
    SITE_ENTERED, /* something jumps into an instruction of its function */
    SITE_NUMBER,  /* its number is the parameter of a function that is not known */
    SITE_NO_SLOT, /* none left, or too far away for a jump */
    SITE_REFUSED, /* the system does not let the code be changed */
    SITE_LEFT
};

struct site_report {
    unsigned rewritten, left[SITE_LEFT];
};

/* ---- site_scan.c ---- */

/* A module's code, and its table of functions (PT_GNU_EH_FRAME). */
struct site_code {
    uintptr_t start, end;
    const unsigned char *functions;
    uintptr_t any_number; /* a function whose parameter may be the number: libc's syscall, or 0 */
    size_t longest;       /* functions of more bytes are not looked at; 0: all are */
};
/* The function around an instruction (site_table.c). False: the table has none, or is of a form not
 * known. */
bool site_function(const struct site_code *code, uintptr_t at, uintptr_t *start, uintptr_t *end);
/* Writes up to `room` sites, in ascending order; counts the others in the report. */
size_t site_scan(const struct site_code *code, struct site *sites, size_t room,
                 struct site_report *report);
/* The same for the one site whose `syscall` is at `call`, which has made calls that the library
 * takes. False: the site is not fit, and the report counts why. It counts nothing if the number
 * that is set before the call is none that the library takes, or if the function is too long. */
bool site_scan_one(const struct site_code *code, uintptr_t call, struct site *site,
                   struct site_report *report);

/* ---- site_decode.c ---- */

enum {
    SITE_TURNS = 1,    /* control may go elsewhere: a jump, a call, a return, a system call */
    SITE_RELATIVE = 2, /* means another thing at another address */
    SITE_SYSCALL = 4,
    SITE_JUMPS = 8,  /* to `target` */
    SITE_ENDS = 16,  /* what follows is not reached from here */
    SITE_FILLS = 32, /* does nothing */
    SITE_TAKEN = 64  /* (site_scan.c) a pad */
};
struct site_instruction {
    uint8_t length, flags;
    uintptr_t target;
};
/* The effect of an instruction on the registers that matter here. */
struct site_effect {
    bool stack; /* changes the stack pointer */
    enum {
        RAX_KEPT,
        RAX_NUMBER,
        RAX_COPIED,
        RAX_OTHER
    } rax; /* COPIED: all 64 bits of a register */
    long number;
};
bool site_decoder(void); /* opens Zydis; false: it is not there */
bool site_decode(const void *at, size_t bytes, struct site_instruction *instruction);
bool site_decode_effect(const void *at, size_t bytes, struct site_effect *effect);

/* ---- site_text.c ---- */

/* The file that code at `start` was mapped from, at this offset; fd is -1 where there is none. */
struct site_file {
    int fd;
    unsigned long inode;
    uintptr_t start;
    off_t offset, bytes;
};
void site_file_open(struct site_file *file, const char *path, uintptr_t start, off_t offset);
void site_file_close(struct site_file *file);

enum { SITE_KNOWN = 2 };
/* A module whose place is known: libc, the dynamic linker. Only sites.c has its file open, at
 * times. */
struct site_module {
    struct site_code code;
    struct site_file file;
};
typedef void site_edit(unsigned char *copy, uintptr_t start, void *arg);
/* Has `edit` change a copy of these whole pages of code, and puts the copy in their place in one
 * step. False: the system refuses, and nothing has changed. */
bool site_exchange(const struct site_file *file, uintptr_t start, size_t bytes, site_edit *edit,
                   void *arg);

/* ---- site_write.c ---- */

/* Whether a jump of 32 bits gets from anywhere in the page of `from` to anywhere in that of
 * `to`. */
bool site_reaches(uintptr_t from, uintptr_t to);
/* These write into a copy: an address in it plus `moved` is where the bytes will be. The lead still
 * stands in its module as it was. */
void site_write_stubs(intptr_t moved);
void site_write_slot(unsigned char *slot, intptr_t moved, const struct site *site, uintptr_t stub);
/* Writes the jump into a copy of the pages from `start` on. */
void site_write_jump(unsigned char *copy, uintptr_t start, const struct site *site, uintptr_t slot);

/* ---- site_pool.c ---- */

/* site_slots.S */
extern unsigned char site_slots[], site_stub[];

/* The nth of the library's own slots. */
uintptr_t site_slot_at(size_t nth);
bool site_pools_start(void);
/* How many of the library's own slots no site has had yet. */
size_t site_slots_left(void);
/* Gives each of these sites one of them, in a row; the caller writes the slots. Returns the first
 * one's number. */
size_t site_slots_take(const struct site *sites, size_t count);

/* Whether the site of this `syscall` is rewritten. If its module was closed since, frees its
 * slot. */
bool site_pool_stands(uintptr_t call);
/* Whether a rewritten site lies in this page of code: then the page was exchanged. */
bool site_pool_changed(uintptr_t page);
/* Takes and writes a slot for the site; returns its address. 0: none is near. *refused: the system
 * does not let the slot be written. */
uintptr_t site_slot_take(const struct site *site, bool *refused);
void site_slot_give(uintptr_t slot);
/* Asks for slots near this beginning of a module; they come some time later. False: none will. */
bool site_slots_wanted(uintptr_t module);
/* Around a fork: before it, after it in the parent; in the child. */
void site_pools_fork(void);
void site_pools_forked(void);
void site_pools_forget(void);

/* ---- site_module.c ---- */

/* From here on sites that the filter notices are rewritten. The caller has written the stubs. The
 * pages of the `known` modules are not looked for in the process's map. */
void site_modules_start(const struct site_module *known, unsigned count);
/* Around work on many sites at once: no noticed site is rewritten meanwhile. On a plain thread. */
void site_modules_hold(void);
void site_modules_release(void);
/* In a child after fork. */
void site_modules_forget(void);

/* ---- sites.c ---- */

/* From here on sites that the filter notices are rewritten. If not `seen`, the filter does not see
 * all calls that the library takes: then all sites of libc and of the dynamic linker are rewritten
 * when this returns. On a plain thread. */
void sites_start(bool seen);
/* In a child after fork. */
void sites_forget(void);

#endif
