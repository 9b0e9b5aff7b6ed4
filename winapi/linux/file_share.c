/* SPDX-License-Identifier: MIT
 *
 * file_share.c - see file_share.h.
 */
#include "winapi/linux/file_share.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "winapi/linux/file.h"

enum { BUCKETS = 256 };

struct file_share {
    struct file_share *next;
    dev_t device;
    ino_t inode;
    unsigned does; /* the handle's access: FILE_MAY_READ, _WRITE, _EXECUTE, _DELETE */
    DWORD lets;    /* the access that it shares: FILE_SHARE_* */
};

static PLAT_LOCK(SHARES) share_lock;
static struct file_share *buckets[BUCKETS]; /* under share_lock */

static struct file_share **bucket_of(dev_t device, ino_t inode)
{
    return &buckets[(inode ^ device) % BUCKETS];
}

/* The share flags that other handles need for this access. */
static DWORD needs(unsigned does)
{
    return (does & (FILE_MAY_READ | FILE_MAY_EXECUTE) ? FILE_SHARE_READ : 0) |
           (does & FILE_MAY_WRITE ? FILE_SHARE_WRITE : 0) |
           (does & FILE_MAY_DELETE ? FILE_SHARE_DELETE : 0);
}

/* The caller has share_lock. */
static bool denied(dev_t device, ino_t inode, unsigned does, DWORD lets)
{
    for (struct file_share *share = *bucket_of(device, inode); share; share = share->next)
        if (share->inode == inode && share->device == device &&
            (needs(does) & ~share->lets || needs(share->does) & ~lets))
            return true;
    return false;
}

DWORD win__share_enter(int fd, unsigned does, DWORD lets, struct file_share **share)
{
    struct stat status;
    *share = NULL;
    if (!needs(does) || fstat(fd, &status) ||
        (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return ERROR_SUCCESS;
    struct file_share *entry = malloc(sizeof *entry);
    if (!entry)
        return ERROR_NOT_ENOUGH_MEMORY;
    *entry = (struct file_share){
        .device = status.st_dev, .inode = status.st_ino, .does = does, .lets = lets};
    struct file_share **bucket = bucket_of(entry->device, entry->inode);
    plat_lock(&share_lock);
    bool refused = denied(entry->device, entry->inode, does, lets);
    if (!refused) {
        entry->next = *bucket;
        *bucket = entry;
    }
    plat_unlock(&share_lock);
    if (refused)
        free(entry);
    else
        *share = entry;
    return refused ? ERROR_SHARING_VIOLATION : ERROR_SUCCESS;
}

void win__share_leave(struct file_share **where)
{
    if (!__atomic_load_n(where, __ATOMIC_RELAXED))
        return;
    plat_lock(&share_lock);
    struct file_share *share = *where;
    __atomic_store_n(where, NULL, __ATOMIC_RELAXED);
    if (share) {
        struct file_share **link = bucket_of(share->device, share->inode);
        while (*link != share)
            link = &(*link)->next;
        *link = share->next;
    }
    plat_unlock(&share_lock);
    free(share);
}

enum { ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static bool denies(const struct stat *status, unsigned does)
{
    plat_lock(&share_lock);
    bool refused = denied(status->st_dev, status->st_ino, does, ALL);
    plat_unlock(&share_lock);
    return refused;
}

bool win__share_denies(int fd, unsigned does)
{
    struct stat status;
    return !fstat(fd, &status) && denies(&status, does);
}

bool win__share_denies_delete(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && denies(&status, FILE_MAY_DELETE);
}

void file_shares_forget(void)
{
    plat_lock_forget(&share_lock);
}
