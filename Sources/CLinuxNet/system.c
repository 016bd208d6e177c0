#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int millrace_wait(const int *fds, int n, int64_t timeout_ns) {
    struct pollfd p[16];
    if (n > 16) n = 16;
    for (int i = 0; i < n; i++) p[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    int r = ppoll(p, n, timeout_ns < 0 ? NULL : &t, NULL), ready = 0;
    if (r < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++)
        if (p[i].revents) ready |= 1 << i;
    return ready;
}

int millrace_event_open(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
void millrace_event_signal(int fd) {
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);  // EAGAIN: the counter is full, so the reader has been woken already
    (void)n;
}
void millrace_event_clear(int fd) {
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);
    (void)n;
}

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}
int64_t millrace_monotonic_ns(void) { return now(CLOCK_MONOTONIC); }
int64_t millrace_realtime_ns(void) { return now(CLOCK_REALTIME); }
int64_t millrace_thread_cpu_ns(void) { return now(CLOCK_THREAD_CPUTIME_ID); }
int64_t millrace_process_cpu_ns(void) { return now(CLOCK_PROCESS_CPUTIME_ID); }

int millrace_clock_is_synchronised(void) {
    struct timex t = {0};
    int state = adjtimex(&t);
    return state < 0 ? -errno : state != TIME_ERROR && !(t.status & STA_UNSYNC);
}

uint64_t millrace_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}
uint64_t millrace_resident_bytes(void) {
    unsigned long long total, resident;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f) return 0;
    int n = fscanf(f, "%llu %llu", &total, &resident);
    fclose(f);
    return n == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void millrace_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }
