/* SPDX-License-Identifier: MIT
 *
 * hazards.c - the part that runs the hazard tests, which are one program here: each test in a
 * process of its own, under a limit.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 512, TEST_LIMIT_MS = 35000, BRIEF_MS = 4000, TEXT_LINES = 12 };

static char *tests[MOST_TESTS];
static int test_count;

/* GoogleTest's list: a suite's line, with the tests below it indented. */
static void read_list(char *text)
{
    char suite[128] = "", name[256];

    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        size_t length = strcspn(line, " ");

        if (line[0] != ' ' && length && line[length - 1] == '.') {
            snprintf(suite, sizeof suite, "%.*s", (int)length, line);
        } else if (line[0] == ' ' && suite[0] && test_count < MOST_TESTS) {
            snprintf(name, sizeof name, "%s%.*s", suite, (int)strcspn(line + 2, " "), line + 2);
            tests[test_count++] = strdup(name);
        }
    }
}

/* A failed test's first lines that say something. */
static void print_why(char *text)
{
    int lines = 0;

    for (char *line = strtok(text, "\r\n"); line && lines < TEXT_LINES; line = strtok(NULL, "\r\n"))
        if (line[0] != '[' && strncmp(line, "Note:", 5)) {
            printf("    %s\n", line);
            lines++;
        }
}

/* Whether it is of the same suite as the one before. */
static bool is_another_of_its_suite(int i)
{
    size_t length = strcspn(tests[i], ".");

    return i && strncmp(tests[i], tests[i - 1], length + 1) == 0;
}

/* The same tests in a program that is marked as fit for user shadow stacks are a part of their own.
 */
static const char *program(void)
{
    return strstr(evidence.part, "-cet") ? "umsshim-hazards-cet.exe" : "umsshim-hazards.exe";
}

static void output_of(char *output, size_t room)
{
    snprintf(output, room, "%s\\hazard-%lu.txt", evidence.scratch, GetCurrentProcessId());
}

static bool list_tests(const char *output)
{
    char line[2 * MAX_PATH];
    DWORD code = 0;
    char *text;

    snprintf(line, sizeof line, "\"%s\\%s\" --gtest_list_tests", evidence.folder, program());
    if (run_program(line, output, TEST_LIMIT_MS, &code) != ENDED || code) {
        printf("the hazard tests do not start: 0x%lx\n", code);
        return false;
    }
    text = read_text(output);
    read_list(text);
    free(text);
    return true;
}

/* What a wrong owner, a lost wake-up or a torn switch would show in: where threads meet. */
static bool is_race(const char *test)
{
    static const char *const suites[] = {"Ownership.",    "UserWaitRaces.", "Interrupted.",
                                         "UserWaitEnds.", "NtdllLocks.",    "Suspend.",
                                         "Loader."};

    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
        if (strncmp(test, suites[i], strlen(suites[i])) == 0)
            return true;
    return false;
}

/* Rounds of all of them until the time is over. Ends with the first round that has a failure. */
int part_races(void)
{
    char line[2 * MAX_PATH], output[MAX_PATH + 64];
    ULONGLONG start = GetTickCount64();
    unsigned rounds = 0, runs = 0, failed = 0;
    DWORD code = 0;

    output_of(output, sizeof output);
    if (!list_tests(output))
        return PART_FAILED;
    for (bool over = false; !over && !failed; rounds++)
        for (int i = 0; i < test_count && !over; i++) {
            enum ending ending;

            if (!is_race(tests[i]))
                continue;
            snprintf(line, sizeof line, "\"%s\\%s\" --gtest_filter=%s", evidence.folder, program(),
                     tests[i]);
            ending = run_program(line, output, TEST_LIMIT_MS, &code);
            runs++;
            if (ending != ENDED || code) {
                char *text = read_text(output);

                printf("%s %s in round %u, 0x%lx\n", ending == OVER_LIMIT ? "hung" : "FAILED",
                       tests[i], rounds + 1, code);
                print_why(text ? text : output);
                free(text);
                failed++;
            }
            over = GetTickCount64() - start >= evidence.budget_ms;
        }
    DeleteFileA(output);
    printf("races: %u rounds, %u runs, %u failed\n", rounds, runs, failed);
    return failed || !runs ? PART_FAILED : PART_PASSED;
}

int part_hazards(void)
{
    char line[2 * MAX_PATH], output[MAX_PATH + 64];
    unsigned passed = 0, failed = 0, skipped = 0, left = 0;
    unsigned budget_ms =
        evidence.brief && evidence.budget_ms > BRIEF_MS ? BRIEF_MS : evidence.budget_ms;
    ULONGLONG start = GetTickCount64();
    DWORD code = 0;
    char *text;

    output_of(output, sizeof output);
    if (!list_tests(output))
        return PART_FAILED;
    for (int i = 0; i < test_count; i++) {
        ULONGLONG spent = GetTickCount64() - start;
        enum ending ending;

        if ((evidence.brief && is_another_of_its_suite(i)) || spent >= budget_ms) {
            left++;
            continue;
        }
        snprintf(line, sizeof line, "\"%s\\%s\" --gtest_filter=%s", evidence.folder, program(),
                 tests[i]);
        ending = run_program(line, output, TEST_LIMIT_MS, &code);
        text = read_text(output);
        if (ending == ENDED && code == 0 && text && strstr(text, "[  SKIPPED ]")) {
            printf("skipped %s\n", tests[i]);
            skipped++;
        } else if (ending == ENDED && code == 0) {
            printf("passed %s\n", tests[i]);
            passed++;
        } else {
            printf("%s %s, 0x%lx\n", ending == OVER_LIMIT ? "hung" : "FAILED", tests[i], code);
            print_why(text ? text : output);
            failed++;
        }
        fflush(stdout);
        free(text);
    }
    DeleteFileA(output);
    printf("hazard tests: %u passed, %u failed, %u skipped, %u not run (%s)\n", passed, failed,
           skipped, left, evidence.brief ? "a brief run has few" : "no time left");
    return failed || !passed ? PART_FAILED : PART_PASSED;
}
