/* SPDX-License-Identifier: MIT
 *
 * shared_name.c - see shared_name.h. The folder itself: shared_folder.h.
 *
 * Bare system calls only: a thread makes them with a lock held, and calls nothing of libc's then.
 */
#include "platform/linux/dispatch/shared_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/dispatch/sealed_file.h"
#include "platform/linux/dispatch/shared_folder.h"
#include "platform/linux/dispatch/shared_holder.h"
#include "platform/linux/dispatch/shared_trouble.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

enum { MAGIC = 0x32736d75, HOLDERS = 1000, NONE = 2, THERE = 183 };

struct head {
    uint32_t magic, kind;
    struct file_identity object; /* what the holders have open */
    uint32_t flags, high;
    char text[264];
    unsigned char own[SHARED_OWN];
    struct holder holders[HOLDERS]; /* all 0: none */
};

struct shared_name {
    int fd;                           /* the name's file, or -1 */
    int object_fd, entry;             /* this process's entry in it; -1: none */
    pid_t process;                    /* whose lock and entry these are */
    bool left;                        /* this process has given the name up */
    uid_t user;                       /* whose folder it is in */
    struct shared_name *next, **link; /* all of this process's */
    char file[FOLDER_ENTRY];
};

enum { FIRST_BYTES = offsetof(struct head, holders) + sizeof(struct holder) };

static PLAT_LOCK(SHARED_NAMES) names_lock;
static struct shared_name *all; /* with the lock */
static struct head head;        /* with the lock: of the name in hand */
static int folder = -1;         /* with the lock: the open folder, locked */

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* ---- The folder, locked ---------------------------------------------------------------------- */

/* 0 or a FOLDER_*. */
static int enter_folder(uid_t user, bool make)
{
    long fd = folder_open(user, make);
    if (fd < 0)
        return (int)fd;
    folder = fd_move_high((int)fd);
    if (folder_lock(folder, LOCK_EX)) {
        own_file_close(folder);
        folder = -1;
        return FOLDER_NO_LOCKS;
    }
    folder_sweep(folder, user);
    return 0;
}

static void leave_folder(void)
{
    if (folder < 0)
        return;
    folder_lock(folder, LOCK_UN); /* a child may have the open file, too */
    own_file_close(folder);
    folder = -1;
}

/* ---- Holders --------------------------------------------------------------------------------- */

static long write_entry(int fd, int entry)
{
    return RAW4(SYS_pwrite64, fd, &head.holders[entry], sizeof(struct holder),
                offsetof(struct head, holders) + (size_t)entry * sizeof(struct holder));
}

static bool is_free(struct holder holder)
{
    return !holder.process || holder_look(holder, &head.object) == -ENOENT;
}

/* Lists this process among the holders. `head` has the name's file. */
static int add_entry(struct shared_name *name)
{
    struct holder own = {name->process, name->object_fd};
    for (int looks = 0; looks < 2; looks++)
        for (int i = 0; i < HOLDERS; i++)
            if (looks ? is_free(head.holders[i]) : !head.holders[i].process) {
                head.holders[i] = own;
                if (write_entry(name->fd, i) != sizeof own)
                    return 8;
                name->entry = i;
                return 0;
            }
    return 1450;
}

static void remove_entry(struct shared_name *name)
{
    if (name->entry < 0)
        return;
    head.holders[name->entry] = (struct holder){0};
    write_entry(name->fd, name->entry);
    name->entry = -1;
}

/* Opens the object's file by any process that has it: a descriptor, or -errno; -ENOENT: none has
 * it. */
