/* SPDX-License-Identifier: MIT
 *
 * echo.c - what umsrun is to pass on: arguments, standard input, the working folder, the exit code.
 * With "end" and a code, an end with that code; with "spawn", the same from a child process, with
 * "respawn" from a child's child in an environment of its own, with "break away" from a child that
 * is outside of the job; with "hang", a process to be killed from outside; with "addresses", what
 * its headers say of its imports.
 */
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a UMS call does anything in this process. */
static const char *ums(void)
{
    BOOL(WINAPI * create)
    (PUMS_COMPLETION_LIST *) =
        (void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), "CreateUmsCompletionList");
    PUMS_COMPLETION_LIST list;

    return create && create(&list) ? "yes" : "no";
}

static int spawn(const char *word, DWORD flags, char *environment)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    char path[MAX_PATH], command[MAX_PATH + 16];
    DWORD code = 99;

    GetModuleFileNameA(NULL, path, sizeof path);
    snprintf(command, sizeof command, "\"%s\" %s", path, word);
    if (!CreateProcessA(NULL, command, NULL, NULL, TRUE, flags, environment, NULL, &startup,
                        &process))
        return 98;
    WaitForSingleObject(process.hProcess, 30000);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}

/* Where the loader was told to expect the addresses of imports: the section of the program's own. */
static void print_addresses(void)
{
    extern char __ImageBase[], __IAT_start__[];
    const IMAGE_NT_HEADERS *headers =
        (const void *)(__ImageBase + ((const IMAGE_DOS_HEADER *)__ImageBase)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *told =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IAT];
    DWORD own = (DWORD)(__IAT_start__ - __ImageBase);

    printf("addresses: %s\n", own - told->VirtualAddress < told->Size ? "told" : "not told");
}

int main(int argc, char **argv)
{
    char line[256] = "", folder[MAX_PATH];

    if (argc > 1 && strcmp(argv[1], "spawn") == 0)
        return spawn("child", 0, NULL);
    if (argc > 1 && strcmp(argv[1], "respawn") == 0)
        return spawn("spawn", 0, (char[]){"A=1\0"});
    if (argc > 1 && strcmp(argv[1], "break away") == 0)
        return spawn("child", CREATE_BREAKAWAY_FROM_JOB, NULL);
    if (argc > 2 && strcmp(argv[1], "end") == 0)
        return (int)strtoul(argv[2], NULL, 0);
    printf("ums: %s\n", ums());
    if (argc > 1 && strcmp(argv[1], "addresses") == 0)
        print_addresses();
    if (argc > 1 && strcmp(argv[1], "hang") == 0) {
        fflush(stdout);
        Sleep(30000);
        return 97;
    }
    for (int i = 1; i < argc; i++)
        printf("argument %d: [%s]\n", i, argv[i]);
    if (argc > 1 && strcmp(argv[1], "child") != 0 && fgets(line, sizeof line, stdin))
        printf("input: %s", line);
    GetCurrentDirectoryA(sizeof folder, folder);
    printf("folder: %s\n", strrchr(folder, '\\') + 1);
    return 42;
}
