/* SPDX-License-Identifier: MIT
 *
 * files.c - each of the crew opens, asks for, reads and closes files of /usr/include/linux in turn,
 * which are in the page cache after the first time.
 */
#include "crew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "/usr/include/linux";

static void read_whole(const char *name)
{
    char path[sizeof folder + 256], bytes[16384];
    struct stat file;
    off_t had = 0;
    ssize_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &file))
        real_fail(path, strerror(errno));
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        had += n;
    if (n < 0 || had != file.st_size)
        real_fail(path, n < 0 ? strerror(errno) : "read short");
    close(fd);
}

/* Half a hundred files a round. */
void real_work(unsigned index)
{
    for (unsigned i = 0; i < real_rounds; i++) {
        struct dirent *entry;
        unsigned files = 0;
        DIR *directory = opendir(folder);
        if (!directory)
            real_fail(folder, strerror(errno));
        while (files < 50 && (entry = readdir(directory)))
            if (entry->d_type == DT_REG) {
                read_whole(entry->d_name);
                files++;
            }
        closedir(directory);
    }
}
