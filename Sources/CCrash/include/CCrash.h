// Crash reports: a signal handler that writes why the process ends, and the memory that it reads: the newest decisions and the counters
// of the media workers. Nothing here calls the Swift runtime or allocates after the start.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Decisions in a report, and the slots of their ring.
#define MILLRACE_CRASH_DECISIONS 1000
#define MILLRACE_CRASH_RING 1024
// Bytes of the name of a decision's kind; longer ones are cut.
#define MILLRACE_CRASH_KIND 24
// Counter blocks, one a worker, and counters of a block.
#define MILLRACE_CRASH_BLOCKS 64
#define MILLRACE_CRASH_COUNTERS 128
#define MILLRACE_CRASH_COUNTER_NAME 48
// A report that is not complete after this time is cut off, and the process ends.
#define MILLRACE_CRASH_DEADLINE_MS 150
// Source of decisions of the control plane; those of media workers are their indices from 0.
#define MILLRACE_CRASH_CONTROL (-1)

typedef struct {
    // Position in the order of all decisions, from 1.
    uint64_t sequence;
    // CLOCK_MONOTONIC.
    int64_t nanoseconds;
    int32_t source;
    // Hashes of names (`millrace_crash_hash`); 0: none.
    uint64_t session;
    uint64_t subject;
    int64_t value;
    char kind[MILLRACE_CRASH_KIND + 1];
} millrace_crash_decision;

// FNV-1a, 64 bits: names are in a report as hashes.
uint64_t millrace_crash_hash(const void *bytes, size_t length);

// Names the calling thread as that of a media worker, for the decisions that it notes.
void millrace_crash_set_source(int32_t worker);
// Appends a decision. Any thread, no lock, no allocation: one atomic addition and nine stores.
void millrace_crash_note(
    uint64_t session, uint64_t subject, const void *kind, size_t kind_length, int64_t value);
// Copies the newest decisions, oldest first, without those that are being written.
size_t millrace_crash_decisions(millrace_crash_decision *out, size_t capacity);

// Names the counters of a block in their order in memory.
void millrace_crash_counter_name(size_t index, const char *name);
// Makes the counters of one worker readable for reports until `millrace_crash_counters_close`.
// Returns the block's number, or -1 when all are taken.
int millrace_crash_counters_open(int32_t worker, const uint64_t *counters);
void millrace_crash_counters_close(int block);

// Writes reports from now on.
//   directory:  descriptor of the directory of reports, or -1: the whole report goes to standard error
//   report:     descriptor of the report's file, opened ahead, or -1
//   open_name:  the file's name while the process runs; ready_name: its name once it has a report
//   build:      one line: version, configuration, architecture
// Descriptors and the calling thread's alternate stack stay in use until the process ends. Returns 0, or 1 when a sanitizer handles
// signals in this build and nothing was installed.
int millrace_crash_install(int directory, int report, const char *open_name, const char *ready_name, const char *build);

// Gives the calling thread a stack for signal handlers, so that a stack overflow can be reported; freed with the thread. Does nothing
// before `millrace_crash_install`, and when called again.
void millrace_crash_prepare_thread(void);
