/* SPDX-License-Identifier: MIT
 *
 * file_error.c - the Win32 errors of failed reads and writes.
 *
 * On Windows a write to a pipe without a reader fails, and nothing more happens. So the first write
 * to a pipe has the process ignore SIGPIPE, unless the program handles it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file.h"

static void ignore_sigpipe(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
}

void win__no_pipe_signal(const struct file *file)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (file->type == FILE_TYPE_PIPE)
        pthread_once(&once, ignore_sigpipe);
}

DWORD win__read_error(const struct file *file, int posix_error)
{
    if (posix_error == ECONNRESET)
        return file->socket ? ERROR_NETNAME_DELETED : ERROR_BROKEN_PIPE;
    return posix_error == EAGAIN ? ERROR_NO_DATA : win__error_of(posix_error);
}

DWORD win__write_error(const struct file *file, int posix_error)
{
    if (file->socket && (posix_error == EPIPE || posix_error == ECONNRESET))
        return ERROR_NETNAME_DELETED;
    if (posix_error == ECONNRESET)
        return ERROR_NO_DATA;
    return posix_error == EAGAIN ? ERROR_NO_DATA : win__error_of(posix_error);
}
