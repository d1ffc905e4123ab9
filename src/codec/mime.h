/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_MIME_H
#define LARIO_CODEC_MIME_H

/*
 * The media type for a file name by its extension (case-insensitive), text types with
 * "; charset=utf-8"; "application/octet-stream" for an unknown one. Static storage.
 */
const char *lario_mime_type(const char *file_name);

#endif
