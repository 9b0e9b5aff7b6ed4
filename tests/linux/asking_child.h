/* SPDX-License-Identifier: MIT
 *
 * asking_child.h - a child process whose calls another process answers through a seccomp listener.
 * That one waits at the listener by ioctl, without limit, and any signal ends the wait.
 */
#ifndef UMSSHIM_TESTS_LINUX_ASKING_CHILD_H
#define UMSSHIM_TESTS_LINUX_ASKING_CHILD_H

/* Makes the child. A plain thread calls it, before there are others. False: after a recorded
 * failure. */
int asking_child_start(void);
/* Has the child make its next call. */
void asking_child_asks(void);
/* Waits for a call and answers it: 0, or the error with which the wait has ended. */
int asking_child_answer(void);
/* Ends the child. A call that nobody has answered is a failure. */
void asking_child_end(void);

#endif
