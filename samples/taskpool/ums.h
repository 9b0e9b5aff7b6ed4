/* SPDX-License-Identifier: MIT
 *
 * ums.h - owners for what UMS hands out: handles, completion lists, worker contexts.
 *
 * Each destructor gives back what its constructor got. A constructor that gets nothing throws.
 */
#ifndef TASKPOOL_UMS_H
#define TASKPOOL_UMS_H

#include <Windows.h>

#include <stdexcept>
#include <string>

[[noreturn]] inline void Fail(const char *call)
{
    throw std::runtime_error(std::string(call) + " failed, last error " +
                             std::to_string(GetLastError()));
}

class Handle {
public:
    explicit Handle(HANDLE handle = NULL) : m_handle(handle) {}
    ~Handle()
    {
        if (m_handle)
            CloseHandle(m_handle);
    }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    void Own(HANDLE handle) { m_handle = handle; }
    HANDLE Get() const { return m_handle; }
    bool Wait(DWORD milliseconds) const
    {
        return WaitForSingleObject(m_handle, milliseconds) == WAIT_OBJECT_0;
    }

private:
    HANDLE m_handle;
};

/* A manual-reset event: set once, and all waiters go on. */
class Event : public Handle {
public:
    Event() : Handle(CreateEvent(NULL, TRUE, FALSE, NULL))
    {
        if (!Get())
            Fail("CreateEvent");
    }
    void Set() { SetEvent(Get()); }
};

/* Fits std::lock_guard. A worker that has to wait for it leaves its scheduler to others. */
class CriticalSection {
public:
    CriticalSection() { InitializeCriticalSection(&m_section); }
    ~CriticalSection() { DeleteCriticalSection(&m_section); }
    CriticalSection(const CriticalSection &) = delete;
    CriticalSection &operator=(const CriticalSection &) = delete;

    void lock() { EnterCriticalSection(&m_section); }
    void unlock() { LeaveCriticalSection(&m_section); }

private:
    CRITICAL_SECTION m_section;
};

class CompletionList {
public:
    CompletionList()
    {
        HANDLE event;

        if (!CreateUmsCompletionList(&m_list))
            Fail("CreateUmsCompletionList");
        if (!GetUmsCompletionListEvent(m_list, &event))
            Fail("GetUmsCompletionListEvent");
        m_event.Own(event);
    }
    ~CompletionList() { DeleteUmsCompletionList(m_list); }
    CompletionList(const CompletionList &) = delete;
    CompletionList &operator=(const CompletionList &) = delete;

    PUMS_COMPLETION_LIST Get() const { return m_list; }
    HANDLE Arrival() const { return m_event.Get(); }

private:
    PUMS_COMPLETION_LIST m_list;
    Handle m_event;
};

/* A worker's context. Destroy it before Start, or when it reads IsTerminated. */
class Worker {
public:
    explicit Worker(void *owner)
    {
        if (!CreateUmsThreadContext(&m_context))
            Fail("CreateUmsThreadContext");
        SetUmsThreadInformation(m_context, UmsThreadUserContext, &owner, sizeof(owner));
    }
    ~Worker() { DeleteUmsThreadContext(m_context); }
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    /* When this returns the thread may have run and ended, and a scheduler may have destroyed the
     * very object: so nothing is touched after the creation. */
    void Start(const CompletionList &list, LPTHREAD_START_ROUTINE start, void *param)
    {
        alignas(16) unsigned char room[128];
        auto attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room);
        UMS_CREATE_THREAD_ATTRIBUTES ums = {UMS_VERSION, m_context, list.Get()};
        SIZE_T size = sizeof(room);
        HANDLE thread = NULL;

        if (!InitializeProcThreadAttributeList(attributes, 1, 0, &size))
            Fail("InitializeProcThreadAttributeList");
        if (UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &ums,
                                      sizeof(ums), NULL, NULL))
            thread = CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, start, param, 0, attributes,
                                          NULL);
        DeleteProcThreadAttributeList(attributes);
        if (!thread)
            Fail("creating a worker");
        CloseHandle(thread); /* the thread goes on without it */
    }

    PUMS_CONTEXT Context() const { return m_context; }

private:
    PUMS_CONTEXT m_context;
};

/* What the program stored in a context; any thread may ask. */
template <class Owner> Owner *OwnerOf(PUMS_CONTEXT context)
{
    void *owner = nullptr;

    QueryUmsThreadInformation(context, UmsThreadUserContext, &owner, sizeof(owner), NULL);
    return static_cast<Owner *>(owner);
}

inline bool IsTerminated(PUMS_CONTEXT context)
{
    BOOLEAN terminated = FALSE;

    QueryUmsThreadInformation(context, UmsThreadIsTerminated, &terminated, sizeof(terminated),
                              NULL);
    return terminated != FALSE;
}

#endif
