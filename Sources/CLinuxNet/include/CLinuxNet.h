// Linux calls that Swift's Glibc module lacks: recvmmsg and sendmmsg with UDP GRO and GSO, ppoll with nanoseconds, eventfd, clocks and
// thread names. Contains no media logic. Functions that can fail return a negative errno.
#pragma once
#include <stdint.h>
#include <stddef.h>

// sockaddr_in (16 bytes) or sockaddr_in6 (28 bytes) in the kernel's layout.
typedef struct {
    uint8_t bytes[28];
    uint32_t length;
} millrace_address;

// A datagram, or several of `segment` bytes each (the last may be shorter) that the kernel coalesced; segment 0 means one.
typedef struct {
    uint8_t *data;
    uint32_t length;
    uint32_t segment;
    millrace_address from;
    // Number of the local address that it was sent to, on sockets that report it; else 0.
    uint32_t local;
} millrace_datagram;

// Message to one address: `length` bytes, split into datagrams of `segment` bytes if segment is not 0.
typedef struct {
    const uint8_t *data;
    const millrace_address *to;
    uint32_t length;
    uint32_t segment;
    // Number of the local address to send from, as in a received datagram; 0 leaves the choice to the kernel.
    uint32_t local;
    // Index of the descriptor to send through, in `millrace_send_now`; MILLRACE_SENT: the message is skipped.
    uint8_t socket;
    // Free for use by the caller; not read here.
    uint8_t mark;
    // Written by `millrace_send_now`: errno if the message was not sent, else unchanged.
    uint16_t error;
} millrace_message;

// Value of `socket` in a message that has been sent otherwise.
#define MILLRACE_SENT 255

typedef struct millrace_receiver millrace_receiver;
typedef struct millrace_sender millrace_sender;

// Opens a UDP socket bound to `address` (port 0: any). Buffer sizes are requested with privilege first, then without.
int millrace_udp_open(const millrace_address *address, int receive_buffer, int send_buffer, int gro);
// Makes a socket report the local address that each datagram was sent to, so that a socket bound to all addresses can answer from the same
// one.
int millrace_udp_tell_local(int fd);
int millrace_udp_local(int fd, millrace_address *out);
int millrace_udp_buffers(int fd, int *receive_buffer, int *send_buffer);
void millrace_close(int fd);

// Allocates `slots` buffers of `slot_bytes` each; sockets with GRO need 65536. Returns NULL if memory is short.
millrace_receiver *millrace_receiver_new(int slots, size_t slot_bytes);
void millrace_receiver_free(millrace_receiver *);
// Receives up to `slots` messages, non-blocking. The data is valid until the next call. Returns 0 if there are none. `*truncated` counts
// messages that were larger than a slot; they are dropped.
int millrace_receive(millrace_receiver *, int fd, millrace_datagram *out, uint32_t *truncated);

millrace_sender *millrace_sender_new(int messages);
void millrace_sender_free(millrace_sender *);
// Sends all `n` messages in as few system calls as possible; blocks until there is buffer space. Messages that the kernel refuses to
// segment are sent datagram by datagram. Returns how many messages were refused even so; they are skipped. `*last_error` is the errno of
// the last refusal, even if that message was sent otherwise. `*calls` is increased by the number of system calls.
int millrace_send(millrace_sender *, int fd, const millrace_message *messages, int n, int *last_error, uint64_t *calls);
// Non-blocking variant for the media threads. A message that does not fit the send buffer is refused with EAGAIN, and later messages are
// still tried. `fds`: descriptors that the messages name by index. After MILLRACE_FULL_TRIES refusals in a row, a descriptor's remaining
// messages are refused without a system call each. Sets `error` of each refused message.
#define MILLRACE_FULL_TRIES 8
int millrace_send_now(
    millrace_sender *, const int *fds, int fd_count, millrace_message *messages, int n, int *last_error, uint64_t *calls);
// Opens another socket on the port of `fd`, with a separate send buffer. Datagrams still arrive only at `fd` or, if `separates_rtcp` is not 0,
// as `millrace_udp_separate_rtcp` has arranged.
int millrace_udp_share(int fd, int send_buffer, int separates_rtcp);
// Opens another socket on the port of `fd`, at which RTCP arrives from then on; all else still arrives at `fd`. It must be the port's second
// socket.
int millrace_udp_separate_rtcp(int fd, int receive_buffer);
// Returns 1 if this kernel delivers RTCP to a separate socket, else 0.
int millrace_can_separate_rtcp(void);
// Copies local address `index` (16 bytes, an IPv4 address in the first four). Returns 0 if there is none with that index and family.
int millrace_local_address(uint32_t index, int family, void *address);
// Address of a network interface of this machine that is up.
typedef struct {
    millrace_address address;
    // Index of the interface.
    uint32_t interface;
    // 1 if it is the loopback interface.
    uint32_t loopback;
} millrace_interface_address;
// Copies the first `capacity` interface addresses, IPv4 and IPv6, in the kernel's order. Returns how many were copied, or a negative errno.
int millrace_interface_addresses(millrace_interface_address *out, int capacity);
// Returns the index of the network interface that datagrams from local address `local` (0: the kernel's choice) to `to` currently use.
int millrace_route_interface(const millrace_address *to, uint32_t local);

