/* SPDX-License-Identifier: MIT
 *
 * letter.c - see letter.h.
 */
#include <locale.h>
#include <wctype.h>

#include "winapi/linux/letter.h"

/* The tables of C.UTF-8. The first thread that asks makes them. NULL: the system has none. */
static locale_t tables(void)
{
    static _Atomic(locale_t) known;
    static atomic_bool missing;
    locale_t there = known, none = NULL;
    if (there || missing)
        return there;
    locale_t fresh = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    if (!fresh)
        fresh = newlocale(LC_CTYPE_MASK, "C", NULL);
    if (!fresh) {
        missing = true;
        return NULL;
    }
    if (atomic_compare_exchange_strong(&known, &none, fresh))
        return fresh;
    freelocale(fresh);
    return none;
}

static WCHAR mapped(WCHAR unit, wint_t result)
{
    return result > 0xFFFF || (result < 0x80 && unit >= 0x80) ? unit : (WCHAR)result;
}

WCHAR win__upper(WCHAR unit)
{
    if (unit < 0x80)
        return unit >= 'a' && unit <= 'z' ? (WCHAR)(unit - 32) : unit;
    locale_t locale = tables();
    return locale ? mapped(unit, towupper_l(unit, locale)) : unit;
}

WCHAR win__lower(WCHAR unit)
{
    if (unit < 0x80)
        return unit >= 'A' && unit <= 'Z' ? (WCHAR)(unit + 32) : unit;
    locale_t locale = tables();
    return locale ? mapped(unit, towlower_l(unit, locale)) : unit;
}

WORD win__class(WCHAR unit)
{
    locale_t locale = tables();
    if (!locale)
        return 0;
    bool digit = unit >= '0' && unit <= '9';
    bool hex = digit || (unit >= 'a' && unit <= 'f') || (unit >= 'A' && unit <= 'F');
    return (WORD)((iswupper_l(unit, locale) ? C1_UPPER : 0) |
                  (iswlower_l(unit, locale) ? C1_LOWER : 0) |
                  (iswalpha_l(unit, locale) && !digit ? C1_ALPHA : 0) | (digit ? C1_DIGIT : 0) |
                  (hex ? C1_XDIGIT : 0) |
                  (iswspace_l(unit, locale) || unit == 0xA0 ? C1_SPACE : 0) |
                  (unit == ' ' || unit == '\t' || unit == 0xA0 ? C1_BLANK : 0) |
                  (iswpunct_l(unit, locale) ? C1_PUNCT : 0) |
                  (iswcntrl_l(unit, locale) ? C1_CNTRL : 0) | C1_DEFINED);
}
