// SPDX-License-Identifier: MIT
//
// gtest_c.cc - the glue between the C tests and GoogleTest: registration, watchdog, main.

#define TC_GLUE
#include "gtest_c.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Registered {
    const char *suite;
    const char *name;
    const char *file;
    int line;
    tc_body body;
    int limit_seconds;
};

// A function's static: constructors of the test files run before those of this one may.
std::vector<Registered> &registered()
{
    static std::vector<Registered> all;
    return all;
}

// Says which test hangs and ends the process a little before CTest would do so without a word.
class Watchdog {
public:
    explicit Watchdog(const Registered &test) : test_(test)
    {
        const char *text = std::getenv("UMSSHIM_TEST_LIMIT");
        int limit = text ? std::atoi(text) : test.limit_seconds;

        if (limit > 0) {
            // CTest counts from the start of the process.
            deadline_ = std::chrono::milliseconds(limit * 1000 - (limit > 8 ? 4000 : limit * 500));
            start_without_signals();
            // A test may fork at once: a thread that is still starting could hold a lock of the heap's then.
            std::unique_lock<std::mutex> hold(mutex_);
            changed_.wait(hold, [this] { return watching_; });
        }
    }
    Watchdog(const Watchdog &) = delete;
    Watchdog &operator=(const Watchdog &) = delete;
    ~Watchdog()
    {
        if (!thread_.joinable())
            return;
        {
            std::lock_guard<std::mutex> hold(mutex_);
            over_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

private:
    // Signals sent to the process are for the test's own threads.
    void start_without_signals()
    {
#ifdef __linux__
        sigset_t all;
        sigset_t before;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { watch(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
#else
        thread_ = std::thread([this] { watch(); });
#endif
    }

    void watch()
    {
        std::unique_lock<std::mutex> hold(mutex_);

        watching_ = true;
        changed_.notify_one();
        if (changed_.wait_for(hold, deadline_, [this] { return over_; }))
            return;
        tc_note("watchdog: %s.%s hangs (%s:%d); %d check(s) failed before that", test_.suite,
                test_.name, test_.file, test_.line, tc_failures());
        tc_describe_threads();
        tc_end_process();
    }

    const Registered &test_;
    std::chrono::milliseconds deadline_{};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool watching_ = false;
    bool over_ = false;
    std::thread thread_;
};

class CTest : public testing::Test {
public:
    explicit CTest(const Registered &test) : test_(test) {}

    void TestBody() override
    {
        tc_reset();
        {
            Watchdog watchdog(test_);
            test_.body();
        }
        hand_over();
    }

private:
    static void hand_over()
    {
        struct tc_record *record;
        int kept = tc_records(&record);
        int failed = tc_failures();

        for (int i = 0; i < kept; i++, record++)
            if (__atomic_load_n(&record->ready, __ATOMIC_ACQUIRE))
                ADD_FAILURE_AT(record->place.file, record->place.line) << record->text;
        if (failed > kept)
            ADD_FAILURE() << failed - kept << " further failures not kept";
        if (tc_skip_reason() != nullptr && failed == 0)
            GTEST_SKIP() << tc_skip_reason();
    }

    const Registered &test_;
};

} // namespace

extern "C" void tc_register(const char *suite, const char *name, const char *file, int line,
                            tc_body body, int limit_seconds)
{
    registered().push_back({suite, name, file, line, body, limit_seconds});
}

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    for (const Registered &test : registered()) {
        testing::RegisterTest(
            test.suite, test.name, nullptr, nullptr, test.file, test.line,
            [&test]() -> testing::Test * { return new CTest(test); });
    }
    return RUN_ALL_TESTS();
}
