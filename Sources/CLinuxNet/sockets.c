#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

int millrace_udp_open(const millrace_address *address, int receive_buffer, int send_buffer, int gro) {
    const struct sockaddr *sa = (const struct sockaddr *)address->bytes;
    int fd = socket(sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) return -errno;
    if (bind(fd, sa, address->length)) {
        int e = errno;
        close(fd);
        return -e;
    }
    if (receive_buffer > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer))
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (send_buffer > 0 && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof send_buffer))
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    if (gro) (void)setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof one);
    return fd;
}

int millrace_udp_local(int fd, millrace_address *out) {
    socklen_t n = sizeof out->bytes;
    if (getsockname(fd, (struct sockaddr *)out->bytes, &n)) return -errno;
    out->length = n;
    return 0;
}

int millrace_udp_buffers(int fd, int *receive_buffer, int *send_buffer) {
    socklen_t n = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, receive_buffer, &n)) return -errno;
    n = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_SNDBUF, send_buffer, &n) ? -errno : 0;
}

void millrace_close(int fd) {
    if (fd >= 0) close(fd);
}

#define SLOT_SKEW (17 * 64)

struct millrace_receiver {
    int slots;
    // Number of headers that must be set up again.
    int used;
    size_t slot_bytes;
    size_t stride;
    uint8_t *memory;
    struct mmsghdr *headers;
    struct iovec *vectors;
    struct sockaddr_in6 *names;
    // Segment size of coalesced datagrams, and the address that they were sent to.
    uint8_t (*control)[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

// Local addresses that datagrams were sent to, in order of first use; index 0 stands for none. Never shrinks; shared by all workers.
#define LOCALS 256
static struct local {
    int family;
    struct in6_addr address;
} locals[LOCALS];
static atomic_uint local_count = 1;
static pthread_mutex_t local_mutex = PTHREAD_MUTEX_INITIALIZER;

static uint32_t find_local(int family, const struct in6_addr *address) {
    uint32_t n = atomic_load_explicit(&local_count, memory_order_acquire);
    for (uint32_t i = 1; i < n; i++)
        if (locals[i].family == family && !memcmp(&locals[i].address, address, sizeof *address)) return i;
    pthread_mutex_lock(&local_mutex);
    uint32_t found = 0, count = atomic_load(&local_count);
    for (uint32_t i = n; i < count && !found; i++)
        if (locals[i].family == family && !memcmp(&locals[i].address, address, sizeof *address)) found = i;
    if (!found && count < LOCALS) {
        locals[count] = (struct local){family, *address};
        found = count;
        atomic_store_explicit(&local_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&local_mutex);
    return found;
}

// Returns the number of the local address that a datagram arrived at; 0 if the kernel did not report it.
static uint32_t local_of(const struct cmsghdr *c) {
    struct in6_addr address = {0};
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
        struct in_pktinfo info;
        memcpy(&info, CMSG_DATA(c), sizeof info);
        memcpy(&address, &info.ipi_addr, sizeof info.ipi_addr);
        return find_local(AF_INET, &address);
    }
    if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
        struct in6_pktinfo info;
        memcpy(&info, CMSG_DATA(c), sizeof info);
        return find_local(AF_INET6, &info.ipi6_addr);
    }
    return 0;
}

int millrace_local_address(uint32_t index, int family, void *address) {
    if (index == 0 || index >= atomic_load_explicit(&local_count, memory_order_acquire) || locals[index].family != family) return 0;
    memcpy(address, &locals[index].address, sizeof locals[index].address);
    return 1;
}

// Appends the control message that makes a datagram leave from local address `index`. Returns its length.
static size_t put_local(struct cmsghdr *c, uint32_t index) {
    if (index == 0 || index >= atomic_load_explicit(&local_count, memory_order_acquire)) return 0;
    if (locals[index].family == AF_INET) {
        struct in_pktinfo info = {0};
        memcpy(&info.ipi_spec_dst, &locals[index].address, sizeof info.ipi_spec_dst);
        *c = (struct cmsghdr){.cmsg_level = IPPROTO_IP, .cmsg_type = IP_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
        memcpy(CMSG_DATA(c), &info, sizeof info);
        return CMSG_SPACE(sizeof info);
    }
    struct in6_pktinfo info = {.ipi6_addr = locals[index].address};
    *c = (struct cmsghdr){.cmsg_level = IPPROTO_IPV6, .cmsg_type = IPV6_PKTINFO, .cmsg_len = CMSG_LEN(sizeof info)};
    memcpy(CMSG_DATA(c), &info, sizeof info);
    return CMSG_SPACE(sizeof info);
}

int millrace_udp_tell_local(int fd) {
    int domain = 0, on = 1;
    socklen_t size = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return -errno;
    int r = domain == AF_INET ? setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on)
                              : setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    return r < 0 ? -errno : 0;
}

millrace_receiver *millrace_receiver_new(int slots, size_t slot_bytes) {
    millrace_receiver *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->slots = slots;
    r->slot_bytes = slot_bytes;
    // Not a power of two: otherwise the first cache lines of all slots would share a set of the cache, and short datagrams use no other
    // lines.
    r->stride = slot_bytes + SLOT_SKEW;
    r->used = slots;
    r->memory = mmap(NULL, slots * r->stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    r->headers = calloc(slots, sizeof *r->headers);
    r->vectors = calloc(slots, sizeof *r->vectors);
    r->names = calloc(slots, sizeof *r->names);
    r->control = calloc(slots, sizeof *r->control);
    if (r->memory == MAP_FAILED || !r->headers || !r->vectors || !r->names || !r->control) {
        millrace_receiver_free(r);
        return NULL;
    }
    return r;
}

void millrace_receiver_free(millrace_receiver *r) {
    if (!r) return;
    if (r->memory && r->memory != MAP_FAILED) munmap(r->memory, r->slots * r->stride);
    free(r->headers);
    free(r->vectors);
    free(r->names);
    free(r->control);
    free(r);
}

int millrace_receive(millrace_receiver *r, int fd, millrace_datagram *out, uint32_t *truncated) {
    // The kernel has overwritten the headers of the last call.
    for (int i = 0; i < r->used; i++) {
        r->vectors[i] = (struct iovec){r->memory + i * r->stride, r->slot_bytes};
        r->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &r->names[i], .msg_namelen = sizeof r->names[i], .msg_iov = &r->vectors[i], .msg_iovlen = 1,
            .msg_control = r->control[i], .msg_controllen = sizeof r->control[i]};
    }
    int n = recvmmsg(fd, r->headers, r->slots, MSG_DONTWAIT, NULL), k = 0;
    // Plus one header, at which the kernel may have stopped.
    r->used = n < 0 ? 1 : n < r->slots ? n + 1 : n;
    if (n < 0) return errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        struct msghdr *h = &r->headers[i].msg_hdr;
        if (h->msg_flags & MSG_TRUNC) {
            (*truncated)++;
            continue;
        }
        millrace_datagram *d = &out[k++];
        d->data = r->vectors[i].iov_base;
        d->length = r->headers[i].msg_len;
        d->segment = 0;
        d->local = 0;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
            if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
                int size;
                memcpy(&size, CMSG_DATA(c), sizeof size);
                d->segment = size > 0 ? size : 0;
            } else {
                d->local = local_of(c);
            }
        }
        memset(&d->from, 0, sizeof d->from);
        d->from.length = h->msg_namelen < sizeof d->from.bytes ? h->msg_namelen : sizeof d->from.bytes;
        memcpy(d->from.bytes, &r->names[i], d->from.length);
    }
    return k;
}

