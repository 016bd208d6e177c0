#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int millrace_tcp_listen(const millrace_address *address, int backlog) {
    const struct sockaddr *sa = (const struct sockaddr *)address->bytes;
    int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) return -errno;
    // Connections of the previous process may still be in TIME_WAIT on the port.
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, sa, address->length) || listen(fd, backlog)) {
        int e = errno;
        close(fd);
        return -e;
    }
    return fd;
}

int millrace_tcp_accept(int listener, int send_buffer, int silence_ms, millrace_address *from) {
    socklen_t n = sizeof from->bytes;
    memset(from, 0, sizeof *from);
    int fd = accept4(listener, (struct sockaddr *)from->bytes, &n, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
    if (fd < 0) return -errno;
    from->length = n;
    unsigned silence = silence_ms > 0 ? silence_ms : 0;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
    if (send_buffer > 0) (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    return fd;
}

int64_t millrace_tcp_receive(int fd, void *buffer, size_t capacity) {
    ssize_t n;
    do n = recv(fd, buffer, capacity, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int64_t millrace_tcp_send(int fd, const void *head, size_t head_length, const void *body, size_t body_length) {
    struct iovec parts[2] = {{(void *)head, head_length}, {(void *)body, body_length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t n;
    do n = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int millrace_poller_watch(int poller, int fd, uint64_t tag, int writable) {
    struct epoll_event e = {.events = EPOLLIN | (writable ? EPOLLOUT : 0), .data.u64 = tag};
    return epoll_ctl(poller, EPOLL_CTL_MOD, fd, &e) ? -errno : 0;
}
