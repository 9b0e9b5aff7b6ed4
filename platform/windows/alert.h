/* placeholder until merge */
#ifndef UMSSHIM_PLATFORM_WINDOWS_ALERT_H
#define UMSSHIM_PLATFORM_WINDOWS_ALERT_H
#include <stdint.h>
#include <stdbool.h>
bool alert_raw_present(void);
void alert_raw_wait(void);
void alert_raw_wake(uint32_t thread_id);
#endif
