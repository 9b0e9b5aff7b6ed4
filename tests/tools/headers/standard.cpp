// SPDX-License-Identifier: MIT
//
// standard.cpp - the standard library on both sides of <windows.h>, and the liberties C++ sources
// take.
#ifndef AFTER
#include <atomic>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#endif

#include <windows.h>
#include <intrin.h>
#include <process.h>
#include <tchar.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

class __declspec(novtable) Scheduler {
public:
    virtual ~Scheduler() {}
    virtual void Run(_In_ PUMS_CONTEXT Context) = 0;
};

class Pool : public Scheduler {
public:
    Pool() : m_References(1), m_Limit((std::numeric_limits<DWORD>::max)()) {}
    void Run(PUMS_CONTEXT Context) override { m_Ready.push_back(Context); }
    long AddRef() { return InterlockedIncrement(&m_References); }
    ULONG Release() { return ::InterlockedDecrement(&m_Count); }

    static VOID WINAPI Entry(UMS_SCHEDULER_REASON Reason, ULONG_PTR Payload, PVOID Param)
    {
        if (Reason == UmsSchedulerThreadYield)
            static_cast<Pool *>(Param)->Run(reinterpret_cast<PUMS_CONTEXT>(Payload));
    }

private:
    volatile long m_References;
    volatile ULONG m_Count = 1;
    DWORD m_Limit;
    std::vector<PUMS_CONTEXT> m_Ready;
};

static DWORD StartThread(const std::function<void()> &Body)
{
    // A lambda without capture is a callback, whatever its convention is called.
    HANDLE Thread = CreateThread(
        NULL, 0,
        [](LPVOID Parameter) -> DWORD {
            (*static_cast<std::function<void()> *>(Parameter))();
            return 0;
        },
        const_cast<std::function<void()> *>(&Body), 0, NULL);
    return Thread != NULL && WaitForSingleObject(Thread, INFINITE) == WAIT_OBJECT_0;
}

int Compute(int Left, LONG Right);
int Compute(int Left, LONG Right)
{
    Pool Target;
    UMS_SCHEDULER_STARTUP_INFO Info = {UMS_VERSION, NULL, &Pool::Entry, &Target};
    std::string Text = std::to_string(std::max(Left, 3)) + std::to_string((std::min)(1.0, 2.0));

    Target.AddRef();
    Target.Release();
    EnterUmsSchedulingMode(&Info);
    StartThread([&] { Text.clear(); });
    std::cout << Text << max(Left, Right) << std::endl;
    return min(Left, (int)Right);
}

// Where both are visible the standard's own is chosen.
namespace Everything {
using namespace std;
inline int Larger(int Left, int Right)
{
    return max(Left, Right);
}
}
