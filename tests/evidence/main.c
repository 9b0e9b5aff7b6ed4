/* SPDX-License-Identifier: MIT
 *
 * main.c - umsshim-evidence: what umsshim and this system are to each other, in two files that can
 * be sent.
 *
 * The program says what it does, runs each part in a process with a limit, and writes
 * umsshim-evidence.txt and .json beside itself, or into %TEMP% where it may not. The programs that
 * it runs lie beside it, or else in its resources: then they are unpacked into a folder of its own
 * below %TEMP%. All of it takes at most five minutes, but for --long: what does not fit is "not
 * run", with that reason. On a system whose own User-Mode Scheduling works it runs the clauses
 * against that, and nothing of umsshim's, but for --ours.
 */
#include "report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE_MS = 290000, LEAST_MS = 3000, LONGER = 8 };

#define BRIEF_CLAUSES " --clause=XP,CL"

struct evidence evidence;

static struct outcome outcomes[MOST_PARTS];

/* ---- The programs inside --------------------------------------------------------------------- */

static const char *const programs[] = {"umsshim.dll",
                                       "umsrun.exe",
                                       "ums_conformance.exe",
                                       "ums_conformance_linked.exe",
                                       "imports.exe",
                                       "probe0.dll",
                                       "probe1.dll",
                                       "probe2.dll",
                                       "probe3.dll",
                                       "probe4.dll",
                                       "probe5.dll",
                                       "slow.dll",
                                       "umsshim-hazards.exe",
                                       "at_end.dll",
                                       "umsshim-hazards-cet.exe"};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static bool unpacked; /* else they lie beside this program */

