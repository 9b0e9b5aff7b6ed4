/* SPDX-License-Identifier: MIT
 *
 * tls_module.c - a module with thread-local data, for static_tls.c: much of it, or in static TLS.
 */
__attribute__((visibility("default"))) int module_use(int value);

static __thread volatile int initialised = 4711;
static __thread volatile char data[MODULE_BYTES];

/* Leaves `value` at both ends; what was there before, or -1 when it is not the same at both. */
int module_use(int value)
{
    int before = data[0];

    if (initialised != 4711 || before != data[MODULE_BYTES - 1])
        return -1;
    data[0] = data[MODULE_BYTES - 1] = (char)value;
    return before;
}
