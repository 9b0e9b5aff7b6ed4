/* SPDX-License-Identifier: MIT
 *
 * system_windows.c - time, the machine, and the server as a child process.
 */
#include "load.h"

#include <windows.h>

#include <psapi.h>

#include <fcntl.h>
#include <io.h>
#include <string.h>

enum { END_MS = 30000 };

uint64_t now_ns(void)
{
    static LARGE_INTEGER frequency;
    LARGE_INTEGER now;

    if (!frequency.QuadPart)
        QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    return (uint64_t)(now.QuadPart / frequency.QuadPart) * 1000000000u +
           (uint64_t)(now.QuadPart % frequency.QuadPart) * 1000000000u /
               (uint64_t)frequency.QuadPart;
}

bool system_has_room(int connections)
{
    return connections > 0; /* sockets are handles, of which a process may have millions */
}

const char *server_beside(void)
{
    static char path[MAX_PATH + sizeof("server.exe")];
    char *slash;

    GetModuleFileNameA(NULL, path, MAX_PATH);
    slash = strrchr(path, '\\');
    strcpy(slash ? slash + 1 : path, "server.exe");
    return path;
}

void system_name(char *name, size_t room)
{
    OSVERSIONINFOA version = {.dwOSVersionInfoSize = sizeof(version)};

    GetVersionExA(&version);
    snprintf(name, room, "Windows %lu.%lu.%lu", (unsigned long)version.dwMajorVersion,
             (unsigned long)version.dwMinorVersion, (unsigned long)version.dwBuildNumber);
}

int system_processors(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
}

/* A pipe of which the child gets one end. */
static bool make_pipe(HANDLE *read, HANDLE *write, HANDLE *ours)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};

    return CreatePipe(read, write, &inherited, 0) &&
           SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
}

static bool create(const char *line, HANDLE input, HANDLE output, struct server_process *server)
{
    STARTUPINFOA startup = {.cb = sizeof(startup),
                            .dwFlags = STARTF_USESTDHANDLES,
                            .hStdInput = input,
                            .hStdOutput = output,
                            .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    PROCESS_INFORMATION process;
    char words[1024];

    snprintf(words, sizeof(words), "%s", line);
    if (!CreateProcessA(NULL, words, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process))
        return false;
    CloseHandle(process.hThread);
    server->process = (intptr_t)process.hProcess;
    return true;
}

bool server_start(struct server_process *server, const struct load_options *options,
                  const char *mode)
{
    char line[1024];
    HANDLE their_input = NULL, our_input = NULL, their_output = NULL, our_output = NULL;
    int port = 0, length;
    bool started;

    length = snprintf(line, sizeof(line), "\"%s\" --mode %s", options->server, mode);
    if (options->schedulers && length > 0 && (size_t)length < sizeof(line))
        snprintf(line + length, sizeof(line) - (size_t)length, " --schedulers %d",
                 options->schedulers);
    memset(server, 0, sizeof(*server));
    started = make_pipe(&their_input, &our_input, &our_input) &&
              make_pipe(&our_output, &their_output, &our_output) &&
              create(line, their_input, their_output, server);
    if (their_input)
        CloseHandle(their_input);
    if (their_output)
        CloseHandle(their_output);
    server->input = (intptr_t)our_input;
    server->output = our_output
                         ? _fdopen(_open_osfhandle((intptr_t)our_output, _O_RDONLY | _O_TEXT), "r")
                         : NULL;
    if (started && server->output && fscanf(server->output, "port %d", &port) == 1) {
        server->port = (unsigned short)port;
        return true;
    }
    fprintf(stderr, "server_load: cannot start %s: error %lu\n", line,
            (unsigned long)GetLastError());
    if (server->output)
        fclose(server->output);
    if (our_input)
        CloseHandle(our_input);
    if (started) {
        TerminateProcess((HANDLE)server->process, 1);
        CloseHandle((HANDLE)server->process);
    }
    return false;
}

int server_end(struct server_process *server)
{
    DWORD code = (DWORD)-1;

    if (WaitForSingleObject((HANDLE)server->process, END_MS) == WAIT_OBJECT_0)
        GetExitCodeProcess((HANDLE)server->process, &code);
    else
        TerminateProcess((HANDLE)server->process, 1);
    CloseHandle((HANDLE)server->process);
    return (int)code;
}

void server_close_input(struct server_process *server)
{
    CloseHandle((HANDLE)server->input);
}

double server_rss_kib(const struct server_process *server)
{
    PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof(counters)};

    GetProcessMemoryInfo((HANDLE)server->process, &counters, sizeof(counters));
    return (double)counters.WorkingSetSize / 1024;
}

double server_cpu_seconds(const struct server_process *server)
{
    FILETIME begin, end, kernel = {0}, user = {0};

    GetProcessTimes((HANDLE)server->process, &begin, &end, &kernel, &user);
    return (((double)kernel.dwHighDateTime + user.dwHighDateTime) * 4294967296.0 +
            (double)kernel.dwLowDateTime + user.dwLowDateTime) *
           1e-7;
}
