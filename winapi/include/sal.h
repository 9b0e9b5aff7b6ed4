/* SPDX-License-Identifier: MIT
 *
 * sal.h - Wine's empty annotations, plus those that Wine lacks.
 *
 * libstdc++ names parameters __in and __out, as the oldest annotations are called. C sources get
 * both words. C++ sources get them with -DUMSSHIM_SAL_IN_OUT: then the standard headers that use
 * the names are included first.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../include/sal.h>
#elif defined(_MSC_VER)
#include_next <sal.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <sal.h>

#if !defined(_WIN32) && !defined(UMSSHIM_SAL_H)
#define UMSSHIM_SAL_H

#define _Acquires_exclusive_lock_(lock)
#define _Acquires_lock_(lock)
#define _Acquires_shared_lock_(lock)
#define _Analysis_assume_(condition)
#define _Analysis_assume_lock_held_(lock)
#define _Callback_
#define _Const_
#define _Deref_opt_out_
#define _Deref_opt_out_opt_
#define _Deref_prepost_z_
#define _Frees_ptr_
#define _Frees_ptr_opt_
#define _Function_class_(name)
#define _Group_(annotations)
#define _Guarded_by_(lock)
#define _Has_lock_kind_(kind)
#define _Inout_opt_count_(count)
#define _Inout_updates_all_(count)
#define _Inout_updates_all_opt_(count)
#define _Inout_updates_bytes_all_(count)
#define _Inout_updates_bytes_to_(count, used)
#define _Inout_updates_bytes_to_opt_(count, used)
#define _Inout_updates_to_(count, used)
#define _Inout_updates_to_opt_(count, used)
#define _Interlocked_
#define _Interlocked_operand_
#define _Maybenull_
#define _Maybevalid_
#define _Notnull_
#define _Notvalid_
#define _Null_terminated_
#define _NullNull_terminated_
#define _On_failure_(annotations)
#define _Out_opt_z_
#define _Out_range_(low, high)
#define _Out_z_
#define _Outptr_opt_result_bytebuffer_(count)
#define _Outptr_result_bytebuffer_(count)
#define _Outptr_result_bytebuffer_maybenull_(count)
#define _Outptr_result_to_(count, used)
#define _Points_to_data_
#define _Post_
#define _Post_maybenull_
#define _Post_notnull_
#define _Post_null_
#define _Post_valid_
#define _Pre_
#define _Pre_maybevalid_
#define _Pre_opt_valid_
#define _Pre_satisfies_(condition)
#define _Pre_unknown_
#define _Readable_bytes_(count)
#define _Readable_elements_(count)
#define _Releases_exclusive_lock_(lock)
#define _Releases_lock_(lock)
#define _Releases_shared_lock_(lock)
#define _Requires_exclusive_lock_held_(lock)
#define _Requires_lock_held_(lock)
#define _Requires_lock_not_held_(lock)
#define _Requires_no_locks_held_
#define _Requires_shared_lock_held_(lock)
#define _Ret_
#define _Ret_notnull_z_
#define _Ret_null_
#define _Ret_valid_
#define _Ret_writes_(count)
#define _Ret_writes_bytes_(count)
#define _Ret_writes_bytes_to_(count, used)
#define _Ret_writes_maybenull_(count)
#define _Ret_writes_to_(count, used)
#define _Struct_size_bytes_(count)
#define _Unchanged_(value)
#define _Use_decl_annotations_
#define _Valid_
#define _Writable_bytes_(count)
#define _Writable_elements_(count)
#define _Write_guarded_by_(lock)

#define __checkReturn
#define __nullnullterminated
#define __nullterminated
#define __out_xcount(size)
#define __out_xcount_opt(size)
#define __in_xcount(size)
#define __in_xcount_opt(size)
#define __typefix(type)
#ifndef __cplusplus
#define __in
#define __out
#endif

#endif

/* In a cross build MinGW's headers include this one while standard headers are half read. Then it
 * waits: <windows.h> includes it again. */
#if defined(__cplusplus) && defined(UMSSHIM_SAL_IN_OUT) && !defined(UMSSHIM_SAL_IN_OUT_H) &&       \
    (!defined(_WIN32) || defined(UMSSHIM_UMSSHIM_H))
#define UMSSHIM_SAL_IN_OUT_H
extern "C++" { /* the including headers open extern "C" */
#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <locale>
#include <memory>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
}
#define __in
#define __out
#endif
#endif /* _MSC_VER */
