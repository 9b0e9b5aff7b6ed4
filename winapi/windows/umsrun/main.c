/* SPDX-License-Identifier: MIT
 *
 * main.c - umsrun: starts a program that was made for a Windows with User-Mode Scheduling.
 *
 * umsrun creates the program suspended, makes it load umsshim.dll, and resumes it. Then umsrun only
 * waits. It passes the exit code on, leaves Ctrl-C to the program, and ends the program when it is
 * ended itself. Errors are one line, and exit code 2.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#include "winapi/windows/umsrun/canary.h"
#include "winapi/windows/umsrun/check.h"
#include "winapi/windows/umsrun/dump.h"
#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/job.h"
#include "winapi/windows/umsrun/link.h"
#include "winapi/windows/umsrun/loader_end.h"
#include "winapi/windows/umsrun/pe_link.h"
#include "winapi/windows/umsrun/program.h"
#include "winapi/windows/umsrun/register.h"
#include "winapi/windows/umsrun/try.h"
#include "winapi/windows/umsrun/why.h"

enum { WRONG_USE = 2, PATH_CHARS = 32768 };

static const char usage[] =
    "usage: umsrun [options] program.exe [arguments]\n"
    "  --children   the program's child processes get User-Mode Scheduling as well\n"
    "  --check      says what this system offers, runs a short self-test\n"
    "  --try        tries switching in place here, and keeps what came of it\n"
    "  --why PID    says what the workers of a process wait for, and who has it\n"
    "  --dump PID FILE\n"
    "               writes a minidump for debuggers, in which parked workers are threads like "
    "others\n"
    "  --link OLD NEW\n"
    "               writes a copy of the program OLD that loads umsshim.dll without umsrun\n"
    "  --unlink NEW OLD\n"
    "               writes what a copy was made of, bit by bit\n"
    "  --register PROGRAM\n"
    "               has the system start every program of this name by umsrun\n"
    "               (takes an administrator)\n"
    "  --unregister PROGRAM\n"
    "               undoes that\n"
    "  --registered says which programs are\n"
    "  --version    says which version this is\n"
    "  --help       this text\n";

static int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("umsrun: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return WRONG_USE;
}

/* The rest of a command line behind its first argument. The rules for the program's name are
 * simpler than those for arguments: a backslash escapes nothing. */
static wchar_t *skip_argument(wchar_t *line)
{
    bool quoted = false;
    for (; *line && (quoted || (*line != L' ' && *line != L'\t')); line++)
        if (*line == L'"')
            quoted = !quoted;
    while (*line == L' ' || *line == L'\t')
        line++;
    return line;
}

/* Copies the first argument without its quotes. */
static void copy_argument(const wchar_t *line, wchar_t *to, size_t room)
{
    bool quoted = false;
    for (; *line && (quoted || (*line != L' ' && *line != L'\t')) && room > 1; line++)
        if (*line == L'"')
            quoted = !quoted;
        else
            *to++ = *line, room--;
    *to = 0;
}

