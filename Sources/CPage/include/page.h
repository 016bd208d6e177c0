// The files of the page, embedded in the binary.
#pragma once
#include <stddef.h>

typedef struct {
    // Path relative to the page's URL, such as "index.html" or "ui/app.js".
    const char *path;
    const unsigned char *bytes;
    size_t count;
} millrace_page_file;

extern const size_t millrace_page_file_count;

// Returns the file at `index`, which must be less than `millrace_page_file_count`.
millrace_page_file millrace_page_file_at(size_t index);
