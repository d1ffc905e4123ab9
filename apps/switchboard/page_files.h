/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_PAGE_FILES_H
#define SWITCHBOARD_PAGE_FILES_H

#include <stddef.h>

/* The files in page/; the build makes the tables from them. */
extern const unsigned char page_index_html[];
extern const size_t page_index_html_len;
extern const unsigned char page_style_css[];
extern const size_t page_style_css_len;
extern const unsigned char page_script_js[];
extern const size_t page_script_js_len;

#endif
