/* SPDX-License-Identifier: MIT
 *
 * report.c - what came of it, for people and for machines.
 */
#include "host.h"
#include "run.h"

#include <string.h>

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"not run", "passed", "FAILED",     "skipped",
                                        "CRASHED", "HUNG",   "untestable", "differs"};

    return names[outcome];
}

bool outcome_is_bad(enum outcome outcome)
{
    return outcome == FAILED || outcome == CRASHED || outcome == HUNG || outcome == NOT_RUN;
}

void report_head(const struct options *options, int count)
{
    char system[200];

    host_system(system, sizeof system);
    printf("system:   %s\nprovider: %s%s\n", system, calls_provider,
           host_is_oracle() ? " (this Windows has UMS itself)" : "");
    if (options->shuffle)
        printf("order:    shuffled, --shuffle=%u\n", options->seed);
    printf("clauses:  %d%s\n\n", count, options->strict ? ", strictly as chosen here" : "");
    fflush(stdout);
}

void report_line(const struct result *result)
{
    const struct clause *clause = result->clause;

    printf("%-5s %-3s %-10s %s\n", clause->id, clause->tag, outcome_name(result->outcome),
           clause->says);
    if (*result->remark)
        printf("%21s%s\n", "", result->remark);
    fflush(stdout);
}

void report_summary(const struct result *results, int count)
{
    int counts[DIFFERS + 1] = {0};

    for (int i = 0; i < count; i++)
        if (results[i].clause)
            counts[results[i].outcome]++;
    printf("\n%d passed, %d failed, %d crashed, %d hung, %d differ as documented, %d skipped, "
           "%d cannot be tested\n",
           counts[PASSED], counts[FAILED], counts[CRASHED], counts[HUNG], counts[DIFFERS],
           counts[SKIPPED], counts[UNTESTABLE]);
    for (int i = 0; i < count; i++)
        if (results[i].clause && outcome_is_bad(results[i].outcome))
            printf("  %s: %d of %d runs\n", results[i].clause->id, results[i].bad, results[i].runs);
}

static void put_escaped(FILE *file, const char *text, bool xml)
{
    for (; *text; text++)
        if (xml && strchr("<>&\"", *text))
            fprintf(file, "&#%d;", *text);
        else if (!xml && (*text == '"' || *text == '\\'))
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, file);
}

static void put_field(FILE *file, const char *name, const char *value, const char *after)
{
    fprintf(file, "\"%s\": \"", name);
    put_escaped(file, value, false);
    fprintf(file, "\"%s", after);
}

static FILE *open_report(const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        fprintf(stderr, "ums_conformance: cannot write %s\n", path);
    return file;
}

bool report_json(const char *path, const struct options *options, const struct result *results,
                 int count)
{
    FILE *file = open_report(path);
    const char *comma = "";
    char system[200];

    if (!file)
        return false;
    host_system(system, sizeof system);
    fprintf(file, "{\n");
    put_field(file, "system", system, ",\n");
    put_field(file, "provider", calls_provider, ",\n");
    fprintf(file, "\"oracle\": %s,\n\"strict\": %s,\n\"repeat\": %d,\n\"clauses\": [",
            host_is_oracle() ? "true" : "false", options->strict ? "true" : "false",
            options->repeat);
    for (int i = 0; i < count; i++) {
        const struct clause *clause = results[i].clause;

        if (clause) {
            fprintf(file, "%s\n{", comma);
            put_field(file, "id", clause->id, ", ");
            put_field(file, "tag", clause->tag, ", ");
            put_field(file, "page", clause->page, ", ");
            put_field(file, "says", clause->says, ",\n ");
            put_field(file, "untested", clause->untested ? clause->untested : "", ", ");
            put_field(file, "result", outcome_name(results[i].outcome), ", ");
            fprintf(file, "\"runs\": %d, \"bad\": %d, \"ms\": %u, ", results[i].runs,
                    results[i].bad, results[i].milliseconds);
            put_field(file, "remark", results[i].remark, "}");
            comma = ",";
        }
    }
    fprintf(file, "\n]\n}\n");
    return fclose(file) == 0;
}

bool report_junit(const char *path, const struct result *results, int count)
{
    FILE *file = open_report(path);

    if (!file)
        return false;
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    fprintf(file, "<testsuite name=\"ums_conformance.%s\">\n", calls_provider);
    for (int i = 0; i < count; i++) {
        const struct clause *clause = results[i].clause;

        if (!clause)
            continue;
        fprintf(file, "<testcase classname=\"%s\" name=\"%s ", clause->family, clause->id);
        put_escaped(file, clause->says, true);
        fprintf(file, "\" time=\"%.3f\">", results[i].milliseconds / 1000.0);
        if (outcome_is_bad(results[i].outcome)) {
            fprintf(file, "<failure message=\"%s\">", outcome_name(results[i].outcome));
            put_escaped(file, results[i].remark, true);
            fprintf(file, "</failure>");
        } else if (results[i].outcome != PASSED) {
            fprintf(file, "<skipped message=\"");
            put_escaped(file, results[i].remark, true);
            fprintf(file, "\"/>");
        }
        fprintf(file, "</testcase>\n");
    }
    fprintf(file, "</testsuite>\n");
    return fclose(file) == 0;
}