static bool is_there(const char *name)
{
    char path[2 * MAX_PATH];

    snprintf(path, sizeof path, "%s\\%s", evidence.folder, name);
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

static bool unpack(const char *name)
{
    HRSRC resource = FindResourceA(NULL, name, RT_RCDATA);
    char path[MAX_PATH + 64];
    DWORD size, written = 0;
    HANDLE file;

    if (!resource)
        return true; /* its parts are not run, and say so */
    snprintf(path, sizeof path, "%s\\%s", evidence.folder, name);
    size = SizeofResource(NULL, resource);
    file = CreateFileA(path, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    if (file == INVALID_HANDLE_VALUE ||
        !WriteFile(file, LockResource(LoadResource(NULL, resource)), size, &written, NULL)) {
        printf("%s cannot be written, error %lu\n", path, GetLastError());
        return false;
    }
    return CloseHandle(file) && written == size;
}

static bool make_folder(void)
{
    char temp[MAX_PATH - 64] = "";

    if (!GetTempPathA(sizeof temp, temp))
        return false;
    snprintf(evidence.scratch, sizeof evidence.scratch, "%sumsshim-evidence-%lu", temp,
             GetCurrentProcessId());
    if (!CreateDirectoryA(evidence.scratch, NULL)) {
        printf("%s cannot be made, error %lu\n", evidence.scratch, GetLastError());
        return false;
    }
    /* Nothing is kept for the user. */
    SetEnvironmentVariableA("LOCALAPPDATA", evidence.scratch);
    GetModuleFileNameA(NULL, evidence.folder, sizeof evidence.folder - 1);
    *strrchr(evidence.folder, '\\') = 0;
    unpacked = FindResourceA(NULL, programs[0], RT_RCDATA) != NULL;
    if (unpacked)
        snprintf(evidence.folder, sizeof evidence.folder, "%s", evidence.scratch);
    for (int i = 0; i < PROGRAMS; i++)
        if (!unpack(programs[i]))
            return false;
    return true;
}

static void remove_files(void)
{
    char path[2 * MAX_PATH];
    WIN32_FIND_DATAA found;
    HANDLE search;

    snprintf(path, sizeof path, "%s\\*", evidence.scratch);
    search = FindFirstFileA(path, &found);
    if (search != INVALID_HANDLE_VALUE) {
        do {
            snprintf(path, sizeof path, "%s\\%s", evidence.scratch, found.cFileName);
            DeleteFileA(path);
        } while (FindNextFileA(search, &found));
        FindClose(search);
    }
}

/* With what the trial of umsrun --try keeps. */
static void remove_folder(void)
{
    char path[2 * MAX_PATH];

    snprintf(path, sizeof path, "%s\\umsshim\\in-place.txt", evidence.scratch);
    DeleteFileA(path);
    snprintf(path, sizeof path, "%s\\umsshim", evidence.scratch);
    RemoveDirectoryA(path);
    remove_files();
    RemoveDirectoryA(evidence.scratch);
}

/* ---- Running them ---------------------------------------------------------------------------- */

static void write_line(const struct part *part, unsigned budget_ms, char *line, size_t room)
{
    char own[MAX_PATH] = "";
    size_t used = 0;

    line[0] = 0;
    GetModuleFileNameA(NULL, own, sizeof own);
    if (part->run) {
        snprintf(line, room, "\"%s\" --part=%s \"--folder=%s\" \"--scratch=%s\" --budget=%u%s", own,
                 part->name, evidence.folder, evidence.scratch, budget_ms,
                 evidence.brief ? " --brief" : "");
        return;
    }
    for (const char *c = part->command; *c && used + 1 < room; c++)
        if (*c == '@')
            used += (size_t)snprintf(line + used, room - used, "%s", evidence.folder);
        else if (*c == '?')
            used += (size_t)snprintf(line + used, room - used, "%s",
                                     evidence.brief ? BRIEF_CLAUSES : "");
        else
            used += (size_t)snprintf(line + used, room - used, "%c", *c);
}

static bool not_run(struct outcome *outcome, const char *reason)
{
    outcome->verdict = "not run";
    snprintf(outcome->reason, sizeof outcome->reason, "%s", reason);
    return false;
}

/* Names with commas between them. */
static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; at; at = strchr(at, ','), at += at != NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static bool is_due(const struct part *part, struct outcome *outcome, bool own, unsigned left_ms)
{
    if (evidence.only && !is_among(evidence.only, part->name))
        return not_run(outcome, "--only does not name it");
    if (part->long_only && !evidence.longer)
        return not_run(outcome, "it takes minutes: --long runs it");
    if (part->on == WITHOUT_OWN && own && !evidence.ours)
        return not_run(outcome,
                       "this system's own User-Mode Scheduling works: nothing of umsshim's is "
                       "wanted here, but by --ours");
    if (part->on == WITH_OWN && !own)
        return not_run(outcome, "this system has no User-Mode Scheduling of its own that works");
    if (part->needs && !is_there(part->needs))
        return not_run(outcome, "the program that it takes is not beside or in this one");
    if (left_ms < LEAST_MS)
        return not_run(outcome, "the five minutes are over");
    return true;
}

static void run_part(const struct part *part, struct outcome *outcome, unsigned left_ms)
{
    /* Limits make room for other parts; in a long run all tests of a part have their turn. */
    unsigned part_ms = part->seconds * 1000 * (evidence.longer && !part->long_only ? LONGER : 1);
    unsigned limit_ms = part_ms < left_ms ? part_ms : left_ms;
    unsigned budget_ms = limit_ms / 2; /* what is begun then has as long again */
    char line[4 * MAX_PATH], output[MAX_PATH + 16];
    ULONGLONG start = GetTickCount64();
    enum ending ending;
    DWORD code = 0;

    write_line(part, budget_ms, line, sizeof line);
    snprintf(output, sizeof output, "%s\\part.txt", evidence.scratch);
    SetEnvironmentVariableA("UMSSHIM_SWITCH", part->mode);
    ending = run_program(line, output, limit_ms, &code);
    SetEnvironmentVariableA("UMSSHIM_SWITCH", NULL);
    outcome->milliseconds = (unsigned)(GetTickCount64() - start);
    outcome->text = read_text(output);
    outcome->verdict = "failed";
    if (ending == NOT_STARTED) {
        snprintf(outcome->reason, sizeof outcome->reason, "it does not start, error %lu", code);
    } else if (ending == OVER_LIMIT) {
        outcome->verdict = "hung";
        snprintf(outcome->reason, sizeof outcome->reason, "not over after %u s", limit_ms / 1000);
    } else if (code == PART_PASSED) {
        outcome->verdict = "passed";
    } else if (code == PART_TOLD) {
        outcome->verdict = "told";
    } else if (code > 255) {
        outcome->verdict = "crashed";
        snprintf(outcome->reason, sizeof outcome->reason, "it ended with 0x%lx", code);
    } else {
        snprintf(outcome->reason, sizeof outcome->reason, "it ended with %lu", code);
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

static const char about[] =
    "umsshim-evidence " PROJECT_VERSION " looks at how umsshim and this Windows get along.\n"
    "\n"
    "It takes at most five minutes, needs no rights and changes nothing: it runs some programs\n"
    "one after the other. They lie beside it, or it unpacks them into a folder of its own below\n"
    "%TEMP% and removes them. It connects to nothing. What it finds is written to\n"
    "umsshim-evidence.txt and umsshim-evidence.json, beside this program or in %TEMP%: versions,\n"
    "security settings, paths of modules, results of tests, timings.\n"
    "Read the .txt before you send it. docs/evidence.md says where to.\n"
    "\n"
    "  --brief    a few tests of each kind only, within a minute\n"
    "  --long     eight times as long for each part, and races for ten minutes more\n"
    "  --only=PARTS\n"
    "             these parts only, names with commas between them\n"
    "  --ours     where the system's own User-Mode Scheduling works: umsshim's as well\n"
    "  --version  which version this is, and nothing else\n"
    "\n";

/* Its console closes with it: so it was double-clicked. */
static bool is_alone_in_console(void)
{
    DWORD processes[2];

    return GetConsoleProcessList(processes, 2) == 1;
}

static int run_all(void)
{
    ULONGLONG start = GetTickCount64();
    bool own = has_own_ums(), bad = false;

    fputs(about, stdout);
    if (!make_folder()) {
        remove_folder();
        return 2;
    }
    for (int i = 0; i < part_count; i++) {
        ULONGLONG spent = GetTickCount64() - start;
        unsigned left_ms = evidence.longer    ? UINT_MAX
                           : spent < WHOLE_MS ? (unsigned)(WHOLE_MS - spent)
                                              : 0;

        printf("%-16s ", parts[i].name);
        fflush(stdout);
        if (is_due(&parts[i], &outcomes[i], own, left_ms))
            run_part(&parts[i], &outcomes[i], left_ms);
        printf("%-8s %s\n", outcomes[i].verdict, outcomes[i].reason);
        fflush(stdout);
        bad |= strcmp(outcomes[i].verdict, "failed") == 0 ||
               strcmp(outcomes[i].verdict, "hung") == 0 ||
               strcmp(outcomes[i].verdict, "crashed") == 0;
    }
    remove_folder();
    if (!write_reports(own, outcomes))
        return 2;
    printf("Both are for whoever asked you for them; please read the .txt first.\n");
    return bad ? 1 : 0;
}

static const char *value_of(const char *argument, const char *option)
{
    size_t length = strlen(option);

    return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

int main(int argc, char **argv)
{
    const char *name = NULL, *value;
    int status;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--brief") == 0) {
            evidence.brief = true;
        } else if (strcmp(argv[i], "--long") == 0) {
            evidence.longer = true;
        } else if (strcmp(argv[i], "--ours") == 0) {
            evidence.ours = true;
        } else if ((value = value_of(argv[i], "--only="))) {
            evidence.only = value;
        } else if ((value = value_of(argv[i], "--scratch="))) {
            snprintf(evidence.scratch, sizeof evidence.scratch, "%s", value);
        } else if ((value = value_of(argv[i], "--part="))) {
            name = value;
        } else if ((value = value_of(argv[i], "--folder="))) {
            snprintf(evidence.folder, sizeof evidence.folder, "%s", value);
        } else if ((value = value_of(argv[i], "--budget="))) {
            evidence.budget_ms = (unsigned)atoi(value);
        } else if (strcmp(argv[i], "--version") == 0) {
            puts("umsshim-evidence (umsshim) " PROJECT_VERSION);
            return 0;
        } else {
            fputs(about, stdout);
            return strcmp(argv[i], "--help") ? 2 : 0;
        }
    }
    evidence.part = name ? name : "";
    for (int i = 0; name && i < part_count; i++)
        if (parts[i].run && strcmp(parts[i].name, name) == 0)
            return parts[i].run();
    if (name)
        return 2;
    status = run_all();
    if (is_alone_in_console()) {
        printf("\nPress Enter to close this window.\n");
        getchar();
    }
    return status;
}
