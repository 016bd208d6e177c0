// The Linux calls that Swift's Glibc module lacks: recvmmsg and sendmmsg with UDP GRO and GSO, ppoll with nanoseconds, eventfd,
// clocks and thread names. No rule lives here. Functions that can fail return a negative errno.
#pragma once
#include <stdint.h>
#include <stddef.h>

// sockaddr_in (16 bytes) or sockaddr_in6 (28 bytes) as the kernel lays them out.
typedef struct {
    uint8_t bytes[28];
    uint32_t length;
} millrace_address;

// One datagram, or several of `segment` bytes each (the last may be shorter) that the kernel coalesced; segment 0 means one.
typedef struct {
    uint8_t *data;
    uint32_t length;
    uint32_t segment;
    millrace_address from;
    // Which of this machine's addresses it was sent to, on sockets that tell; 0 elsewhere.
    uint32_t local;
} millrace_datagram;

// What to send to one address: `length` bytes, cut into datagrams of `segment` bytes where segment is not 0.
typedef struct {
    const uint8_t *data;
    const millrace_address *to;
    uint32_t length;
    uint32_t segment;
    // The address of this machine's that it is to leave from, as a datagram had it; 0: the kernel's choice.
    uint32_t local;
    // `millrace_send_now`: index of the descriptor that it leaves by.
    uint8_t socket;
    // The caller's own; not read here.
    uint8_t mark;
    // Written by `millrace_send_now`: errno if the message was not sent, else left as it is.
    uint16_t error;
} millrace_message;

typedef struct millrace_receiver millrace_receiver;
typedef struct millrace_sender millrace_sender;

// A UDP socket bound to `address` (port 0: any). Buffer sizes are asked for with privilege first, then without.
int millrace_udp_open(const millrace_address *address, int receive_buffer, int send_buffer, int gro);
// Has datagrams say which of this machine's addresses they were sent to: a socket bound to all of them answers from that.
int millrace_udp_tell_local(int fd);
int millrace_udp_local(int fd, millrace_address *out);
int millrace_udp_buffers(int fd, int *receive_buffer, int *send_buffer);
void millrace_close(int fd);

// `slots` buffers of `slot_bytes` each; 65536 for sockets with GRO. NULL without memory.
millrace_receiver *millrace_receiver_new(int slots, size_t slot_bytes);
void millrace_receiver_free(millrace_receiver *);
// Up to `slots` messages without waiting; the data stays valid until the next call. 0 when there is none. `*truncated` counts
// messages that were larger than a slot (they are left out).
int millrace_receive(millrace_receiver *, int fd, millrace_datagram *out, uint32_t *truncated);

millrace_sender *millrace_sender_new(int messages);
void millrace_sender_free(millrace_sender *);
// Sends all `n` messages in as few calls as it takes, waiting for buffer space; what the kernel will not segment goes out datagram by
// datagram. Returns how many messages were refused even so (those are skipped); `*last_error` has the errno of the last refusal, also
// of one that was made good, and `*calls` grows by the number of system calls.
int millrace_send(millrace_sender *, int fd, const millrace_message *messages, int n, int *last_error, uint64_t *calls);
// The same without waiting, for the media threads: a message that finds no room in the send buffer is refused with EAGAIN, and the
// messages after it are still tried. `fds`: descriptors that the messages name by index. A descriptor that had no room
// MILLRACE_FULL_TRIES times in a row refuses its remaining messages without a system call each. `error` of each refused message is set.
#define MILLRACE_FULL_TRIES 8
int millrace_send_now(
    millrace_sender *, const int *fds, int fd_count, millrace_message *messages, int n, int *last_error, uint64_t *calls);
// Opens a further socket on the port of `fd`, with a send buffer of its own. Datagrams keep arriving at `fd` alone.
int millrace_udp_share(int fd, int send_buffer);
// Copies local address `index` (16 bytes, an IPv4 address in the first four). 0 if there is none of that index and family.
int millrace_local_address(uint32_t index, int family, void *address);
// An address of a network interface of this machine that is up.
typedef struct {
    millrace_address address;
    // Index of the interface.
    uint32_t interface;
    // 1 if it is the loopback interface.
    uint32_t loopback;
} millrace_interface_address;
// Copies the first `capacity` of them, IPv4 and IPv6, in the kernel's order. Returns how many were copied or a negative errno.
int millrace_interface_addresses(millrace_interface_address *out, int capacity);
// Index of the network interface by which datagrams from local address `local` (0: the kernel's choice) to `to` leave at present.
int millrace_route_interface(const millrace_address *to, uint32_t local);

// Waits until one of `n` (at most 16) descriptors can be read or `timeout_ns` passes (negative: for ever). Bit i of the result is fds[i].
int millrace_wait(const int *fds, int n, int64_t timeout_ns);

int millrace_event_open(void);
void millrace_event_signal(int fd);
void millrace_event_clear(int fd);

int64_t millrace_monotonic_ns(void);
int64_t millrace_realtime_ns(void);
int64_t millrace_thread_cpu_ns(void);
int64_t millrace_process_cpu_ns(void);
uint64_t millrace_resident_bytes(void);
void millrace_thread_name(const char *name);

// 1 where this kernel takes UDP_SEGMENT (and sends with it) or UDP_GRO on a socket, 0 where it does not.
int millrace_has_gso(void);
int millrace_has_gro(void);

// Waiting on many descriptors (epoll): `tag` comes back from `wait` while its descriptor can be read. At most 256 tags a call.
int millrace_poller_open(void);
int millrace_poller_add(int poller, int fd, uint64_t tag);
int millrace_poller_remove(int poller, int fd);
int millrace_poller_wait(int poller, uint64_t *tags, int capacity, int timeout_ms);

// Datagrams that the kernel dropped at this socket since it was opened: its buffer was full, or a checksum was wrong.
int64_t millrace_udp_drops(int fd);

// Changes what a descriptor of the poller is waited for: input, and with `writable` room for output too.
int millrace_poller_watch(int poller, int fd, uint64_t tag, int writable);

// TCP without waiting. `accept` turns Nagle's delay off; a peer that acknowledges nothing for `silence_ms` is given up. `receive` gives 0
// at the stream's end. `send` writes head and body as one, or the beginning of them; a broken stream raises no signal.
int millrace_tcp_listen(const millrace_address *address, int backlog);
int millrace_tcp_accept(int listener, int send_buffer, int silence_ms, millrace_address *from);
int64_t millrace_tcp_receive(int fd, void *buffer, size_t capacity);
int64_t millrace_tcp_send(int fd, const void *head, size_t head_length, const void *body, size_t body_length);
