// Text by write(2) alone.
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

void crash_flush(crash_writer *w) {
    size_t done = 0;
    while (done < w->used && w->fd >= 0) {
        ssize_t n = write(w->fd, w->bytes + done, w->used - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    w->used = 0;
}

static void put_byte(crash_writer *w, char c) {
    if (w->used == sizeof w->bytes) crash_flush(w);
    w->bytes[w->used++] = c;
}

void crash_put(crash_writer *w, const char *text) {
    while (*text) put_byte(w, *text++);
}

void crash_put_clean(crash_writer *w, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) put_byte(w, bytes[i] >= 32 && bytes[i] < 127 ? bytes[i] : '?');
}

static void put_digits(crash_writer *w, uint64_t value, unsigned base, int minimum) {
    char digits[24];
    int n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value || (n < minimum && n < 20));
    while (n) put_byte(w, digits[--n]);
}

void crash_put_unsigned(crash_writer *w, uint64_t value, int minimum_digits) { put_digits(w, value, 10, minimum_digits); }
void crash_put_hex(crash_writer *w, uint64_t value, int minimum_digits) { put_digits(w, value, 16, minimum_digits); }

void crash_put_signed(crash_writer *w, int64_t value) {
    if (value < 0) put_byte(w, '-');
    put_digits(w, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, 1);
}
