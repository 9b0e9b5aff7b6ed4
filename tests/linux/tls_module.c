/* SPDX-License-Identifier: MIT
 *
 * tls_module.c - a module with thread-local data, for static_tls.c: much of it, or in static TLS.
 */
__attribute__((visibility("default"))) int module_use(int value);

static __thread volatile int initialised = 4711;
static __thread volatile char data[MODULE_BYTES];

/* Stores `value` at both ends of the data. Returns what was there before; -1: the ends differed. */
int module_use(int value)
{
    int before = data[0];

    if (initialised != 4711 || before != data[MODULE_BYTES - 1])
        return -1;
    data[0] = data[MODULE_BYTES - 1] = (char)value;
    return before;
}
