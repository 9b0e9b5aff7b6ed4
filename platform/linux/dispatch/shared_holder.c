/* SPDX-License-Identifier: MIT
 *
 * shared_holder.c - see shared_holder.h.
 */
#include "platform/linux/dispatch/shared_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "platform/linux/os/directory_entry.h"
#include "platform/linux/os/raw.h"

enum { PATH_ROOM = 96 };

char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = 0;
    return at;
}

char *put_number(char *at, uint64_t number, unsigned base)
{
    char digits[24];
    unsigned count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while (number /= base);
    while (count)
        *at++ = digits[--count];
    *at = 0;
    return at;
}

/* Writes the path in /proc of the process, or of one of its threads. */
static char *put_process(char *path, struct holder holder, const char *thread)
{
    char *at = put_number(put_text(path, "/proc/"), (uint32_t)holder.process, 10);
    return thread ? put_text(put_text(at, "/task/"), thread) : at;
}

static void put_file(char *path, struct holder holder, const char *thread)
{
    put_number(put_text(put_process(path, holder, thread), "/fd/"), (uint32_t)holder.fd, 10);
}

static long compare(const struct stat *status, const struct file_identity *file)
{
    return status->st_dev == file->device && status->st_ino == file->inode ? 0 : -ENOENT;
}

static long look_at(const char *path, const struct file_identity *file)
{
    struct stat status;
    long error = RAW4(SYS_newfstatat, AT_FDCWD, path, &status, 0);
    if (error)
        return error == -ESRCH ? -ENOENT : error;
    return compare(&status, file);
}

/* Whether the process or thread is just ending. Its flags are the seventh field behind the name,
 * which may have any letters (proc(5)). */
static bool is_ending(struct holder holder, const char *thread)
{
    enum { FIELD = 7, ENDS = 4 /* PF_EXITING */ };
    char path[PATH_ROOM], text[512];
    put_text(put_process(path, holder, thread), "/stat");
    long fd = RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd == -ENOENT || fd == -ESRCH;
    long length = RAW3(SYS_read, fd, text, sizeof text - 1);
    RAW1(SYS_close, fd);
    if (length <= 0)
        return !length || length == -ESRCH;
    long at = length;
    while (at > 0 && text[at - 1] != ')')
        at--;
    for (int field = 0; field < FIELD && at < length; at++)
        field += text[at] == ' ';
    uint64_t flags = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        flags = flags * 10 + (uint64_t)(text[at] - '0');
    return flags & ENDS;
}

/* Looks for the file at each thread of the process. 0: `path` is that of a thread that shows it. */
static long look_at_threads(struct holder holder, const struct file_identity *file, char *path)
{
    _Alignas(8) char buffer[1024];
    long bytes, result = -ENOENT;
    put_text(put_process(path, holder, NULL), "/task");
    long folder = RAW4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0)
        return folder == -ESRCH ? -ENOENT : folder;
    while (result && (bytes = RAW3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
        for (long at = 0; result && at < bytes;) {
            const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);
            at += entry->bytes;
            if (entry->name[0] == '.')
                continue;
            put_file(path, holder, entry->name);
            long error = look_at(path, file);
            if (!error || (error != -ENOENT && !is_ending(holder, entry->name)))
                result = error;
        }
    RAW1(SYS_close, folder);
    return result;
}

static long find(struct holder holder, const struct file_identity *file, char *path)
{
    put_file(path, holder, NULL);
    return look_at(path, file) ? look_at_threads(holder, file, path) : 0;
}

long holder_look(struct holder holder, const struct file_identity *file)
{
    char path[PATH_ROOM];
    return find(holder, file, path);
}

/* Looks at the file before it opens it. To open a file that is not ours may have effects; to close
 * one may drop a record lock that this process has on it (peers.h). An open with O_PATH has no
 * effects, and holds the file that was looked at. */
long holder_open(struct holder holder, const struct file_identity *file, uint32_t flags)
{
    char path[PATH_ROOM];
    struct stat status;
    long error = find(holder, file, path);
    if (error)
        return error;
    long place = RAW4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
    if (place < 0)
        return place == -ESRCH ? -ENOENT : place == -EACCES ? -EPERM : place;
    error = RAW2(SYS_fstat, place, &status);
    if (!error)
        error = compare(&status, file); /* another file may have the number since */
    if (!error) {
        put_number(put_text(path, "/proc/self/fd/"), (uint64_t)place, 10);
        error = RAW4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    }
    RAW1(SYS_close, place);
    return error == -EACCES ? -EPERM : error;
}
