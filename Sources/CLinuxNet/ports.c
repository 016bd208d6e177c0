#define _GNU_SOURCE
#include "CLinuxNet.h"
#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Several sockets on one UDP port. The first socket of a port is bound without SO_REUSEPORT, so that a second relay on its port is refused.
// That stays so, because such a relay does not set SO_REUSEPORT either. A filter chooses the socket for each arriving datagram by its
// index, in the order in which the sockets were bound.

// Opens another socket on the port of `fd`, and sets the port's filter unless it is NULL.
static int join_port(int fd, struct sock_fprog *filter) {
    millrace_address local;
    int r = millrace_udp_local(fd, &local), one = 1;
    if (r < 0) return r;
    const struct sockaddr *sa = (const struct sockaddr *)local.bytes;
    int joined = socket(sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (joined < 0) return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) || setsockopt(joined, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one)
        || bind(joined, sa, local.length)
        || (filter && setsockopt(joined, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, filter, sizeof *filter))) {
        int e = errno;
        close(joined);
        return -e;
    }
    return joined;
}

int millrace_udp_share(int fd, int send_buffer, int separates_rtcp) {
    // Every datagram arrives at the first socket.
    struct sock_filter first[] = {{BPF_RET | BPF_K, 0, 0, 0}};
    struct sock_fprog filter = {1, first};
    int shared = join_port(fd, separates_rtcp ? NULL : &filter);
    if (shared < 0) return shared;
    if (send_buffer > 0 && setsockopt(shared, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof send_buffer))
        (void)setsockopt(shared, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    return shared;
}

int millrace_udp_separate_rtcp(int fd, int receive_buffer) {
    // RTCP has 128 to 191 in the first byte (RFC 7983 section 7) and 192 to 223 in the second one (RFC 5761 section 4). A load beyond the
    // end of a datagram ends the filter with 0.
    struct sock_filter kinds[] = {
        {BPF_LD | BPF_B | BPF_ABS, 0, 0, 0},
        {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xc0},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 4, 0x80},
        {BPF_LD | BPF_B | BPF_ABS, 0, 0, 1},
        {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xe0},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0xc0},
        {BPF_RET | BPF_K, 0, 0, 1},
        {BPF_RET | BPF_K, 0, 0, 0},
    };
    struct sock_fprog filter = {sizeof kinds / sizeof *kinds, kinds};
    int separate = join_port(fd, &filter);
    if (separate < 0) return separate;
    if (receive_buffer > 0 && setsockopt(separate, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer))
        (void)setsockopt(separate, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    return separate;
}

static int arrives(int sender, const millrace_address *to, int at, uint8_t first, uint8_t second) {
    uint8_t sent[2] = {first, second}, got[2] = {0};
    return sendto(sender, sent, sizeof sent, 0, (const struct sockaddr *)to->bytes, to->length) == sizeof sent
        && recv(at, got, sizeof got, MSG_DONTWAIT) == sizeof got && !memcmp(sent, got, sizeof got);
}

// A kernel may accept the filter and not run it, so datagrams are sent to a local port.
int millrace_can_separate_rtcp(void) {
    millrace_address any = {.length = sizeof(struct sockaddr_in)}, to;
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(any.bytes, &in, sizeof in);
    int port = millrace_udp_open(&any, 0, 0, 0), sender = millrace_udp_open(&any, 0, 0, 0), ok = 0;
    int rtcp = port < 0 ? -1 : millrace_udp_separate_rtcp(port, 0);
    if (rtcp >= 0 && sender >= 0 && !millrace_udp_local(port, &to))
        ok = arrives(sender, &to, rtcp, 128, 200) && arrives(sender, &to, port, 128, 96) && arrives(sender, &to, port, 0, 200)
            && arrives(sender, &to, rtcp, 191, 223);
    millrace_close(port);
    millrace_close(rtcp);
    millrace_close(sender);
    return ok;
}
