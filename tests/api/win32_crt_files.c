/* SPDX-License-Identifier: MIT
 *
 * win32_crt_files.c - files, folders and pipes by the C run-time library's names.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timeb.h>
#include <time.h>

/* A name that no other test program has. The folder for temporary files becomes the current one. */
static const char *fresh(char *name, const char *what)
{
    char folder[MAX_PATH + 1];

    EXPECT_NE(GetTempPathA(sizeof folder, folder), 0u);
    EXPECT_EQ(_chdir(folder), 0);
    sprintf(name, "crt-%lu-%s", (unsigned long)GetCurrentProcessId(), what);
    if (_unlink(name)) /* left by a process of this id that was killed */
        _rmdir(name);
    return name;
}

TEST_IN_EACH_KIND(Win32CrtFiles, by_descriptor)
{
    char path[64];
    char text[8] = "";
    struct _stat status;
    int file = _open(fresh(path, "descriptor"), _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY,
                     _S_IREAD | _S_IWRITE);

    ASSERT_OK(file >= 0);
    EXPECT_ERRNO(_open(path, _O_CREAT | _O_EXCL | _O_RDWR, _S_IREAD | _S_IWRITE), EEXIST);
    EXPECT_EQ(_write(file, "abcdef", 6), 6);
    EXPECT_EQ(_lseek(file, 2, SEEK_SET), 2);
    EXPECT_EQ(_tell(file), 2);
    EXPECT_EQ(_eof(file), 0);
    EXPECT_EQ(_read(file, text, 3), 3);
    EXPECT_STREQ(text, "cde");
    EXPECT_EQ(_lseeki64(file, 0, SEEK_END), 6);
    EXPECT_EQ(_eof(file), 1);
    EXPECT_EQ(_filelength(file), 6);
    EXPECT_EQ(_chsize(file, 4), 0);
    EXPECT_EQ(_commit(file), 0);
    EXPECT_EQ(_fstat(file, &status), 0);
    EXPECT_EQ(status.st_size, 4);
    EXPECT_EQ(_close(file), 0);
    EXPECT_EQ(_stat(path, &status), 0);
    EXPECT_OK((status.st_mode & _S_IFMT) == _S_IFREG && status.st_mode & _S_IREAD);
    EXPECT_EQ(_access(path, 0), 0);
    EXPECT_EQ(_access_s("crt-no-such-file", 0), ENOENT);
    EXPECT_EQ(_unlink(path), 0);
    EXPECT_ERRNO(_open(path, _O_RDONLY), ENOENT);
    EXPECT_ERRNO(_stat(path, &status), ENOENT);
}

TEST_IN_EACH_KIND(Win32CrtFiles, by_stream)
{
    char path[64];
    FILE *file = _fsopen(fresh(path, "stream"), "wb+", _SH_DENYNO);

    ASSERT_OK(file != NULL);
    EXPECT_EQ(fputs("0123456789", file) >= 0, 1);
    EXPECT_EQ(_fseeki64(file, -3, SEEK_END), 0);
    EXPECT_EQ(_ftelli64(file), 7);
    EXPECT_EQ(fgetc(file), '7');
    EXPECT_EQ(fclose(file), 0);
    EXPECT_EQ(_unlink(path), 0);
}

TEST_IN_EACH_KIND(Win32CrtFiles, folders)
{
    char path[64];
    char here[1024];
    char there[1024];
    char *own = _getcwd(NULL, 0);

    ASSERT_OK(own != NULL);
    EXPECT_EQ(_getcwd(here, sizeof here), here);
    EXPECT_STREQ(own, here);
    EXPECT_EQ(_mkdir(fresh(path, "folder")), 0);
    EXPECT_ERRNO(_mkdir(path), EEXIST);
    EXPECT_EQ(_chdir(path), 0);
    EXPECT_EQ(_getcwd(there, sizeof there), there);
    EXPECT_OK(strstr(there, path));
    EXPECT_EQ(_chdir(".."), 0);
    EXPECT_EQ(_rmdir(path), 0);
    EXPECT_ERRNO(_chdir(path), ENOENT);
    errno = 0;
    EXPECT_EQ(_getcwd(there, 2), NULL);
    EXPECT_EQ(errno, ERANGE);
    free(own);
}

TEST_IN_EACH_KIND(Win32CrtFiles, pipes)
{
    int ends[2] = {-1, -1};
    char text[4] = "";

    ASSERT_EQ(_pipe(ends, 4096, _O_BINARY | _O_NOINHERIT), 0);
    EXPECT_EQ(_write(ends[1], "abc", 3), 3);
    EXPECT_EQ(_read(ends[0], text, 3), 3);
    EXPECT_STREQ(text, "abc");
    EXPECT_EQ(_close(ends[1]), 0);
    EXPECT_EQ(_read(ends[0], text, 3), 0);
    EXPECT_EQ(_close(ends[0]), 0);
}

/* Since 1970, in milliseconds. */
static LONGLONG system_time(void)
{
    FILETIME now;

    GetSystemTimeAsFileTime(&now);
    return ((LONGLONG)now.dwHighDateTime << 32 | now.dwLowDateTime) / 10000 - 11644473600000LL;
}

/* Compares _ftime with the system's clock. time() may be a tick behind that. */
TEST_IN_EACH_KIND(Win32CrtFiles, the_time_with_milliseconds)
{
    struct _timeb now;
    LONGLONG before = system_time(), told;

    _ftime(&now);
    told = now.time * 1000LL + now.millitm;
    EXPECT_GE(told, before);
    EXPECT_LE(told, system_time());
    EXPECT_LT(now.millitm, 1000);
}
