/* SPDX-License-Identifier: MIT
 *
 * inplace_gap.h - the part of a worker's stack that its own thread keeps for itself, in bytes.
 *
 * While a worker runs elsewhere its own thread waits above the worker's frames, on the same stack.
 * The thread needs room for a system call, and for the line that a fatal error prints.
 */
#define INPLACE_GAP 16384
