// Declarations that the parts of the crash handler share. Functions can be called in a signal handler unless a comment says otherwise.
#pragma once
#include "CCrash.h"
#include <sys/types.h>

// Buffered output to one descriptor.
typedef struct {
    int fd;
    size_t used;
    char bytes[4096];
} crash_writer;

void crash_flush(crash_writer *);
void crash_put(crash_writer *, const char *text);
// Bytes that are not printable ASCII become '?'.
void crash_put_clean(crash_writer *, const char *bytes, size_t length);
void crash_put_unsigned(crash_writer *, uint64_t value, int minimum_digits);
void crash_put_signed(crash_writer *, int64_t value);
void crash_put_hex(crash_writer *, uint64_t value, int minimum_digits);

// Not in a handler: opens the memory map and maps the symbols of the executable.
void crash_modules_prepare(void);
// Reads the memory map of the process as it is now.
void crash_modules_read(void);
// "name+0xOFFSET" of an address, or "?" outside of all modules. Returns whether a module was found.
int crash_put_address(crash_writer *, uint64_t address);
void crash_put_modules(crash_writer *);
// Looks up the functions of addresses in the executable, in one pass over its symbols.
void crash_find_symbols(const uint64_t *addresses, size_t count);
// "#frame symbol+0xOFFSET" of what the last search found among the first `count` addresses, a line each; nothing when the executable is
// stripped.
void crash_put_symbols(crash_writer *, size_t count);

#define CRASH_FRAMES 64
// Return addresses by frame pointers, the interrupted instruction first. Memory is read by a system call, so a broken chain ends the walk.
size_t crash_walk(const void *context, uint64_t *out, size_t capacity);
// Not in a handler: loads the unwinder.
void crash_unwinder_prepare(void);
// Return addresses by unwind tables, from the interrupted instruction on; takes the loader's lock, so it comes late in a report.
size_t crash_unwind(const void *context, uint64_t *out, size_t capacity);

void crash_put_decisions(crash_writer *, int64_t now);
void crash_put_counters(crash_writer *);
int64_t crash_clock(int clock);
