/* SPDX-License-Identifier: MIT
 *
 * server_load - the same server on UMS workers, in two styles, and on threads, under the same load,
 * in one run.
 *
 * Its verdict is about right answers and clean ends; the figures are for you to judge.
 */
#include "load.h"

#include <stdlib.h>
#include <string.h>

static struct result results[SERVERS][MAX_ROUNDS];

static int usage(const char *what, const char *value)
{
    fprintf(stderr,
            "server_load: %s%s; try: server_load [--connections 1..%d] [--seconds 1..60] "
            "[--rounds 1..%d] [--schedulers 1..64] [--server program] [--json file]\n",
            what, value, MAX_CONNECTIONS, MAX_ROUNDS);
    return 2;
}

static bool number(const char *text, int least, int most, int *value)
{
    char *end = NULL;
    long read = strtol(text, &end, 10);

    if (end == text || *end || read < least || read > most)
        return false;
    *value = (int)read;
    return true;
}

static bool read_option(struct load_options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--connections"))
        return number(value, 1, MAX_CONNECTIONS, &options->connections);
    if (!strcmp(name, "--seconds"))
        return number(value, 1, 60, &options->seconds);
    if (!strcmp(name, "--rounds"))
        return number(value, 1, MAX_ROUNDS, &options->rounds);
    if (!strcmp(name, "--schedulers"))
        return number(value, 1, 64, &options->schedulers);
    if (!strcmp(name, "--server"))
        options->server = value;
    else if (!strcmp(name, "--json"))
        options->json = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct load_options options = {.connections = 1000, .seconds = 3, .rounds = 3};
    bool good = true;

    for (int i = 1; i < argc; i++)
        if (argv[i + 1] && read_option(&options, argv[i], argv[i + 1]))
            i++;
        else
            return usage("cannot make sense of ", argv[i]);
    if (!options.server)
        options.server = server_beside();
    if (!system_has_room(options.connections))
        return usage("the limit on open files is too low for so many connections", "");
    for (int round = 0; round < options.rounds && good; round++) {
        for (int turn = 0; turn < SERVERS && good; turn++) {
            int server = (turn + round) % SERVERS; /* in turn, so that noise hits both */
            struct result *result = &results[server][round];

            good = drive(&options, server_names[server], result) && result->ended_well &&
                   result->wrong == 0 && result->requests >= options.connections;
            printf("round %d  %-8s %9.0f requests/s  median %7.0f us  p99 %7.0f us  wrong %ld\n",
                   round + 1, server_names[server], result->requests_per_second, result->median_us,
                   result->p99_us, result->wrong);
            fflush(stdout);
        }
    }
    if (good) {
        print_report(&options, results);
        if (options.json && !write_json(&options, results)) {
            fprintf(stderr, "server_load: cannot write %s\n", options.json);
            good = false;
        }
    }
    printf("verdict: %s\n", good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
