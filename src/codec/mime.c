/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/mime.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define UTF8 "; charset=utf-8"
#define EXTENSION_BYTES_MAX 15

typedef struct media_type {
    const char *extension;
    const char *type;
} media_type;

/* Sorted by extension, for the binary search. */
static const media_type types[] = {
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"apng", "image/apng"},
    {"atom", "application/atom+xml"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"css", "text/css" UTF8},
    {"csv", "text/csv" UTF8},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"eot", "application/vnd.ms-fontobject"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html" UTF8},
    {"html", "text/html" UTF8},
    {"ico", "image/x-icon"},
    {"ics", "text/calendar" UTF8},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript" UTF8},
    {"json", "application/json"},
    {"jsonld", "application/ld+json"},
    {"m4a", "audio/mp4"},
    {"map", "application/json"},
    {"md", "text/markdown" UTF8},
    {"mid", "audio/midi"},
    {"mjs", "text/javascript" UTF8},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpeg", "video/mpeg"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"rss", "application/rss+xml"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain" UTF8},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
};

static int compare(const void *key, const void *member)
{
    return strcmp(key, ((const media_type *)member)->extension);
}

/* What follows the last dot of the last segment; a name that only starts with a dot has none. */
static const char *extension_of(const char *file_name)
{
    const char *slash = strrchr(file_name, '/');
    const char *name = slash ? slash + 1 : file_name;
    const char *dot = strrchr(name, '.');

    return dot && dot != name ? dot + 1 : "";
}

const char *lario_mime_type(const char *file_name)
{
    static const char unknown[] = "application/octet-stream";
    const char *extension = extension_of(file_name);
    char lower[EXTENSION_BYTES_MAX + 1] = "";
    size_t len = strlen(extension);
    const media_type *found;

    if (len > EXTENSION_BYTES_MAX)
        return unknown;
    for (size_t i = 0; i < len; i++) {
        char c = extension[i];

        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    found = bsearch(lower, types, sizeof(types) / sizeof(types[0]), sizeof(types[0]), compare);
    return found ? found->type : unknown;
}
