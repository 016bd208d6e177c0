// The files of the page, within the binary.
#pragma once
#include <stddef.h>

typedef struct {
    // As in the page's address: "index.html", "ui/app.js".
    const char *path;
    const unsigned char *bytes;
    size_t count;
} millrace_page_file;

extern const size_t millrace_page_file_count;

// `index` below `millrace_page_file_count`.
millrace_page_file millrace_page_file_at(size_t index);
