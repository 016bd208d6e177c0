// The newest decisions of all threads, and the counters of the workers.
#define _GNU_SOURCE
#include "internal.h"
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// A slot of the ring in words: what is read while another thread writes it shows by its sequence number and is left out.
enum { SEQUENCE, TIME, SOURCE, SESSION, SUBJECT, VALUE, KIND, WORDS = KIND + MILLRACE_CRASH_KIND / 8 };
static _Atomic uint64_t ring[MILLRACE_CRASH_RING][WORDS];
static _Atomic uint64_t next_decision;

static char names[MILLRACE_CRASH_COUNTERS][MILLRACE_CRASH_COUNTER_NAME];
static _Atomic size_t name_count;
static struct {
    _Atomic int taken;
    int32_t worker;
    _Atomic(const uint64_t *) counters;
} blocks[MILLRACE_CRASH_BLOCKS];

int64_t crash_clock(int clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

uint64_t millrace_crash_hash(const void *bytes, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static _Thread_local int32_t source = MILLRACE_CRASH_CONTROL;

void millrace_crash_set_source(int32_t worker) { source = worker; }

void millrace_crash_note(
    uint64_t session, uint64_t subject, const void *kind, size_t kind_length, int64_t value) {
    // Threads of the control plane come and go; those that decide something get their stack here.
    millrace_crash_prepare_thread();
    uint64_t name[MILLRACE_CRASH_KIND / 8] = {0};
    memcpy(name, kind, kind_length < sizeof name ? kind_length : sizeof name);
    uint64_t number = atomic_fetch_add_explicit(&next_decision, 1, memory_order_relaxed);
    _Atomic uint64_t *slot = ring[number % MILLRACE_CRASH_RING];
    atomic_store_explicit(&slot[SEQUENCE], 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    const uint64_t words[KIND] = {
        0, (uint64_t)crash_clock(CLOCK_MONOTONIC), (uint64_t)(int64_t)source, session, subject, (uint64_t)value};
    for (int i = TIME; i < KIND; i++) atomic_store_explicit(&slot[i], words[i], memory_order_relaxed);
    for (int i = KIND; i < WORDS; i++) atomic_store_explicit(&slot[i], name[i - KIND], memory_order_relaxed);
    atomic_store_explicit(&slot[SEQUENCE], number + 1, memory_order_release);
}

size_t millrace_crash_decisions(millrace_crash_decision *out, size_t capacity) {
    uint64_t end = atomic_load_explicit(&next_decision, memory_order_acquire);
    if (capacity > MILLRACE_CRASH_RING) capacity = MILLRACE_CRASH_RING;
    uint64_t begin = end > capacity ? end - capacity : 0;
    size_t count = 0;
    for (uint64_t number = begin; number < end; number++) {
        _Atomic uint64_t *slot = ring[number % MILLRACE_CRASH_RING];
        uint64_t words[WORDS];
        uint64_t before = atomic_load_explicit(&slot[SEQUENCE], memory_order_acquire);
        for (int i = TIME; i < WORDS; i++) words[i] = atomic_load_explicit(&slot[i], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        uint64_t after = atomic_load_explicit(&slot[SEQUENCE], memory_order_relaxed);
        if (before != number + 1 || after != before) continue;
        millrace_crash_decision *decision = out + count++;
        decision->sequence = before;
        decision->nanoseconds = (int64_t)words[TIME];
        decision->source = (int32_t)(int64_t)words[SOURCE];
        decision->session = words[SESSION];
        decision->subject = words[SUBJECT];
        decision->value = (int64_t)words[VALUE];
        memcpy(decision->kind, words + KIND, MILLRACE_CRASH_KIND);
        decision->kind[MILLRACE_CRASH_KIND] = 0;
    }
    return count;
}

static void put_source(crash_writer *w, int32_t source) {
    if (source < 0) {
        crash_put(w, "control");
    } else {
        crash_put(w, "media-");
        crash_put_unsigned(w, (uint64_t)source, 1);
    }
}

void crash_put_decisions(crash_writer *w, int64_t now) {
    // Not on the stack, which is small in a handler.
    static millrace_crash_decision decisions[MILLRACE_CRASH_DECISIONS];
    size_t count = millrace_crash_decisions(decisions, MILLRACE_CRASH_DECISIONS);
    crash_put(w, "\ndecisions: ");
    crash_put_unsigned(w, count, 1);
    crash_put(w, " (number, seconds before the crash, thread, kind, value, session, subject)\n");
    for (size_t i = 0; i < count; i++) {
        const millrace_crash_decision *d = decisions + i;
        uint64_t age = now > d->nanoseconds ? (uint64_t)(now - d->nanoseconds) : 0;
        crash_put_unsigned(w, d->sequence, 1);
        crash_put(w, " -");
        crash_put_unsigned(w, age / 1000000000u, 1);
        crash_put(w, ".");
        crash_put_unsigned(w, age % 1000000000u / 1000, 6);
        crash_put(w, " ");
        put_source(w, d->source);
        crash_put(w, " ");
        crash_put_clean(w, d->kind, strlen(d->kind));
        crash_put(w, " ");
        crash_put_signed(w, d->value);
        crash_put(w, " session=");
        crash_put_hex(w, d->session, 16);
        crash_put(w, " subject=");
        crash_put_hex(w, d->subject, 16);
        crash_put(w, "\n");
    }
}

void millrace_crash_counter_name(size_t index, const char *name) {
    if (index >= MILLRACE_CRASH_COUNTERS) return;
    strncpy(names[index], name, MILLRACE_CRASH_COUNTER_NAME - 1);
    size_t count = atomic_load(&name_count);
    while (index + 1 > count && !atomic_compare_exchange_weak(&name_count, &count, index + 1)) {}
}

int millrace_crash_counters_open(int32_t worker, const uint64_t *counters) {
    for (int i = 0; i < MILLRACE_CRASH_BLOCKS; i++) {
        int expected = 0;
        if (!atomic_compare_exchange_strong(&blocks[i].taken, &expected, 1)) continue;
        blocks[i].worker = worker;
        atomic_store(&blocks[i].counters, counters);
        return i;
    }
    return -1;
}

void millrace_crash_counters_close(int block) {
    if (block < 0 || block >= MILLRACE_CRASH_BLOCKS) return;
    atomic_store(&blocks[block].counters, NULL);
    atomic_store(&blocks[block].taken, 0);
}

void crash_put_counters(crash_writer *w) {
    size_t count = atomic_load(&name_count);
    for (int i = 0; i < MILLRACE_CRASH_BLOCKS; i++) {
        const uint64_t *counters = atomic_load(&blocks[i].counters);
        if (!counters) continue;
        crash_put(w, "\ncounters of ");
        put_source(w, blocks[i].worker);
        crash_put(w, ":\n");
        for (size_t j = 0; j < count; j++) {
            crash_put_clean(w, names[j], strlen(names[j]));
            crash_put(w, " ");
            // Another thread may count on: each word is read once.
            crash_put_unsigned(w, *(const volatile uint64_t *)(counters + j), 1);
            crash_put(w, "\n");
        }
    }
}
