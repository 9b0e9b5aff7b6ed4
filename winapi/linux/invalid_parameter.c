/* SPDX-License-Identifier: MIT
 *
 * invalid_parameter.c - the handler that secure functions of the C run time call (umsshim_crt.h).
 */
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <stdlib.h>
#pragma GCC visibility pop

#include <stdatomic.h>

static _Atomic(_invalid_parameter_handler) installed;

_invalid_parameter_handler _set_invalid_parameter_handler(_invalid_parameter_handler handler)
{
    return atomic_exchange_explicit(&installed, handler, memory_order_acq_rel);
}

_invalid_parameter_handler _get_invalid_parameter_handler(void)
{
    return atomic_load_explicit(&installed, memory_order_acquire);
}
