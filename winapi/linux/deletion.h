/* SPDX-License-Identifier: MIT
 *
 * deletion.h - deletes a file's name when the file is closed (FILE_FLAG_DELETE_ON_CLOSE,
 * FileDispositionInfo), or when the process ends. A child process deletes nothing that its parent
 * has open, whichever call has made the child.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DELETION_H
#define UMSSHIM_WINAPI_LINUX_DELETION_H

#include <stdbool.h>

struct deletion;

/* Plans the deletion of `path`, which has no links in it; fd has the file open. `lasts`: no call
 * can take the plan back. NULL: no memory, and the path is freed. */
struct deletion *win__delete_later(char *path, int fd, bool lasts);
/* Puts `other`, or NULL, into *place, unless the plan there lasts. The one that is not in *place is
 * never carried out. */
void win__delete_other(struct deletion **place, struct deletion *other);
/* Before fd is closed: deletes the name unless another file has it by now. NULL: nothing to do. */
void win__delete_now(struct deletion *deletion);
void win__delete_never(struct deletion *deletion);

/* The process ends: deletes the names of all files that are open. */
void win__delete_rest(void);
void deletions_forget(void); /* in a child after fork */

#endif
