#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int millrace_poller_open(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int millrace_poller_add(int poller, int fd, uint64_t tag) {
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = tag};
    return epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int millrace_poller_remove(int poller, int fd) {
    return epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL) ? -errno : 0;
}

int millrace_poller_wait(int poller, uint64_t *tags, int capacity, int timeout_ms) {
    struct epoll_event events[256];
    int n = epoll_wait(poller, events, capacity < 256 ? capacity : 256, timeout_ms);
    if (n < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) tags[i] = events[i].data.u64;
    return n;
}

int64_t millrace_udp_drops(int fd) {
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t n = sizeof memory;
    return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &n) ? -errno : memory[SK_MEMINFO_DROPS];
}
