/* SPDX-License-Identifier: MIT
 *
 * asio.cpp - each of the crew runs an io_context of Boost.Asio's with one end of a socket pair. Two of
 * them, 2n and 2n + 1, send a number to and fro and add one to it each time.
 */
extern "C" {
#include "crew.h"
}

#include <boost/asio.hpp>

#include <array>
#include <memory>
#include <mutex>

namespace asio = boost::asio;
using stream = asio::local::stream_protocol::socket;

namespace {

struct side {
    asio::io_context context;
    stream end{context};
    unsigned number = 0, got = 0;

    void check(const boost::system::error_code &error)
    {
        if (error)
            real_fail("a socket pair", error.message().c_str());
    }

    void receive()
    {
        asio::async_read(
            end, asio::buffer(&number, sizeof number),
            [this](auto error, std::size_t) {
                check(error);
                got++;
                number++;
                send();
            });
    }

    void send()
    {
        asio::async_write(
            end, asio::buffer(&number, sizeof number),
            [this](auto error, std::size_t) {
                check(error);
                if (got < real_rounds)
                    receive();
            });
    }
};

std::array<std::unique_ptr<side>, CREW> sides;
std::once_flag made;

void make_sides()
{
    for (auto &one : sides)
        one = std::make_unique<side>();
    for (unsigned i = 0; i < CREW; i += 2)
        asio::local::connect_pair(sides[i]->end, sides[i + 1]->end);
}

} // namespace

/* The odd one begins, and so receives the number when it has gone there and back. */
void real_work(unsigned index)
{
    std::call_once(made, make_sides);
    side &own = *sides[index];
    if (index % 2)
        own.send();
    else
        own.receive();
    own.context.run();
    unsigned expected = 2 * real_rounds - (index % 2 ? 0 : 1);
    if (own.got != real_rounds || own.number != expected)
        real_fail("a number", "is wrong");
}
