/* SPDX-License-Identifier: MIT
 *
 * probe.c - a server under load: the sample on its completion port, and one on epoll.
 *
 * The load is the sample's, in this process, which umsshim is not linked to; the server is a
 * process of its own.
 */
#include "bench.h"

#include "load.h"

enum { CONNECTIONS = 1000, SECONDS = 3, FEW_CONNECTIONS = 100, FEW_SECONDS = 1 };

static void measure(const struct bench_scale *scale, const char *server, const char *mode)
{
    bool quick = scale == bench_scale_for(true);
    struct load_options options = {
        .server = server,
        .connections = quick ? FEW_CONNECTIONS : CONNECTIONS,
        .seconds = (quick ? FEW_SECONDS : SECONDS) * (int)bench_patience,
    };
    struct result result;

    if (!system_has_room(options.connections))
        bench_fail("the hard limit of open files is too low for so many connections", 0);
    if (!drive(&options, mode, &result))
        bench_fail("the server did not answer", 0);
    if (!result.ended_well || result.wrong)
        bench_fail("the server did not end well, or answered wrongly", 0);
    if (result.p99_us <= 0 || result.requests_per_second <= 0)
        bench_no_time("no request was sent and answered within the time");
    bench_emit("rate", result.requests_per_second);
    bench_emit("median", result.median_us);
    bench_emit("p99", result.p99_us);
    bench_emit("processor", result.cpu_us_a_request);
}

static void on_port(const struct bench_scale *scale)
{
    measure(scale, SERVER_ON_PORT, "port");
}

static void on_epoll(const struct bench_scale *scale)
{
    measure(scale, SERVER_ON_EPOLL, "epoll");
}

int main(int argc, char **argv)
{
    static const struct bench_runner runners[] = {
        {"port", on_port, false},
        {"epoll", on_epoll, false},
        {0},
    };

    return bench_probe_main(argc, argv, runners);
}
