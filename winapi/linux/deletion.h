/* SPDX-License-Identifier: MIT
 *
 * deletion.h - a name that goes when its file is closed (FILE_FLAG_DELETE_ON_CLOSE,
 * FileDispositionInfo), or with the process that did not close it. A child of that process
 * deletes nothing that its parent has open, whichever call has made it.
 */
#ifndef UMSSHIM_WINAPI_LINUX_DELETION_H
#define UMSSHIM_WINAPI_LINUX_DELETION_H

#include <stdbool.h>

struct deletion;

/* Takes the path, which has no links in it, of the file that fd has open. `lasts`: it is not to be
 * taken back. NULL: no memory, and the path is freed. */
struct deletion *win__delete_later(char *path, int fd, bool lasts);
/* Puts the other, or NULL, in the place of one that does not last; whichever is left is never
 * carried out. */
void win__delete_other(struct deletion **place, struct deletion *other);
/* Before fd is closed: deletes the name unless another file has it by now. NULL: nothing to do. */
void win__delete_now(struct deletion *deletion);
void win__delete_never(struct deletion *deletion);

/* The process ends: deletes the names of all files that are open. */
void win__delete_rest(void);
void deletions_forget(void); /* in a child after fork */

#endif
