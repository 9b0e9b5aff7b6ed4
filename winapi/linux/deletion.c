/* SPDX-License-Identifier: MIT
 *
 * deletion.c - see deletion.h. Windows closes the handles of a process that ends, whichever way it
 * ends; so does Linux, but it deletes nothing then. A process that leaves by exit, by its main
 * function, by ExitProcess or by TerminateProcess deletes the names itself. One that a signal ends
 * leaves them.
 */
#include "winapi/linux/deletion.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "winapi/linux/file.h"

struct deletion {
    struct deletion *next;
    char *path; /* NULL: the end of the process, or a fork, has taken it off the list */
    dev_t device;
    ino_t inode;
    bool lasts;
};

static PLAT_LOCK(DELETIONS) list_lock;
static struct deletion *first; /* under list_lock */

struct deletion *win__delete_later(char *path, int fd, bool lasts)
{
    struct stat opened;
    struct deletion *deletion = fstat(fd, &opened) ? NULL : malloc(sizeof *deletion);
    if (!deletion) {
        free(path);
        return NULL;
    }
    *deletion = (struct deletion){
        .path = path, .device = opened.st_dev, .inode = opened.st_ino, .lasts = lasts};
    plat_lock(&list_lock);
    deletion->next = first;
    first = deletion;
    plat_unlock(&list_lock);
    return deletion;
}

bool win__deletion_lasts(const struct deletion *deletion)
{
    return deletion && deletion->lasts;
}

/* Its path, or NULL. */
static char *take_off(struct deletion *deletion)
{
    plat_lock(&list_lock);
    struct deletion **at = &first;
    while (*at && *at != deletion)
        at = &(*at)->next;
    if (*at)
        *at = deletion->next;
    char *path = deletion->path;
    deletion->path = NULL;
    plat_unlock(&list_lock);
    return path;
}

static void delete_name(char *path, const struct deletion *deletion)
{
    if (path)
        win__delete_closed(path, deletion->device, deletion->inode);
    free(path);
}

void win__delete_now(struct deletion *deletion)
{
    if (deletion)
        delete_name(take_off(deletion), deletion);
    free(deletion);
}

void win__delete_never(struct deletion *deletion)
{
    if (deletion)
        free(take_off(deletion));
    free(deletion);
}

/* A file may be closed meanwhile: who has taken the path off deletes it. */
void win__delete_rest(void)
{
    for (;;) {
        struct deletion copy = {.path = NULL};
        plat_lock(&list_lock);
        if (first) {
            copy = *first;
            first->path = NULL;
            first = copy.next;
        }
        plat_unlock(&list_lock);
        if (!copy.path)
            return;
        delete_name(copy.path, &copy);
    }
}

static __attribute__((destructor)) void process_ends(void)
{
    win__delete_rest();
}

void deletions_forget(void)
{
    plat_lock_forget(&list_lock);
    for (struct deletion *deletion = first; deletion; deletion = deletion->next)
        deletion->path = NULL;
    first = NULL;
}
