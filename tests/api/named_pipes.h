/* SPDX-License-Identifier: MIT
 *
 * named_pipes.h - named pipes for tests: names that no other process has, and connected ends.
 */
#ifndef UMSSHIM_TESTS_API_NAMED_PIPES_H
#define UMSSHIM_TESTS_API_NAMED_PIPES_H

#include <windows.h>

enum { PIPE_NAME_ROOM = 80 };

/* Gives a new name with each call. */
void pipe_new_name(char name[PIPE_NAME_ROOM]);
/* A server's end, one of `most`; `flags` is 0 or FILE_FLAG_OVERLAPPED. INVALID_HANDLE_VALUE after a
 * recorded failure. */
HANDLE pipe_server(const char *name, DWORD flags, DWORD mode, DWORD most);
/* A client's end, or INVALID_HANDLE_VALUE with the last error. */
HANDLE pipe_client(const char *name, DWORD flags);
/* ends[0] is the server's. False after a recorded failure. */
BOOL pipe_pair(HANDLE ends[2], DWORD flags, DWORD mode);
void pipe_close(HANDLE ends[2]);
/* Has the end read messages. */
void pipe_read_messages(HANDLE end);
/* Both without an OVERLAPPED. The first writes all of the text. The second reads what there is, and
 * expects this text. */
void pipe_write(HANDLE end, const char *text);
void pipe_read(HANDLE end, const char *text);

#endif