static BOOL WINAPI leave_to_program(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

static bool find_dll(wchar_t *path)
{
    DWORD length = GetModuleFileNameW(NULL, path, PATH_CHARS - 16);
    wchar_t *name = wcsrchr(path, L'\\');
    if (!length || !name)
        return false;
    wcscpy(name + 1, L"umsshim.dll");
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static int cannot_start(const wchar_t *path, DWORD error)
{
    enum { VIRUS = 225, VIRUS_DELETED = 226, BLOCKED_BY_POLICY = 4551 };
    const char *why =
        error == VIRUS || error == VIRUS_DELETED ? ": an anti-virus program takes it for harmful"
        : error == BLOCKED_BY_POLICY
            ? ": this Windows does not run files that it does not know (Smart App Control, or a "
              "policy)"
            : "";
    return complain("%ls cannot be started: error %lu%s", path, error, why);
}

/* If the system starts umsrun for a program with windows, umsrun gets a console of its own: this
 * closes it. */
static void hide_console(const wchar_t *path)
{
    DWORD processes[2];
    if (program_has_windows(path) && GetConsoleProcessList(processes, 2) == 1)
        FreeConsole();
}

/* Creates the program. For a registered program the system would start umsrun again, unless a
 * debugger starts it: so umsrun is its debugger for a moment. */
static bool create(const wchar_t *path, wchar_t *command, bool registered,
                   PROCESS_INFORMATION *process)
{
    STARTUPINFOW startup;
    DWORD debugged = registered ? DEBUG_PROCESS | DEBUG_ONLY_THIS_PROCESS : 0;
    GetStartupInfoW(&startup);
    if (!CreateProcessW(path, command, NULL, NULL, TRUE, CREATE_SUSPENDED | debugged, NULL, NULL,
                        &startup, process))
        return false;
    if (!debugged || DebugActiveProcessStop(process->dwProcessId))
        return true;
    DWORD error = GetLastError();
    TerminateProcess(process->hProcess, WRONG_USE);
    SetLastError(error);
    return false;
}

/* `as_registered`: the system starts umsrun instead of a registered program, whose user may know
 * nothing of umsrun. So a program that umsrun cannot serve runs without the library. */
static int run(wchar_t *command, bool as_registered, bool children)
{
    static wchar_t name[PATH_CHARS], path[PATH_CHARS], dll[PATH_CHARS];
    copy_argument(command, name, PATH_CHARS);
    if (!SearchPathW(NULL, name, L".exe", PATH_CHARS, path, NULL))
        return complain("there is no program %ls", name);
    const char *objection = program_objection(path);
    if (objection && !as_registered)
        return complain("%ls %s", path, objection);
    if (!objection && !find_dll(dll)) {
        if (!as_registered)
            return complain("umsshim.dll is not beside umsrun.exe");
        objection = "finds no umsshim.dll beside umsrun.exe";
    }
    if (objection)
        complain("%ls %s: it is started without User-Mode Scheduling", path, objection);

    PROCESS_INFORMATION process;
    SetConsoleCtrlHandler(leave_to_program, TRUE);
    HANDLE job = job_make();
    if (!create(path, command, as_registered || is_registered(path), &process))
        return cannot_start(path, GetLastError());
    if (job)
        AssignProcessToJobObject(job, process.hProcess);
    if (as_registered)
        hide_console(path);
    const char *why = objection ? NULL : inject(process.hProcess, dll, children);
    if (why || ResumeThread(process.hThread) == (DWORD)-1) {
        DWORD error = GetLastError();
        TerminateProcess(process.hProcess, WRONG_USE);
        return complain("%ls cannot be made to load umsshim.dll: %s (error %lu)", path,
                        why ? why : "its thread does not start", error);
    }
    DWORD code = WRONG_USE;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    job_release(job);
    if (loader_end(code))
        complain("%ls ended with 0x%lx, by which a program ends that cannot be loaded: %s", path,
                 code, loader_end(code));
    return (int)code;
}

static int dump_process(wchar_t *line)
{
    static wchar_t file[PATH_CHARS];
    wchar_t *end;
    unsigned long process = wcstoul(line, &end, 10);
    bool ends = process && (*end == L' ' || *end == L'\t');
    line = skip_argument(line);
    copy_argument(line, file, PATH_CHARS);
    if (!ends || !file[0] || *skip_argument(line))
        return complain("--dump wants the number of a process, and a file");
    const char *problem = dump(process, file);
    return problem ? complain("process %lu: %s", process, problem) : 0;
}

static void say_notes(unsigned notes, const wchar_t *path)
{
    static const struct {
        unsigned note;
        const char *text;
    } texts[] = {
        {PE_LINK_UNSIGNED, "it was signed; the copy is not, for a signature holds for one file"},
        {PE_LINK_UNBOUND, "it was bound to addresses of its DLLs; the copy looks them up"},
        {PE_LINK_DATA_BEHIND, "it has data behind its sections, which the copy has at the same "
                              "place; a program that looks for them from its file's end may fail"},
        {PE_LINK_DELAYED_SET, "it loads the API set of UMS at its first call, which Windows may "
                              "lack: then start it by umsrun --children, or not at all"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (notes & texts[i].note)
            printf("note: %s\n", texts[i].text);
    static wchar_t dll[PATH_CHARS];
    if (wcslen(path) + 16 < PATH_CHARS) {
        wcscpy(dll, path);
        wchar_t *slash = wcsrchr(dll, L'\\'), *other = wcsrchr(dll, L'/');
        slash = other && (!slash || other > slash) ? other : slash;
        wcscpy(slash ? slash + 1 : dll, L"umsshim.dll");
        if (GetFileAttributesW(dll) == INVALID_FILE_ATTRIBUTES)
            printf("note: umsshim.dll has to lie in its folder; it is not there yet\n");
    }
}

static int link_files(wchar_t *line, bool undo)
{
    static wchar_t from[PATH_CHARS], to[PATH_CHARS];
    struct link_result result;
    copy_argument(line, from, PATH_CHARS);
    line = skip_argument(line);
    copy_argument(line, to, PATH_CHARS);
    if (!from[0] || !to[0] || *skip_argument(line))
        return complain(undo ? "--unlink wants a linked program, and a new file"
                             : "--link wants a program, and a new file");
    const char *problem =
        undo ? unlink_program(from, to, &result) : link_program(from, to, &result);
    if (problem && result.error)
        return complain("%ls %s: error %lu%s", result.about, problem, result.error,
                        result.error == ERROR_DISK_FULL ? " (the disk is full)" : "");
    if (problem)
        return complain("%ls %s", result.about, problem);
    printf(undo ? "%ls: what %ls was made of\n" : "%ls: %ls, with umsshim.dll\n", to, from);
    if (!undo)
        say_notes(result.notes, to);
    return 0;
}

static int change_registered(const char *(*change)(const wchar_t *, DWORD *), wchar_t *line)
{
    static wchar_t name[PATH_CHARS];
    DWORD error;
    copy_argument(line, name, PATH_CHARS);
    if (!name[0] || *skip_argument(line))
        return complain("--register and --unregister want a program");
    const char *problem = change(name, &error);
    if (problem && error)
        return complain("%ls %s (error %lu)", name, problem, error);
    return problem ? complain("%ls %s", name, problem) : 0;
}

static int say_registered(void)
{
    DWORD error;
    const char *problem = registered_programs(&error);
    return problem ? complain("registered programs %s (error %lu)", problem, error) : 0;
}

int main(void)
{
    wchar_t *line = skip_argument(GetCommandLineW());
    static wchar_t option[64];
    bool as_registered = false, children = inject_goes_on();
    while (line[0] == L'-' && line[1] == L'-') {
        copy_argument(line, option, sizeof option / sizeof option[0]);
        line = skip_argument(line);
        if (wcscmp(option, L"--children") == 0) {
            children = true;
        } else if (wcscmp(option, L"--check") == 0) {
            return check();
        } else if (wcscmp(option, L"--try") == 0) {
            return try_inplace();
        } else if (wcscmp(option, CANARY_OPTION) == 0) {
            return canary();
        } else if (wcscmp(option, L"--why") == 0) {
            wchar_t *end;
            unsigned long process = wcstoul(line, &end, 10);
            if (!*line || *end || !process)
                return complain("--why wants the number of a process");
            const char *problem = why(process);
            return problem ? complain("process %lu: %s", process, problem) : 0;
        } else if (wcscmp(option, L"--dump") == 0) {
            return dump_process(line);
        } else if (wcscmp(option, L"--link") == 0) {
            return link_files(line, false);
        } else if (wcscmp(option, L"--unlink") == 0) {
            return link_files(line, true);
        } else if (wcscmp(option, L"--register") == 0) {
            return change_registered(register_program, line);
        } else if (wcscmp(option, L"--unregister") == 0) {
            return change_registered(unregister_program, line);
        } else if (wcscmp(option, L"--registered") == 0) {
            return say_registered();
        } else if (wcscmp(option, AS_REGISTERED) == 0) {
            as_registered = true;
        } else if (wcscmp(option, L"--help") == 0) {
            fputs(usage, stdout);
            return 0;
        } else if (wcscmp(option, L"--version") == 0) {
            puts("umsrun (umsshim) " UMSSHIM_VERSION_TEXT);
            return 0;
        } else {
            return complain("no such option: %ls (try --help)", option);
        }
    }
    if (!*line)
        return complain("which program? (usage: umsrun [options] program.exe [arguments])");
    return run(line, as_registered, children);
}
