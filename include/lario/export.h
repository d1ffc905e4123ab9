/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_EXPORT_H
#define LARIO_EXPORT_H

/* Marks the symbols that the shared library exports; everything else is hidden. */
#define LARIO_API __attribute__((visibility("default")))

/* The result tells whether the call worked: the compiler warns when a caller drops it. */
#define LARIO_MUST_USE __attribute__((warn_unused_result))

/* printf-like function: the format is argument `fmt`, the values start at argument `first`. */
#define LARIO_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

#ifdef __cplusplus
#define LARIO_BEGIN_DECLS extern "C" {
#define LARIO_END_DECLS }
#else
#define LARIO_BEGIN_DECLS
#define LARIO_END_DECLS
#endif

#endif
