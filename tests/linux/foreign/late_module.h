/* SPDX-License-Identifier: MIT
 *
 * late_module.h - the plug-in that late_host.cc opens.
 */
#ifndef UMSSHIM_TESTS_LINUX_LATE_MODULE_H
#define UMSSHIM_TESTS_LINUX_LATE_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif
int late_run(void (*body)(void)); /* 0: it ran in a worker, to its end */
#ifdef __cplusplus
}
#endif
#endif
