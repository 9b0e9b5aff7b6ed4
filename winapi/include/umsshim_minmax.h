/* SPDX-License-Identifier: MIT
 *
 * umsshim_minmax.h - windef.h's min and max for C++, as templates.
 *
 * libstdc++ undefines the macros wherever it meets them, so the order of includes would decide
 * whether a program has them. Arguments may differ in type, as those of the macros. If both are of
 * one type std::min is the better match, so `using namespace std` makes no call ambiguous.
 */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#ifndef UMSSHIM_MINMAX_H
#define UMSSHIM_MINMAX_H

#undef min
#undef max

extern "C++" {
template <class Type> struct umsshim_value {
    typedef Type type;
};
template <class Type> struct umsshim_value<const Type &> {
    typedef Type type;
};

template <class Left, class Right>
static constexpr inline auto max(const Left &left, const Right &right) ->
    typename umsshim_value<decltype(true ? left : right)>::type
{
    return left > right ? left : right;
}

template <class Left, class Right>
static constexpr inline auto min(const Left &left, const Right &right) ->
    typename umsshim_value<decltype(true ? left : right)>::type
{
    return left < right ? left : right;
}
}

#endif
