/* SPDX-License-Identifier: MIT
 *
 * mul_div.c - MulDiv: a product divided by a number, rounded to the nearest, and halves away from
 * 0.
 */
#include "winapi/linux/surface.h"

INT WINAPI MulDiv(INT number, INT numerator, INT denominator)
{
    LONGLONG product = (LONGLONG)number * numerator, divisor = denominator;
    if (!divisor)
        return -1;
    if (divisor < 0) {
        product = -product;
        divisor = -divisor;
    }
    LONGLONG result = (product < 0 ? product - divisor / 2 : product + divisor / 2) / divisor;
    return result > 0x7FFFFFFF || result < -0x7FFFFFFF ? -1 : (INT)result;
}
