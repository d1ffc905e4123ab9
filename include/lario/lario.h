/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_H
#define LARIO_H

/* The whole of Lario; each header can also be included alone. */
#include "lario/app.h"
#include "lario/compress.h"
#include "lario/cookie.h"
#include "lario/error.h"
#include "lario/events.h"
#include "lario/file.h"
#include "lario/form.h"
#include "lario/hooks.h"
#include "lario/http.h"
#include "lario/limits.h"
#include "lario/log.h"
#include "lario/middleware.h"
#include "lario/process.h"
#include "lario/proxy.h"
#include "lario/router.h"
#include "lario/runtime.h"
#include "lario/scope.h"
#include "lario/session.h"
#include "lario/tcp.h"
#include "lario/tls.h"
#include "lario/version.h"
#include "lario/websocket.h"

#endif
