/* SPDX-License-Identifier: MIT
 *
 * load.h - the load run: starts a server, keeps many connections busy, measures what comes back.
 */
#ifndef SERVER_LOAD_H
#define SERVER_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_CONNECTIONS = 10000, MAX_ROUNDS = 20, SERVERS = 3 };

struct load_options {
    const char *server; /* the program */
    const char *json;
    int connections, seconds, rounds, schedulers;
};

/* What one run of one server gave. */
struct result {
    double requests_per_second;
    double median_us, p99_us, p999_us, worst_us;
    double rss_mib;          /* at the end of the run */
    double kib_a_connection; /* its growth by the connections */
    double cpu_us_a_request; /* of the server's processes */
    long requests, wrong;    /* replies that were not right; any is a failure */
    bool ended_well;
};

/* system_linux.c, system_windows.c */
struct server_process {
    intptr_t process; /* its number, or a handle */
    intptr_t input;   /* descriptor or handle: it serves until this is closed */
    FILE *output;
    unsigned short port;
};
uint64_t now_ns(void);
bool system_has_room(int connections); /* for so many, here and in the server */
const char *server_beside(void);       /* the server's path: it lies beside this program */
void system_name(char *name, size_t room);
int system_processors(void);
bool server_start(struct server_process *server, const struct load_options *options,
                  const char *mode);
void server_close_input(struct server_process *server);
int server_end(
    struct server_process *server); /* its status when it ends, or -1: it had to be killed */
double server_rss_kib(const struct server_process *server);
double server_cpu_seconds(const struct server_process *server);

/* drive.c: false when the connections cannot be made. */
bool drive(const struct load_options *options, const char *mode, struct result *result);

/* report.c */
/* The last one is what the others are compared with. */
extern const char *const server_names[SERVERS];
void print_report(const struct load_options *options, struct result results[SERVERS][MAX_ROUNDS]);
bool write_json(const struct load_options *options, struct result results[SERVERS][MAX_ROUNDS]);

#endif
