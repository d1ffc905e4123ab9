/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_ERROR_H
#define LARIO_ERROR_H

#include <errno.h>

#include "lario/export.h"

LARIO_BEGIN_DECLS

/*
 * Every function of Lario that can fail returns an int: zero or more is success, a negative number
 * is one of the codes below or a system error as -errno. The codes of Lario lie in this one list,
 * which yields value, name and text.
 *
 * The fatal line parts two kinds. A code above it concerns the operation or the request; a code at
 * or below LARIO_EFATAL means that the connection cannot go on.
 */
#define LARIO_ERROR_LIST(X)                                                                        \
    X(LARIO_ENOMEM, -ENOMEM, "out of memory")                                                      \
    X(LARIO_EINVAL, -EINVAL, "invalid argument")                                                   \
    X(LARIO_EAGAIN, -EAGAIN, "not now, try again")                                                 \
    X(LARIO_ETIMEDOUT, -ETIMEDOUT, "the time limit passed")                                        \
    X(LARIO_ECANCELED, -ECANCELED, "the process was killed")                                       \
    X(LARIO_ENOSYS, -ENOSYS, "this part was left out of the library when it was built")            \
    X(LARIO_ENOTFOUND, -2001, "not found")                                                         \
    X(LARIO_ETAKEN, -2002, "the name is taken by another process")                                 \
    X(LARIO_ENOPROC, -2003, "no such process, or it has ended")                                    \
    X(LARIO_ENOTPROC, -2004, "this call is made from inside a process only")                       \
    X(LARIO_ESCOPE, -2005, "the scope is not open on this node")                                   \
    X(LARIO_ERACE, -2006, "the name belongs to another process by now")                            \
    X(LARIO_ENOTMEMBER, -2007, "the process is not in the group")                                  \
    X(LARIO_EFULL, -2008, "a limit on a number of things is reached")                              \
    X(LARIO_ETOOBIG, -2009, "larger than its limit")                                               \
    X(LARIO_ESTATE, -2010, "the call does not fit what was done before")                           \
    X(LARIO_EHEADER, -2011, "a header name or value that may not be sent")                         \
    X(LARIO_EROUTE, -2012, "a route pattern that cannot be used")                                  \
    X(LARIO_EADDR, -2013, "an address that cannot be understood")                                  \
    X(LARIO_EUPGRADE, -2014, "not a WebSocket handshake, answered with an error")                  \
    X(LARIO_EUSAGE, -2015, "the command line cannot be understood")                                \
    X(LARIO_EDRAINING, -2016, "the server is shutting down")                                       \
    X(LARIO_ECERT, -2017, "a certificate or key that cannot be used")                              \
    X(LARIO_ECODING, -2018, "a content coding that is not known")                                  \
    X(LARIO_EMEDIA, -2019, "a body of a media type that is not expected")                          \
    X(LARIO_ECLOSED, -2901, "the connection is closed")                                            \
    X(LARIO_EPROTO, -2902, "the peer broke the protocol")                                          \
    X(LARIO_EUTF8, -2903, "text that is not UTF-8")                                                \
    X(LARIO_ETLS, -2904, "TLS failed")

enum lario_error {
#define LARIO_ERROR_VALUE(name, value, text) name = (value),
    LARIO_ERROR_LIST(LARIO_ERROR_VALUE)
#undef LARIO_ERROR_VALUE
};

/* The fatal line: codes from here down end the connection, not only the request. */
#define LARIO_EFATAL (-2900)

/*
 * The text of `code` (a code of the list, or -errno), for people. Static storage that is never
 * NULL: an unknown code reads "unknown error". Any thread; does not park.
 */
LARIO_API const char *lario_strerror(int code);

/* The name of `code`, such as "LARIO_ECLOSED" or "EADDRINUSE". "OK" for 0 and more. Static storage,
 * never NULL. */
LARIO_API const char *lario_errname(int code);

LARIO_END_DECLS

#endif