static long open_object(void)
{
    long error = -ENOENT;
    for (int i = 0; i < HOLDERS; i++)
        if (head.holders[i].process) {
            long result = holder_open(head.holders[i], &head.object, head.flags);
            if (result >= 0)
                return result;
            if (result != -ENOENT)
                error = result;
        }
    return error;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int error_of(long error)
{
    switch (-error) {
    case EMFILE:
    case ENFILE:
        return 4;
    case ENOSPC:
    case EDQUOT:
        return FOLDER_FULL;
    case EROFS:
        return FOLDER_NOWHERE;
    case EACCES:
    case EPERM:
    case ELOOP:
    case EISDIR:
        return 5;
    default:
        return 8;
    }
}

static void close_file(struct shared_name *name)
{
    if (name->fd >= 0)
        own_file_close(name->fd);
    name->fd = -1;
}

/* Makes the name's file. 0 or an error. The entries behind the first take no room before they are
 * used. */
static int make(struct shared_name *name, const char *text, uint32_t kind,
                const struct shared_object *object)
{
    struct stat status;
    if (RAW2(SYS_fstat, object->fd, &status))
        return 8;
    long fd = RAW4(SYS_openat, folder, name->file,
                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_of(fd);
    name->fd = fd_move_high((int)fd);
    long locked = folder_lock(name->fd, LOCK_SH);
    RAW2(SYS_fchmod, name->fd, 0600); /* whatever the umask is */
    head = (struct head){.magic = MAGIC,
                         .kind = kind,
                         .object = {status.st_dev, status.st_ino},
                         .flags = object->flags,
                         .high = object->high};
    put_text(head.text, text);
    for (unsigned i = 0; i < SHARED_OWN; i++)
        head.own[i] = object->own[i];
    name->object_fd = object->fd;
    name->entry = 0;
    head.holders[0] = (struct holder){name->process, object->fd};
    long written = RAW4(SYS_pwrite64, name->fd, &head, FIRST_BYTES, 0);
    if (!locked && written == FIRST_BYTES && !RAW2(SYS_ftruncate, name->fd, sizeof head))
        return 0;
    RAW3(SYS_unlinkat, folder, name->file, 0);
    close_file(name);
    return locked ? FOLDER_NO_LOCKS : written < 0 ? error_of(written) : FOLDER_FULL;
}

/* Takes part in a name that another process has: THERE, NONE or an error. */
static int join(struct shared_name *name, const char *text, uint32_t kind,
                struct shared_object *object)
{
    long fd = RAW4(SYS_openat, folder, name->file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd == -EACCES && folder_remove_unfinished(folder, name->file, name->user))
        return NONE;
    if (fd < 0)
        return fd == -ENOENT ? NONE : error_of(fd);
    name->fd = fd_move_high((int)fd);
    if (folder_remove_unused(folder, name->fd, name->file, name->user))
        return NONE;
    long locked = folder_lock(name->fd, LOCK_SH | LOCK_NB);
    if (locked)
        return locked == -EWOULDBLOCK ? 5 /* locked by no process of this library's */
                                      : FOLDER_NO_LOCKS;
    if (RAW4(SYS_pread64, name->fd, &head, sizeof head, 0) != sizeof head || head.magic != MAGIC)
        return 1306;
    head.text[sizeof head.text - 1] = 0;
    if (head.kind != kind || !same_text(head.text, text))
        return 6;
    long opened = open_object();
    if (opened == -ENOENT) {
        RAW3(SYS_unlinkat, folder, name->file, 0);
        return NONE;
    }
    if (opened < 0)
        return opened == -EACCES ? FOLDER_HIDDEN : error_of(opened);
    name->object_fd = head.high ? fd_move_high((int)opened) : (int)opened;
    int error = add_entry(name);
    if (error) {
        if (head.high)
            own_file_close(name->object_fd);
        else
            RAW1(SYS_close, name->object_fd);
        return error;
    }
    object->fd = name->object_fd;
    object->flags = head.flags;
    object->high = head.high;
    for (unsigned i = 0; i < SHARED_OWN; i++)
        object->own[i] = head.own[i];
    return THERE;
}

static void list(struct shared_name *name)
{
    name->next = all;
    name->link = &all;
    if (all)
        all->link = &name->next;
    atomic_signal_fence(memory_order_release); /* a child of fork has it whole, or not at all */
    all = name;
}

int shared_name_enter(const char *text, uint32_t kind, struct shared_object *object,
                      struct shared_name **result)
{
    struct shared_name *name = calloc(1, sizeof *name);
    if (!name)
        return 8;
    name->fd = name->entry = -1;
    name->user = geteuid();
    name->process = own_pid();
    folder_entry(name->file, text);
    plat_lock(&names_lock);
    int error = file_size_limited(sizeof head) ? FOLDER_NO_SIZE : enter_folder(name->user, true);
    if (!error) {
        error = join(name, text, kind, object);
        if (error != THERE)
            close_file(name);
        if (error == NONE && object->fd >= 0)
            error = make(name, text, kind, object);
    }
    leave_folder();
    if (!error || error == THERE) {
        list(name);
        *result = name;
    }
    plat_unlock(&names_lock);
    if (error && error != THERE)
        free(name);
    return shared_trouble(error);
}

/* With the lock. A child of a bare fork or clone has the file's lock in common with its parent, and
 * leaves it alone. */
static void leave(struct shared_name *name)
{
    if (name->left)
        return;
    name->left = true;
    if (name->process != own_pid())
        return;
    bool there = !enter_folder(name->user, false);
    remove_entry(name);
    if (there)
        folder_remove_unused(folder, name->fd, name->file, name->user);
    folder_lock(name->fd, LOCK_UN);
    leave_folder();
}

void shared_name_leave(struct shared_name *name)
{
    plat_lock(&names_lock);
    leave(name);
    plat_unlock(&names_lock);
}

void shared_name_end(struct shared_name *name)
{
    plat_lock(&names_lock);
    leave(name);
    *name->link = name->next;
    if (name->next)
        name->next->link = name->link;
    close_file(name);
    plat_unlock(&names_lock);
    free(name);
}

/* ---- After a fork ---------------------------------------------------------------------------- */

/* A lock belongs to the open file, which parent and child have in common. So the child opens the
 * name's file anew, for a lock of its own, and lists itself. True: the child has the name. The
 * folder is locked. */
static bool open_anew(struct shared_name *name)
{
    char path[48];
    put_number(put_text(path, "/proc/self/fd/"), (uint64_t)name->fd, 10);
    long fd = RAW4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    own_file_close(name->fd);
    name->fd = fd_move_high((int)fd);
    name->process = own_pid();
    return !folder_lock(name->fd, LOCK_SH) &&
           RAW4(SYS_pread64, name->fd, &head, sizeof head, 0) == sizeof head && !add_entry(name);
}

/* The child has the object, and no part in its name. The parent's lock stays, for the parent has
 * the file open still. */
static void give_up(struct shared_name *name)
{
    name->left = true;
    close_file(name);
}

/* Another thread of the parent may have been changing the names. Then the parent still has the
 * folder locked, and goes on. In the child each `next` is right, but a `link` need not be. */
void shared_names_forget(void)
{
    struct shared_name **link = &all;
    uid_t user = (uid_t)-1; /* nobody's id: setresuid(2) */
    bool there = false;
    plat_lock_forget(&names_lock);
    if (folder >= 0)
        own_file_close(folder);
    folder = -1;
    for (struct shared_name *name = all; name; name = name->next) {
        name->link = link;
        link = &name->next;
        name->entry = -1;
        if (name->user != user) {
            leave_folder();
            user = name->user;
            there = !enter_folder(user, false);
        }
        if (name->left || !there || !open_anew(name))
            give_up(name);
    }
    leave_folder();
}
