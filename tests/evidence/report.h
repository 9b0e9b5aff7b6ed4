/* SPDX-License-Identifier: MIT
 *
 * report.h - the parts, what came of each, and the two files that say so.
 */
#ifndef UMSSHIM_TESTS_EVIDENCE_REPORT_H
#define UMSSHIM_TESTS_EVIDENCE_REPORT_H

#include "evidence.h"

enum system_kind { ON_ANY, WITHOUT_OWN, WITH_OWN }; /* User-Mode Scheduling that works */

struct part {
    const char *name, *what;
    int (*run)(void);    /* of this program, or: */
    const char *command; /* @ is the folder, ? what makes a run brief */
    const char *mode;    /* UMSSHIM_SWITCH */
    enum system_kind on;
    const char *needs; /* the program that it takes */
    unsigned seconds;
    bool long_only; /* it is run by --long only */
};
/* In the order in which they are run: what says most in the least time first. */
extern const struct part parts[];
extern const int part_count;
enum { MOST_PARTS = 32 };

struct outcome {
    const char *verdict;
    char reason[160];
    unsigned milliseconds;
    char *text;
};

/* Beside this program, or in %TEMP% with a line that says so. False: not even there. */
bool write_reports(bool own, const struct outcome *outcomes);

#endif
