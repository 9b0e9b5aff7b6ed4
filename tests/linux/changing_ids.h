/* SPDX-License-Identifier: MIT
 *
 * changing_ids.h - changes of user and group, each compared with the ids that the kernel tells of
 * every thread.
 *
 * As root the process becomes nobody, so each test does this in a child.
 */
#ifndef UMSSHIM_TESTS_LINUX_CHANGING_IDS_H
#define UMSSHIM_TESTS_LINUX_CHANGING_IDS_H

enum { NOBODY = 65534, CHANGES = 150, LIMIT_MS = 24000 };

/* Sets the ids that the process has already, by every call there is. */
void change_as_anybody(void);
/* Sets other ids, and at last nobody's. */
void change_as_root(void);
/* Does both, as far as the caller may. What nobody may not do fails then. */
void change_all(void);

/* A thread's routine: as root it changes its ids to and fro, CHANGES times, and sets this flag. */
void *change_often(void *changed);

#endif
