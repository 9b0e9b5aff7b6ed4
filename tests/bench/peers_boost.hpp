// SPDX-License-Identifier: MIT
//
// peers_boost.hpp - how the peers that are fibers start them: all with the same stacks.
#ifndef UMSSHIM_TESTS_BENCH_PEERS_BOOST_HPP
#define UMSSHIM_TESTS_BENCH_PEERS_BOOST_HPP

#include <boost/context/fixedsize_stack.hpp>
#include <boost/fiber/fiber.hpp>

#include <cstddef>
#include <memory>

constexpr std::size_t stack_bytes = 65536;

template <typename Body> boost::fibers::fiber launch(Body body)
{
    return boost::fibers::fiber(boost::fibers::launch::post, std::allocator_arg,
                                boost::context::fixedsize_stack(stack_bytes), body);
}

#endif
