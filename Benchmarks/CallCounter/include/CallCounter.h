// Counts calls that the packet path must avoid: heap allocations, retains, locks. Linked into the benchmark only.
#pragma once
#include <stdint.h>

typedef struct {
    uint64_t allocations;
    uint64_t retains;
    uint64_t locks;
} call_counts;

// Starts counting calls of the threads whose name starts with "media-".
void call_counter_start(void);
call_counts call_counter_read(void);
