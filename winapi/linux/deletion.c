/* SPDX-License-Identifier: MIT
 *
 * deletion.c - see deletion.h.
 *
 * When a process ends in whatever way, Windows closes its handles, and so deletes these names.
 * Linux closes descriptors, but deletes nothing. A process that ends by exit, by its main function,
 * by ExitProcess or by TerminateProcess deletes the names itself. A process that a signal ends
 * leaves them.
 */
#include "winapi/linux/deletion.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/file.h"

struct deletion {
    struct deletion *next;
    char *path;  /* NULL: the end of the process has deleted the name */
    int fd;      /* has the file open, unless the program has closed it by itself */
    pid_t owner; /* a child of fork has copies of its parent's, and leaves them alone */
    struct stat file;
    bool lasts;
};

static PLAT_LOCK(DELETIONS) list_lock;
static struct deletion *first; /* under list_lock; own ones come before copies of the parent's */
static _Atomic pid_t last_owner;

struct deletion *win__delete_later(char *path, int fd, bool lasts)
{
    struct stat file;
    struct deletion *deletion = fstat(fd, &file) ? NULL : malloc(sizeof *deletion);
    if (!deletion) {
        free(path);
        return NULL;
    }
    *deletion =
        (struct deletion){.path = path, .fd = fd, .owner = getpid(), .file = file, .lasts = lasts};
    atomic_store_explicit(&last_owner, deletion->owner, memory_order_relaxed);
    plat_lock(&list_lock);
    deletion->next = first;
    first = deletion;
    plat_unlock(&list_lock);
    return deletion;
}

/* Takes a deletion and its path off the list. False: it is the parent's and stays, as the fork may
 * have caught the list in the middle of a change. */
static bool take_off(struct deletion *deletion, char **path)
{
    *path = NULL;
    if (!deletion || deletion->owner != getpid())
        return false;
    plat_lock(&list_lock);
    struct deletion **at = &first;
    while (*at && *at != deletion)
        at = &(*at)->next;
    if (*at)
        *at = deletion->next;
    *path = deletion->path;
    plat_unlock(&list_lock);
    return true;
}

void win__delete_now(struct deletion *deletion)
{
    char *path;
    if (!take_off(deletion, &path))
        return;
    if (path)
        win__delete_name(path, deletion->fd, &deletion->file, false);
    free(path);
    free(deletion);
}

void win__delete_never(struct deletion *deletion)
{
    char *path;
    if (!take_off(deletion, &path))
        return;
    free(path);
    free(deletion);
}

void win__delete_other(struct deletion **place, struct deletion *other)
{
    struct deletion *left = other;
    plat_lock(&list_lock);
    if (!*place || !(*place)->lasts) {
        left = *place;
        *place = other;
    }
    plat_unlock(&list_lock);
    win__delete_never(left);
}

/* Another thread may close a file meanwhile: the thread that took the path off the list deletes
 * it. Nothing is freed: the heap's lock may be a thread's that is suspended. */
void win__delete_rest(void)
{
    pid_t self = getpid();
    if (atomic_load_explicit(&last_owner, memory_order_relaxed) != self)
        return;
    for (;;) {
        struct deletion copy = {.path = NULL};
        plat_lock(&list_lock);
        if (first && first->owner == self) {
            copy = *first;
            first->path = NULL;
            first = copy.next;
        }
        plat_unlock(&list_lock);
        if (!copy.path)
            return;
        win__delete_name(copy.path, copy.fd, &copy.file, true);
    }
}

static __attribute__((destructor)) void process_ends(void)
{
    win__delete_rest();
}

void deletions_forget(void)
{
    plat_lock_forget(&list_lock);
    first = NULL;
}