struct millrace_sender {
    int messages;
    // Index of the message that each header belongs to.
    int *sources;
    struct mmsghdr *headers;
    struct iovec *vectors;
    uint8_t (*control)[CMSG_SPACE(sizeof(uint16_t)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

millrace_sender *millrace_sender_new(int messages) {
    millrace_sender *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->messages = messages;
    s->sources = calloc(messages, sizeof *s->sources);
    s->headers = calloc(messages, sizeof *s->headers);
    s->vectors = calloc(messages, sizeof *s->vectors);
    s->control = calloc(messages, sizeof *s->control);
    if (!s->sources || !s->headers || !s->vectors || !s->control) {
        millrace_sender_free(s);
        return NULL;
    }
    return s;
}

void millrace_sender_free(millrace_sender *s) {
    if (!s) return;
    free(s->sources);
    free(s->headers);
    free(s->vectors);
    free(s->control);
    free(s);
}

// Sends a message that cannot be segmented (its segments exceed the path's MTU, or are too many) datagram by datagram. Returns 0 if all
// were sent.
static int send_pieces(int fd, const millrace_message *m, int flags, int *last_error, uint64_t *calls) {
    int refused = 0;
    for (uint32_t at = 0; at < m->length; at += m->segment) {
        uint32_t size = m->length - at < m->segment ? m->length - at : m->segment;
        ssize_t r;
        do {
            struct iovec vector = {(void *)(m->data + at), size};
            _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
            struct msghdr h = {.msg_name = (void *)m->to->bytes, .msg_namelen = m->to->length, .msg_iov = &vector, .msg_iovlen = 1};
            h.msg_controllen = m->local ? put_local((struct cmsghdr *)control, m->local) : 0;
            h.msg_control = h.msg_controllen ? control : NULL;
            r = sendmsg(fd, &h, flags);
            (*calls)++;
        } while (r < 0 && errno == EINTR);
        if (r < 0) {
            *last_error = errno;
            refused = errno;
        }
    }
    return refused;
}

// Fills header `i` of the sender from one message.
static void prepare(millrace_sender *s, int i, const millrace_message *m) {
    struct msghdr *h = &s->headers[i].msg_hdr;
    s->vectors[i] = (struct iovec){(void *)m->data, m->length};
    *h = (struct msghdr){.msg_name = (void *)m->to->bytes, .msg_namelen = m->to->length, .msg_iov = &s->vectors[i], .msg_iovlen = 1};
    size_t used = 0;
    if (m->segment && m->segment < m->length) {
        struct cmsghdr *c = (struct cmsghdr *)s->control[i];
        c->cmsg_level = IPPROTO_UDP;
        c->cmsg_type = UDP_SEGMENT;
        c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
        uint16_t size = m->segment;
        memcpy(CMSG_DATA(c), &size, sizeof size);
        used = CMSG_SPACE(sizeof(uint16_t));
    }
    if (m->local) used += put_local((struct cmsghdr *)(s->control[i] + used), m->local);
    if (used) {
        h->msg_control = s->control[i];
        h->msg_controllen = used;
    }
}

// Sends the messages that name descriptor `socket`, or all of them if it is negative. `errors`: the same messages, in which refusals are
// recorded, or NULL. Returns the number of refused messages.
static int send_by(
    millrace_sender *s, int fd, int socket, const millrace_message *m, int n, int flags, millrace_message *errors,
    int *last_error, uint64_t *calls) {
    int refused = 0, next = 0, full = 0;
    int capacity = s->messages < 1024 ? s->messages : 1024;  // UIO_MAXIOV
    while (next < n) {
        int batch = 0, done = 0;
        for (; next < n && batch < capacity; next++) {
            if (m[next].socket == MILLRACE_SENT || (socket >= 0 && m[next].socket != socket)) continue;
            prepare(s, batch, m + next);
            s->sources[batch++] = next;
        }
        while (done < batch) {
            int r = -1;
            if (full < MILLRACE_FULL_TRIES) {
                r = sendmmsg(fd, s->headers + done, batch - done, flags);
                (*calls)++;
            } else {
                errno = EAGAIN;
            }
            if (r > 0) {
                done += r;
                full = 0;
            } else if (errno != EINTR) {  // this message is refused; later ones may still be sent
                int error = errno;
                const millrace_message *odd = m + s->sources[done];
                full = error == EAGAIN ? full + 1 : 0;
                *last_error = error;
                if (odd->segment && odd->segment < odd->length && (error == EINVAL || error == EIO || error == EMSGSIZE))
                    error = send_pieces(fd, odd, flags, last_error, calls);
                if (error) {
                    refused++;
                    if (errors) errors[s->sources[done]].error = error;
                }
                done++;
            }
        }
    }
    return refused;
}

int millrace_send(millrace_sender *s, int fd, const millrace_message *m, int n, int *last_error, uint64_t *calls) {
    return send_by(s, fd, -1, m, n, 0, NULL, last_error, calls);
}

int millrace_send_now(
    millrace_sender *s, const int *fds, int fd_count, millrace_message *m, int n, int *last_error, uint64_t *calls) {
    if (fd_count == 1) return send_by(s, fds[0], -1, m, n, MSG_DONTWAIT, m, last_error, calls);
    int refused = 0;
    for (int i = 0; i < fd_count; i++) refused += send_by(s, fds[i], i, m, n, MSG_DONTWAIT, m, last_error, calls);
    return refused;
}

static int probe(int option, int value) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    int ok = setsockopt(fd, IPPROTO_UDP, option, &value, sizeof value) == 0;
    close(fd);
    return ok;
}

int millrace_has_gro(void) { return probe(UDP_GRO, 1); }

// The socket option alone proves little, so two segments are sent to a local socket.
int millrace_has_gso(void) {
    if (!probe(UDP_SEGMENT, 0)) return 0;
    millrace_address any = {.length = sizeof(struct sockaddr_in)}, to;
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(any.bytes, &in, sizeof in);
    int a = millrace_udp_open(&any, 0, 0, 0), b = millrace_udp_open(&any, 0, 0, 0), ok = 0;
    millrace_sender *s = millrace_sender_new(1);
    if (a >= 0 && b >= 0 && s && !millrace_udp_local(b, &to)) {
        uint8_t data[64] = {0}, got[64];
        millrace_message m = {.data = data, .to = &to, .length = 64, .segment = 32};
        int error = 0;
        uint64_t calls = 0;
        ok = millrace_send(s, a, &m, 1, &error, &calls) == 0 && recv(b, got, sizeof got, MSG_DONTWAIT) == 32 && recv(b, got, sizeof got, MSG_DONTWAIT) == 32;
    }
    millrace_sender_free(s);
    millrace_close(a);
    millrace_close(b);
    return ok;
}
