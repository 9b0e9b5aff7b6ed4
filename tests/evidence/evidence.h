/* SPDX-License-Identifier: MIT
 *
 * evidence.h - what the files of umsshim-evidence share.
 *
 * The program runs parts, each in a process of its own with a limit. A part is either a function of this program
 * (it is started again, with --part=NAME) or another program that is unpacked from its resources.
 * The output of a part is kept; its exit status is its verdict.
 */
#ifndef UMSSHIM_TESTS_EVIDENCE_EVIDENCE_H
#define UMSSHIM_TESTS_EVIDENCE_EVIDENCE_H

#include <windows.h>

#include <stdbool.h>
#include <stdio.h>

/* What a part's process ends with; everything else is a failure or a crash. */
enum { PART_PASSED = 0, PART_FAILED = 1, PART_TOLD = 90 }; /* told: there is nothing to judge */

/* What the parts of this program know of the run. */
extern struct evidence {
    bool brief;             /* a few of each kind only */
    bool longer;            /* no limit for the whole run */
    bool ours;              /* ours is run beside the system's own */
    const char *only;       /* names of parts; NULL: all */
    unsigned budget_ms;     /* for the whole part */
    const char *part;       /* its name; "": this is the run itself */
    char folder[MAX_PATH];  /* of the programs */
    char scratch[MAX_PATH]; /* this run's own, for files that nobody keeps */
} evidence;

/* The parts that are functions of this program. */
int part_system(void);
int part_security(void);
int part_modules(void);
int part_names(void);
int part_stubs(void);
int part_teb(void);
int part_hazards(void);
int part_races(void);
int part_copy(void);
int part_timings(void);

/* The name of the module that an address lies in, or "private memory". */
const char *module_at(const void *address, char *text, size_t room);
void *function_of(const char *module, const char *name);
/* umsshim.dll out of the folder; NULL after a line that says why not. */
HMODULE load_umsshim(void);
/* The system has a User-Mode Scheduling of its own that works: a list can be created. */
bool has_own_ums(void);

/* Starts a program, with its output in a file, under a limit. */
enum ending { ENDED, OVER_LIMIT, NOT_STARTED };
enum ending run_program(const char *line, const char *output, unsigned limit_ms, DWORD *code);
/* The whole text of a file, "" if there is none. The caller frees it. */
char *read_text(const char *path);

#endif
