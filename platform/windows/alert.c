/* placeholder until merge */
#include "platform/windows/alert.h"
#include "platform/windows/calls.h"
#include "platform/windows/ntapi.h"
static NTSTATUS (NTAPI *wake)(HANDLE);
bool alert_raw_present(void)
{
    wake = ntapi_find("NtAlertThreadByThreadId");
    return wake && ntapi_find("NtWaitForAlertByThreadId");
}
void alert_raw_wait(void)
{
    ((NTSTATUS(NTAPI *)(void *, void *))call_originals[CALL_NtWaitForAlertByThreadId])(NULL, NULL);
}
void alert_raw_wake(uint32_t id)
{
    wake((HANDLE)(uintptr_t)id);
}
