/* SPDX-License-Identifier: MIT
 *
 * umsshim_minmax.h - windef.h's min and max for C++, as templates.
 *
 * libstdc++ undefines the macros wherever it meets them, so they would be there or not by the order
 * of includes. Arguments may differ in type, as the macros' may; where both are of one type
 * std::min is the better match, so `using namespace std` makes nothing ambiguous.
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
