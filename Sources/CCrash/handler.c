// The signal handler. It writes the report in the order of what is certain to work: signal, stack, decisions, counters; then what needs
// locks of the loader or pages of the executable. Then the process ends by the same signal, so that status and core dump are as without.
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#define NAME_BYTES 128
#define STACK_BYTES (128 << 10)
// Frames on standard error, when the whole report goes to a file.
#define SUMMARY_FRAMES 8

static const struct {
    int number;
    const char *name;
} caught_signals[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"},
};
#define SIGNALS (sizeof caught_signals / sizeof caught_signals[0])

static struct {
    int directory, report;
    char open_name[NAME_BYTES], ready_name[NAME_BYTES], build[NAME_BYTES];
    int64_t started;
    // The operator asked for Swift's own backtrace, which follows ours.
    int keeps_previous;
    struct sigaction previous[SIGNALS];
} setup = {.directory = -1, .report = -1};

static _Atomic int is_installed;
// Thread that writes the report, and its signal.
static _Atomic pid_t owner;
static _Atomic int owner_signal;
static crash_writer file_writer, error_writer;

static pid_t thread_id(void) { return (pid_t)syscall(SYS_gettid); }

static _Noreturn void end(int number) {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigaction(number, &standard, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    syscall(SYS_tgkill, getpid(), thread_id(), number);
    _exit(128 + number);
}

// The report takes too long: a full pipe, a slow disk, a lock of the loader that the interrupted code holds.
static void deadline_passed(int number) {
    (void)number;
    static const char text[] = "\ncut off: the report was not complete in time\n";
    // Standard error may be what is full.
    ssize_t n = setup.report >= 0 ? write(setup.report, text, sizeof text - 1) : 0;
    (void)n;
    end(atomic_load(&owner_signal));
}

static void arm_deadline(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = deadline_passed;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGALRM, &action, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    struct itimerval timer = {.it_value = {.tv_usec = MILLRACE_CRASH_DEADLINE_MS * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static const char *name_of(int number) {
    for (size_t i = 0; i < SIGNALS; i++) {
        if (caught_signals[i].number == number) return caught_signals[i].name;
    }
    return "signal";
}

static void put_seconds(crash_writer *w, int64_t nanoseconds) {
    crash_put_unsigned(w, (uint64_t)nanoseconds / 1000000000u, 1);
    crash_put(w, ".");
    crash_put_unsigned(w, (uint64_t)nanoseconds % 1000000000u / 1000, 6);
}

static void put_head(crash_writer *w, const siginfo_t *info, int64_t entered) {
    char thread[16] = "";
    prctl(PR_GET_NAME, thread, 0, 0, 0);
    crash_put(w, "millrace crash report\nbuild: ");
    crash_put_clean(w, setup.build, strlen(setup.build));
    crash_put(w, "\nsignal: ");
    crash_put(w, name_of(info->si_signo));
    crash_put(w, " (");
    crash_put_unsigned(w, (uint64_t)info->si_signo, 1);
    crash_put(w, "), code ");
    crash_put_signed(w, info->si_code);
    // Codes of 0 and less come from kill(2) and its relatives, which give no address.
    if (info->si_code > 0) {
        crash_put(w, "\naddress: 0x");
        crash_put_hex(w, (uint64_t)(uintptr_t)info->si_addr, 1);
    }
    crash_put(w, "\nthread: ");
    crash_put_clean(w, thread, strnlen(thread, sizeof thread));
    crash_put(w, " (");
    crash_put_unsigned(w, (uint64_t)thread_id(), 1);
    crash_put(w, ")\nprocess: ");
    crash_put_unsigned(w, (uint64_t)getpid(), 1);
    crash_put(w, "\ntime: ");
    put_seconds(w, crash_clock(CLOCK_REALTIME));
    crash_put(w, " s since 1970\nuptime: ");
    put_seconds(w, entered - setup.started);
    crash_put(w, " s\nentered: ");
    crash_put_signed(w, entered);
    crash_put(w, " ns (monotonic)\n");
}

// Callers are looked up one byte before their return address, within the call.
static void adjust(uint64_t *frames, size_t count) {
    for (size_t i = 1; i < count; i++) frames[i]--;
}

static void put_frames(crash_writer *w, const char *title, const uint64_t *frames, size_t count) {
    crash_put(w, "\n");
    crash_put(w, title);
    crash_put(w, ":\n");
    for (size_t i = 0; i < count; i++) {
        crash_put(w, "#");
        crash_put_unsigned(w, i, 1);
        crash_put(w, " 0x");
        crash_put_hex(w, frames[i], 1);
        crash_put(w, " ");
        crash_put_address(w, frames[i]);
        crash_put(w, "\n");
    }
}

static void put_summary(const siginfo_t *info, const uint64_t *frames, size_t count, int64_t entered) {
    crash_writer *w = &error_writer;
    w->fd = STDERR_FILENO;
    crash_put(w, "\n");
    put_head(w, info, entered);
    put_frames(w, "backtrace", frames, count < SUMMARY_FRAMES ? count : SUMMARY_FRAMES);
    crash_put_symbols(w, SUMMARY_FRAMES);
    crash_put(w, "report: ");
    crash_put_clean(w, setup.ready_name, strlen(setup.ready_name));
    crash_put(w, "\n");
    crash_flush(w);
}

static void write_report(const siginfo_t *info, const void *context, int64_t entered) {
    static uint64_t frames[CRASH_FRAMES], unwound[CRASH_FRAMES];
    crash_writer *w = &file_writer;
    w->fd = setup.report >= 0 ? setup.report : STDERR_FILENO;
    put_head(w, info, entered);
    crash_flush(w);
    // From here on there is a report, whatever becomes of the rest.
    if (setup.report >= 0) renameat(setup.directory, setup.open_name, setup.directory, setup.ready_name);
    crash_modules_read();
    size_t count = crash_walk(context, frames, CRASH_FRAMES);
    adjust(frames, count);
    put_frames(w, "backtrace", frames, count);
    crash_flush(w);
    crash_put_decisions(w, entered);
    crash_put_counters(w);
    crash_put_modules(w);
    crash_flush(w);
    crash_put(w, "\nsymbols:\n");
    crash_find_symbols(frames, count);
    crash_put_symbols(w, count);
    crash_flush(w);
    if (setup.report >= 0) put_summary(info, frames, count, entered);
    count = crash_unwind(context, unwound, CRASH_FRAMES);
    adjust(unwound, count);
    put_frames(w, "backtrace by unwind tables", unwound, count);
    crash_find_symbols(unwound, count);
    crash_put_symbols(w, count);
    int64_t now = crash_clock(CLOCK_MONOTONIC);
    crash_put(w, "\nend: ");
    crash_put_signed(w, now);
    crash_put(w, " ns (monotonic), after ");
    crash_put_signed(w, (now - entered) / 1000);
    crash_put(w, " us\n");
    crash_flush(w);
}

static void handle(int number, siginfo_t *info, void *context) {
    int64_t entered = crash_clock(CLOCK_MONOTONIC);
    pid_t nobody = 0, me = thread_id();
    if (!atomic_compare_exchange_strong(&owner, &nobody, me)) {
        // A crash of the handler itself ends at once. Another thread that crashes as well waits for the end of the report.
        if (nobody == me) end(number);
        for (;;) pause();
    }
    atomic_store(&owner_signal, number);
    arm_deadline();
    write_report(info, context, entered);
    if (setup.keeps_previous && info->si_code > 0) {
        struct itimerval none = {0};
        setitimer(ITIMER_REAL, &none, NULL);
        for (size_t i = 0; i < SIGNALS; i++) sigaction(caught_signals[i].number, setup.previous + i, NULL);
        // The instruction is run again, and Swift's handler takes it.
        return;
    }
    end(number);
}

static pthread_key_t stack_key;

static void free_stack(void *memory) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(memory, STACK_BYTES);
}

void millrace_crash_prepare_thread(void) {
    static _Thread_local int is_prepared;
    if (is_prepared || !atomic_load_explicit(&is_installed, memory_order_acquire)) return;
    is_prepared = 1;
    char *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    // The lowest page ends a handler that needs more.
    mprotect(memory, 4096, PROT_NONE);
    stack_t stack = {.ss_sp = memory + 4096, .ss_size = STACK_BYTES - 4096};
    if (sigaltstack(&stack, NULL) != 0) {
        munmap(memory, STACK_BYTES);
        return;
    }
    pthread_setspecific(stack_key, memory);
}

static void copy_name(char *to, const char *from) {
    strncpy(to, from, NAME_BYTES - 1);
    to[NAME_BYTES - 1] = 0;
}

int millrace_crash_install(int directory, int report, const char *open_name, const char *ready_name, const char *build) {
#ifdef HAS_SANITIZER
    (void)directory, (void)report, (void)open_name, (void)ready_name, (void)build;
    return 1;
#else
    if (atomic_load(&is_installed)) return 0;
    setup.directory = directory;
    setup.report = report;
    copy_name(setup.open_name, open_name);
    copy_name(setup.ready_name, ready_name);
    copy_name(setup.build, build);
    setup.started = crash_clock(CLOCK_MONOTONIC);
    const char *wanted = getenv("SWIFT_BACKTRACE");
    setup.keeps_previous = wanted && *wanted;
    crash_modules_prepare();
    crash_unwinder_prepare();
    pthread_key_create(&stack_key, free_stack);
    atomic_store_explicit(&is_installed, 1, memory_order_release);
    millrace_crash_prepare_thread();
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    // No signal is blocked in the handler, so that its own crash arrives.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) sigaction(caught_signals[i].number, &action, setup.previous + i);
    return 0;
#endif
}
