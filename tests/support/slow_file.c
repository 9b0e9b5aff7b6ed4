/* SPDX-License-Identifier: MIT
 *
 * slow_file.c - a FUSE server of one file, in the kernel's own protocol: <linux/fuse.h>.
 */
#include "slow_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, ROOT = 1, FILE_NODE = 2, LARGEST = 128 * 1024 };

/* ---- The server ---------------------------------------------------------------------------------------- */

static void reply(int fd, uint64_t unique, int error, const void *data, size_t bytes)
{
    struct fuse_out_header header = {
        .len = (uint32_t)(sizeof header + bytes), .error = -error, .unique = unique};
    struct iovec parts[2] = {{&header, sizeof header}, {(void *)data, bytes}};

    if (writev(fd, parts, bytes ? 2 : 1) < 0 && errno != ENOENT) /* ENOENT: interrupted */
        _exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
    struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = PAGE};

    a.mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644;
    a.size = node == ROOT ? 0 : (uint64_t)SLOW_FILE_PAGES * PAGE;
    return a;
}

static void serve_read(int fd, uint64_t unique, const struct fuse_read_in *in, unsigned read_us)
{
    static unsigned char data[LARGEST];
    uint64_t size = (uint64_t)SLOW_FILE_PAGES * PAGE;
    size_t bytes = in->size < LARGEST ? in->size : LARGEST;

    if (in->offset >= size)
        bytes = 0;
    else if (bytes > size - in->offset)
        bytes = size - in->offset;
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)((in->offset + i) / PAGE % 251 + 1);
    usleep(read_us);
    reply(fd, unique, 0, data, bytes);
}

static void serve(int fd, const struct fuse_in_header *in, const void *body, unsigned read_us)
{
    struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
                                 .minor = 31,
                                 .max_readahead = PAGE,
                                 .flags = FUSE_ASYNC_READ,
                                 .max_background = 12,
                                 .congestion_threshold = 9,
                                 .max_write = PAGE,
                                 .time_gran = 1};
    struct fuse_attr_out attr = {.attr_valid = 3600, .attr = attributes(in->nodeid)};
    struct fuse_entry_out entry = {.nodeid = FILE_NODE,
                                   .entry_valid = 3600,
                                   .attr_valid = 3600,
                                   .attr = attributes(FILE_NODE)};
    struct fuse_open_out open = {.fh = 0};

    switch (in->opcode) {
    case FUSE_INIT:
        reply(fd, in->unique, 0, &init, sizeof init);
        break;
    case FUSE_LOOKUP:
        reply(fd, in->unique, strcmp(body, "slow") ? ENOENT : 0, &entry,
              strcmp(body, "slow") ? 0 : sizeof entry);
        break;
    case FUSE_GETATTR:
        reply(fd, in->unique, 0, &attr, sizeof attr);
        break;
    case FUSE_OPEN:
        reply(fd, in->unique, 0, &open, sizeof open);
        break;
    case FUSE_READ:
        serve_read(fd, in->unique, body, read_us);
        break;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_DESTROY:
        reply(fd, in->unique, 0, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break; /* no answer is wanted */
    default:
        reply(fd, in->unique, ENOSYS, NULL, 0);
    }
}

static void server(int fd, unsigned read_us)
{
    static _Alignas(8) char request[LARGEST];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        ssize_t got = read(fd, request, sizeof request - 1);

        if (got >= (ssize_t)sizeof(struct fuse_in_header)) {
            request[got] = 0;
            serve(fd, (void *)request, request + sizeof(struct fuse_in_header), read_us);
        } else if (got >= 0 || (errno != EINTR && errno != EAGAIN && errno != ENOENT)) {
            _exit(0); /* ENODEV: unmounted */
        }
    }
}

/* ---- The mount ---------------------------------------------------------------------------------------- */

const char *slow_file_make(struct slow_file *file, unsigned read_us)
{
    char options[64];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

    memset(file, 0, sizeof *file);
    if (fd < 0)
        return "/dev/fuse cannot be opened";
    strcpy(file->folder, "/tmp/ums-slow-XXXXXX");
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        !mkdtemp(file->folder)) {
        close(fd);
        return "only root may mount a FUSE file system here";
    }
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
    file->mounted = !mount("slow", file->folder, "fuse", MS_NOSUID | MS_NODEV, options);
    file->server = file->mounted ? fork() : 0;
    if (file->mounted && !file->server)
        server(fd, read_us);
    close(fd);
    if (!file->mounted) {
        rmdir(file->folder);
        return "the kernel does not mount FUSE file systems";
    }
    snprintf(file->path, sizeof file->path, "%s/slow", file->folder);
    return NULL;
}

void slow_file_drop(struct slow_file *file)
{
    umount2(file->folder, MNT_DETACH);
    if (file->server > 0) {
        kill(file->server, SIGKILL);
        waitpid(file->server, NULL, 0);
    }
    rmdir(file->folder);
}
