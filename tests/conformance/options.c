/* SPDX-License-Identifier: MIT
 *
 * options.c - the command line, and the plan of clauses that follows from it.
 */
#include "host.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "ums_conformance - what User-Mode Scheduling does here, clause by clause\n"
    "\n"
    "  --provider=NAME    where the UMS calls are from: linked, or a module such as kernel32\n"
    "  --clause=ID,...    these only; a family (DQ) or all that begin so (EX-1*) will do, too\n"
    "  --matrix           schedulers x workers x lists only, each of them for longer\n"
    "  --repeat=N         the whole plan N times\n"
    "  --shuffle[=SEED]   in another order each time; the seed is printed\n"
    "  --departures=ID,... clauses that are known, and documented, to be answered otherwise\n"
    "  --strict           where Windows left the answer open, only our choice passes\n"
    "  --json=FILE --junit=FILE   the results for machines\n"
    "  --first            stop at the first thing that is not well\n"
    "  --limit=SECONDS    for one clause (25)\n"
    "  --launcher=PROGRAM has this program start the processes, as with umsrun\n"
    "  --quiet            lines for what is not well only\n"
    "  --list             the clauses, and that is all; with --json as one of the reports\n"
    "  --version          which version of umsshim this kit belongs to\n"
    "  --in-process       no processes of their own: for debuggers. A crash or hang is the end\n"
    "\n"
    "Exit status: 0 all is well, 1 something is not, 2 wrong arguments or no provider.\n";

static bool is_option(const char *argument, const char *name, const char *next, const char **value,
                      int *used)
{
    size_t length = strlen(name);

    if (strncmp(argument, name, length))
        return false;
    if (argument[length] == '=') {
        *value = argument + length + 1;
        return true;
    }
    if (!argument[length] && next) {
        *value = next;
        ++*used;
        return true;
    }
    return false;
}

/* One option; how many arguments it took, 0 if it is none. */
static int read_one(struct options *options, const char *argument, const char *next)
{
    const char *value = NULL;
    int used = 1;

    if (is_option(argument, "--provider", next, &options->provider, &used) ||
        is_option(argument, "--clause", next, &options->pick, &used) ||
        is_option(argument, "--departures", next, &options->departures, &used) ||
        is_option(argument, "--json", next, &options->json, &used) ||
        is_option(argument, "--junit", next, &options->junit, &used) ||
        is_option(argument, "--journal", next, &options->journal, &used) ||
        is_option(argument, "--launcher", next, &host_launcher, &used) ||
        is_option(argument, "--part", next, &options->part, &used))
        return used;
    if (is_option(argument, "--repeat", next, &value, &used)) {
        options->repeat = atoi(value);
        return options->repeat > 0 ? used : 0;
    }
    if (is_option(argument, "--skip", next, &value, &used)) {
        options->skip = atoi(value);
        return used;
    }
    if (!strncmp(argument, "--shuffle", 9) && (!argument[9] || argument[9] == '=')) {
        options->shuffle = true;
        if (argument[9])
            options->seed = (unsigned)strtoul(argument + 10, NULL, 0);
        return 1;
    }
    if (!strcmp(argument, "--matrix")) {
        options->pick = "MX";
        options->repeat = 10;
        return 1;
    }
    if (is_option(argument, "--limit", next, &value, &used)) {
        options->limit_ms = (unsigned)atoi(value) * 1000;
        return options->limit_ms > 0 ? used : 0;
    }
    options->first = options->first || !strcmp(argument, "--first");
    options->list = options->list || !strcmp(argument, "--list");
    options->strict = options->strict || !strcmp(argument, "--strict");
    options->quiet = options->quiet || !strcmp(argument, "--quiet");
    options->in_process = options->in_process || !strcmp(argument, "--in-process");
    return !strcmp(argument, "--list") || !strcmp(argument, "--first") ||
           !strcmp(argument, "--strict") || !strcmp(argument, "--quiet") ||
           !strcmp(argument, "--in-process");
}

struct options options_read(int argc, char **argv)
{
    struct options options = {.provider = calls_default_provider(), .repeat = 1, .limit_ms = 25000};

    options.seed = GetTickCount() | 1;
    for (int i = 1; i < argc;) {
        int used = read_one(&options, argv[i], argv[i + 1]);

        if (!used) {
            bool help = !strcmp(argv[i], "--help");

            if (!strcmp(argv[i], "--version")) {
                puts("ums_conformance (umsshim) " UMSSHIM_VERSION_TEXT);
                exit(0);
            }

            fprintf(help ? stdout : stderr, "%s", usage);
            exit(help ? 0 : 2);
        }
        i += used;
    }
    return options;
}

/* ---- the plan ---- */

static bool matches(const char *pattern, size_t length, const struct clause *clause)
{
    if (length > 0 && pattern[length - 1] == '*')
        return !strncmp(clause->id, pattern, length - 1);
    return (strlen(clause->id) == length && !strncmp(clause->id, pattern, length)) ||
           (strlen(clause->family) == length && !strncmp(clause->family, pattern, length));
}

bool plan_picks(const char *pick, const struct clause *clause)
{
    while (*pick) {
        size_t length = strcspn(pick, ",");

        if (matches(pick, length, clause))
            return true;
        pick += length + (pick[length] == ',');
    }
    return false;
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

int plan_make(const struct options *options, struct clause ***plan)
{
    struct clause **all = kit_clauses();
    unsigned state = options->seed;
    int picked = 0, count;

    for (int i = 0; all[i]; i++)
        if (!options->pick || plan_picks(options->pick, all[i]))
            all[picked++] = all[i];
    count = picked * options->repeat;
    *plan = calloc((size_t)count + 1, sizeof **plan);
    if (!*plan)
        abort();
    for (int i = 0; i < count; i++)
        (*plan)[i] = all[i % picked];
    for (int start = 0; options->shuffle && start < count; start += picked) {
        for (int i = picked - 1; i > 0; i--) {
            int other = (int)(draw(&state) % (unsigned)(i + 1));
            struct clause *swap = (*plan)[start + i];

            (*plan)[start + i] = (*plan)[start + other];
            (*plan)[start + other] = swap;
        }
    }
    free(all);
    return count;
}
