/* SPDX-License-Identifier: MIT
 *
 * run.c - starting a program under a limit, with whatever it starts itself.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

/* Whatever the program leaves behind ends with this job. */
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
    HANDLE job = CreateJobObjectA(NULL, NULL);

    memset(&limits, 0, sizeof limits);
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

static HANDLE open_inherited(const char *path, DWORD access, DWORD how)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};

    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                       &inherited, how, FILE_ATTRIBUTE_NORMAL, NULL);
}

enum ending run_program(const char *line, const char *output, unsigned limit_ms, DWORD *code)
{
    STARTUPINFOA startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION process;
    char *writable = strdup(line);
    HANDLE job = make_job();
    enum ending ending = NOT_STARTED;

    startup.hStdInput = open_inherited("NUL", GENERIC_READ, OPEN_EXISTING);
    startup.hStdOutput = open_inherited(output, GENERIC_WRITE, CREATE_ALWAYS);
    startup.hStdError = startup.hStdOutput;
    *code = 0;
    if (writable && startup.hStdOutput != INVALID_HANDLE_VALUE &&
        CreateProcessA(NULL, writable, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW, NULL,
                       NULL, &startup, &process)) {
        if (job)
            AssignProcessToJobObject(job, process.hProcess);
        ResumeThread(process.hThread);
        ending =
            WaitForSingleObject(process.hProcess, limit_ms) == WAIT_OBJECT_0 ? ENDED : OVER_LIMIT;
        if (ending == OVER_LIMIT) {
            TerminateProcess(process.hProcess, 1);
            WaitForSingleObject(process.hProcess, 5000);
        }
        GetExitCodeProcess(process.hProcess, code);
        CloseHandle(process.hThread);
        CloseHandle(process.hProcess);
    } else {
        *code = GetLastError();
    }
    CloseHandle(startup.hStdOutput);
    CloseHandle(startup.hStdInput);
    if (job)
        CloseHandle(job);
    free(writable);
    return ending;
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = 0;
    char *text;

    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    text = calloc((size_t)size + 1, 1);
    if (text && file) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    if (file)
        fclose(file);
    return text;
}
