/* Moves the wall clock of a program by CLOCK_SHIFT seconds (LD_PRELOAD). Monotonic clocks stay. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
    static long seconds;
    static int is_read;
    if (!is_read) {
        const char *text = getenv("CLOCK_SHIFT");
        seconds = text ? atol(text) : 0;
        is_read = 1;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
