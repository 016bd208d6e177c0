#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

#define SLOT 2048
#define SLOTS 2048
#define DATA TPACKET_ALIGN(sizeof(struct tpacket2_hdr))
_Static_assert(MILLRACE_RING_FRAME_BYTES == SLOT - DATA, "bytes of a frame");

struct millrace_ring {
    int fd;
    // Slot of the next frame.
    uint32_t next;
    // Number of frames since the last flush.
    uint32_t pushed;
    uint8_t *memory;
};

millrace_ring *millrace_ring_open(int send_buffer, int *error) {
    int version = TPACKET_V2, one = 1;
    struct tpacket_req request = {.tp_block_size = 1 << 16, .tp_block_nr = SLOT * SLOTS >> 16, .tp_frame_size = SLOT, .tp_frame_nr = SLOTS};
    millrace_ring *f = calloc(1, sizeof *f);
    if (!f) {
        *error = ENOMEM;
        return NULL;
    }
    f->memory = MAP_FAILED;
    // Protocol 0: the socket receives nothing.
    f->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (f->fd >= 0 && !setsockopt(f->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version)
        && !setsockopt(f->fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one)
        && !setsockopt(f->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one)
        && !setsockopt(f->fd, SOL_PACKET, PACKET_TX_RING, &request, sizeof request)) {
        if (send_buffer > 0 && setsockopt(f->fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof send_buffer))
            (void)setsockopt(f->fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
        f->memory = mmap(NULL, SLOT * SLOTS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, f->fd, 0);
    }
    if (f->memory == MAP_FAILED) {
        *error = errno;
        millrace_ring_free(f);
        return NULL;
    }
    return f;
}

void millrace_ring_free(millrace_ring *f) {
    if (!f) return;
    if (f->memory != MAP_FAILED) munmap(f->memory, SLOT * SLOTS);
    millrace_close(f->fd);
    free(f);
}

static struct tpacket2_hdr *slot(const millrace_ring *f, uint32_t i) { return (struct tpacket2_hdr *)(f->memory + (size_t)(i % SLOTS) * SLOT); }

uint8_t *millrace_ring_next(millrace_ring *f) {
    struct tpacket2_hdr *h = slot(f, f->next);
    if (f->pushed == SLOTS || __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) != TP_STATUS_AVAILABLE) return NULL;
    return (uint8_t *)h + DATA;
}

void millrace_ring_push(millrace_ring *f, uint32_t length) {
    struct tpacket2_hdr *h = slot(f, f->next);
    h->tp_len = length;
    __atomic_store_n(&h->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
    f->next = (f->next + 1) % SLOTS;
    f->pushed++;
}

int millrace_ring_flush(millrace_ring *f, int interface, uint64_t *calls) {
    if (f->pushed == 0) return 0;
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = interface};
    (void)sendto(f->fd, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to);
    (*calls)++;
    // The kernel goes through the frames in order, and stops at the first one that it cannot send; the rest are taken back.
    uint32_t first = f->next + SLOTS - f->pushed, left = f->pushed;
    const uint32_t unsent = TP_STATUS_SEND_REQUEST | TP_STATUS_WRONG_FORMAT;
    if (__atomic_load_n(&slot(f, f->next + SLOTS - 1)->tp_status, __ATOMIC_ACQUIRE) & unsent) {
        while (left > 0 && !(__atomic_load_n(&slot(f, first)->tp_status, __ATOMIC_ACQUIRE) & unsent)) {
            first++;
            left--;
        }
        for (uint32_t i = 0; i < left; i++) __atomic_store_n(&slot(f, first + i)->tp_status, TP_STATUS_AVAILABLE, __ATOMIC_RELEASE);
        f->next = first % SLOTS;
    } else {
        left = 0;
    }
    f->pushed = 0;
    return left;
}

int millrace_routes_open(int notifies) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    static const int groups[] = {RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_NEXTHOP};
    int error = bind(fd, (struct sockaddr *)&address, sizeof address) ? errno : 0;
    for (size_t i = 0; notifies && !error && i < sizeof groups / sizeof *groups; i++)
        if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof groups[i])) error = errno;
    if (!error) return fd;
    close(fd);
    return -error;
}

int millrace_routes_receive(int fd, void *buffer, size_t capacity) {
    struct sockaddr_nl from;
    for (;;) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &size);
        if (n < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        // Other processes can send to the socket, too.
        if (size != sizeof from || from.nl_pid != 0) continue;
        return (size_t)n > capacity ? -ENOBUFS : (int)n;
    }
}

int millrace_routes_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0; }

void millrace_routes_serve(int end, int routes) {
    _Alignas(struct nlmsghdr) uint8_t buffer[32 << 10];
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    for (;;) {
        ssize_t n = recv(end, buffer, sizeof buffer, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        if (sendto(routes, buffer, n, 0, (const struct sockaddr *)&kernel, sizeof kernel) < 0) continue;
        // The answer is available when `sendto` returns. If the pair is full it is lost, and asked for again.
        int length = millrace_routes_receive(routes, buffer, sizeof buffer);
        if (length > 0) (void)send(end, buffer, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    close(end);
    close(routes);
}

int millrace_routes_ask(int end, const void *request, size_t length) {
    return send(end, request, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int millrace_routes_answer(int end, void *buffer, size_t capacity) {
    ssize_t n = recv(end, buffer, capacity, MSG_DONTWAIT);
    return n < 0 ? -errno : (int)n;
}

int millrace_hop_limit(int fd) {
    int limit = 0;
    socklen_t size = sizeof limit;
    return getsockopt(fd, IPPROTO_IP, IP_TTL, &limit, &size) || limit < 1 || limit > 255 ? 64 : limit;
}