// Waits until one of `n` (at most 16) descriptors is readable or `timeout_ns` has passed (negative: no timeout). Bit i of the result is
// fds[i].
int millrace_wait(const int *fds, int n, int64_t timeout_ns);

int millrace_event_open(void);
void millrace_event_signal(int fd);
void millrace_event_clear(int fd);

int64_t millrace_monotonic_ns(void);
int64_t millrace_realtime_ns(void);
int64_t millrace_thread_cpu_ns(void);
int64_t millrace_process_cpu_ns(void);
// Returns 1 if a time service keeps the system clock, 0 if none does, a negative errno if the kernel does not tell.
int millrace_clock_is_synchronised(void);
uint64_t millrace_resident_bytes(void);
// Returns the bytes that the process has allocated and not freed.
uint64_t millrace_heap_bytes(void);
void millrace_thread_name(const char *name);

// Return 1 if this kernel supports UDP_SEGMENT (and can send with it) or UDP_GRO on a socket, else 0.
int millrace_has_gso(void);
int millrace_has_gro(void);

// epoll. `wait` returns the `tag` of each readable descriptor, at most 256 tags per call.
int millrace_poller_open(void);
int millrace_poller_add(int poller, int fd, uint64_t tag);
int millrace_poller_remove(int poller, int fd);
int millrace_poller_wait(int poller, uint64_t *tags, int capacity, int timeout_ms);

// Returns how many datagrams the kernel dropped at this socket since it was opened, because its buffer was full or a checksum was wrong.
int64_t millrace_udp_drops(int fd);

// Sets the events of a descriptor: input, and output as well if `writable` is not 0.
int millrace_poller_watch(int poller, int fd, uint64_t tag, int writable);

// Non-blocking TCP. `accept` disables Nagle's algorithm; a connection whose peer acknowledges nothing for `silence_ms` is closed. `receive`
// returns 0 at the end of the stream. `send` writes head and body in one call, or as much as fits; a broken connection raises no signal.
int millrace_tcp_listen(const millrace_address *address, int backlog);
int millrace_tcp_accept(int listener, int send_buffer, int silence_ms, millrace_address *from);
int64_t millrace_tcp_receive(int fd, void *buffer, size_t capacity);
int64_t millrace_tcp_send(int fd, const void *head, size_t head_length, const void *body, size_t body_length);

// Ring of complete frames that bypass the kernel's IP layer, its firewall and the queueing discipline of the interface (AF_PACKET with
// PACKET_TX_RING). Needs CAP_NET_RAW. Each frame begins with a virtio_net_hdr. Opening waits for the kernel; the rest does not.
typedef struct millrace_ring millrace_ring;
// Longest frame, with its virtio_net_hdr.
#define MILLRACE_RING_FRAME_BYTES 2016
// Returns NULL, and sets `*error` to an errno, if the ring cannot be opened.
millrace_ring *millrace_ring_open(int send_buffer, int *error);
void millrace_ring_free(millrace_ring *);
// Returns memory for the next frame; NULL if the ring is full.
uint8_t *millrace_ring_next(millrace_ring *);
// Adds the frame in that memory.
void millrace_ring_push(millrace_ring *, uint32_t length);
// Sends the added frames to an interface. Returns how many of the last ones were not sent, because the interface or the send buffer is full,
// or refuses them; they are no longer in the ring.
int millrace_ring_flush(millrace_ring *, int interface, uint64_t *calls);

// Non-blocking rtnetlink socket for requests or, if `notifies` is not 0, for notifications of interfaces, neighbours, and IPv4 addresses,
// routes, rules and next hops.
int millrace_routes_open(int notifies);
// Receives messages of the kernel. Returns their length, 0 if there are none, -ENOBUFS if some were lost.
int millrace_routes_receive(int fd, void *buffer, size_t capacity);
// Opens two connected sockets, of which the second one is for `millrace_routes_serve`.
int millrace_routes_pair(int ends[2]);
// Passes each request that arrives at `end` to the kernel at socket `routes`, and the answer back, until the other end is closed; then closes
// both. The kernel may make a request wait for changes of the network configuration by other processes.
void millrace_routes_serve(int end, int routes);
// Sends a request to the other end, or receives an answer from there, without waiting. Return a negative errno, -EAGAIN if the pair is full
// or empty.
int millrace_routes_ask(int end, const void *request, size_t length);
int millrace_routes_answer(int end, void *buffer, size_t capacity);
// Returns the time-to-live of a UDP socket's packets.
int millrace_hop_limit(int fd);
