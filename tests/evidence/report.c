/* SPDX-License-Identifier: MIT
 *
 * report.c - see report.h.
 */
#include "report.h"

#include <string.h>

/* Text is ASCII as JSON wants it; a byte that is not is told as the character of that number. */
static void put_json(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if (*text == '\n')
            fprintf(file, "\\n");
        else if ((unsigned char)*text < 32 || (unsigned char)*text > 126)
            fprintf(file, *text == '\r' ? "" : "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void write_json(FILE *file, bool own, const struct outcome *outcomes)
{
    fprintf(
        file,
        "{\n\"schema\": 1,\n\"version\": \"%s\",\n\"brief\": %s,\n\"long\": %s,\n\"ours\": %s,\n"
        "\"own_ums\": %s,\n\"parts\": [",
        PROJECT_VERSION, evidence.brief ? "true" : "false", evidence.longer ? "true" : "false",
        !own || evidence.ours ? "true" : "false", own ? "true" : "false");
    for (int i = 0; i < part_count; i++) {
        fprintf(file, "%s\n{\"name\": \"%s\", \"what\": ", i ? "," : "", parts[i].name);
        put_json(file, parts[i].what);
        fprintf(file, ", \"verdict\": \"%s\", \"ms\": %u, \"reason\": ", outcomes[i].verdict,
                outcomes[i].milliseconds);
        put_json(file, outcomes[i].reason);
        fprintf(file, ", \"text\": ");
        put_json(file, outcomes[i].text ? outcomes[i].text : "");
        fprintf(file, "}");
    }
    fprintf(file, "\n]\n}\n");
}

static void write_text(FILE *file, bool own, const struct outcome *outcomes)
{
    fprintf(file, "umsshim-evidence %s%s%s\n\n", PROJECT_VERSION, evidence.brief ? ", brief" : "",
            own && evidence.ours ? ", beside the system's own User-Mode Scheduling"
            : own                ? ", against the system's own User-Mode Scheduling"
                                 : "");
    for (int i = 0; i < part_count; i++)
        fprintf(file, "%-16s %-8s %6u ms  %s%s%s\n", parts[i].name, outcomes[i].verdict,
                outcomes[i].milliseconds, parts[i].what, outcomes[i].reason[0] ? ": " : "",
                outcomes[i].reason);
    for (int i = 0; i < part_count; i++)
        if (outcomes[i].text && outcomes[i].text[0])
            fprintf(file, "\n==== %s: %s\n%s", parts[i].name, outcomes[i].verdict,
                    outcomes[i].text);
}

/* Beside this program, or in %TEMP%. */
static FILE *open_report(const char *suffix, char *path, size_t room)
{
    char own[MAX_PATH] = "", temp[MAX_PATH] = "";
    FILE *file;

    GetModuleFileNameA(NULL, own, sizeof own);
    own[strrchr(own, '\\') ? strrchr(own, '\\') - own + 1 : 0] = 0;
    snprintf(path, room, "%sumsshim-evidence%s", own, suffix);
    file = fopen(path, "wb");
    if (!file && GetTempPathA(sizeof temp, temp)) {
        printf("%s cannot be written: it goes to %%TEMP%%\n", path);
        snprintf(path, room, "%sumsshim-evidence%s", temp, suffix);
        file = fopen(path, "wb");
    }
    return file;
}

bool write_reports(bool own, const struct outcome *outcomes)
{
    static const char *const suffixes[] = {".txt", ".json"};
    bool ok = true;

    printf("\n");
    for (int i = 0; i < 2; i++) {
        char path[2 * MAX_PATH];
        FILE *file = open_report(suffixes[i], path, sizeof path);

        if (!file) {
            printf("%s cannot be written either\n", path);
            ok = false;
            continue;
        }
        (i ? write_json : write_text)(file, own, outcomes);
        ok &= fclose(file) == 0;
        printf("written: %s\n", path);
    }
    return ok;
}
