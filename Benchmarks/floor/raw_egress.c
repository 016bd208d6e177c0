// Cost of sending short runs of datagrams: sendmmsg compared with a packet ring (AF_PACKET, PACKET_TX_RING, PACKET_QDISC_BYPASS) to which the
// program writes complete Ethernet, IPv4 and UDP headers. Needs root, and makes its own network namespaces.
//
//   raw_egress [--device offload|plain|veth] [--bytes 142] [--subs 10,100,200] [--runs 1,2,4,10] [--seconds 0.2] [--rounds 5] [--verify 1]
//
// sendmmsg     one message for each destination; UDP_SEGMENT if its run has several datagrams (what the relay does)
// datagrams    sendmmsg, one message for each datagram
// ring         packet ring with a virtio header: the kernel copies each frame, the device computes the UDP checksum
// ring_shared  packet ring without it: the packet refers to the memory of the ring, the program computes the checksum
// ring_gso     packet ring with a virtio header, one frame for each run, which the device segments (not on plain)
//
// offload: an ifb device, which offers checksums and UDP segmentation, and frees what it gets; the transmit half only. plain: the same without
// both, so that the kernel does them. veth: a pair whose other end drops packets in a filter before IP; with the hand-over between the two. CPU time of the process. Modes take turns; one JSON line for each number of destinations and length of runs.
// --verify 1 sends through veth and compares what a UDP socket in the other namespace receives, after all has been sent.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DIE(...) do { fprintf(stderr, __VA_ARGS__); fprintf(stderr, "\n"); exit(1); } while (0)
#define MAXN 512
#define MAXK 32
#define FRAME 2048
#define FRAMES 2048
#define PORT 5004
#define HEADERS (14 + 20 + 8)
#define DATA TPACKET_ALIGN(sizeof(struct tpacket2_hdr))
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum mode { SENDMMSG, DATAGRAMS, RING, RING_SHARED, RING_GSO, MODES };
static const char *names[] = {"sendmmsg", "datagrams", "ring", "ring_shared", "ring_gso"};

static int BYTES = 142, ROUNDS = 5, VERIFY;
static double SECONDS = 0.2;
static const char *DEVICE = "offload";
static int udp, interface;
static uint8_t own[6];
static struct sockaddr_in to[MAXN];
static uint8_t slab[MAXN * MAXK * 1500];
static struct ring { int fd, vnet, at; uint8_t *memory; } copied, shared;
static uint32_t number;                                    // of the next datagram, in its first bytes

static uint64_t ns(clockid_t id) { struct timespec t; clock_gettime(id, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static void sh(const char *f, ...) {
  char s[512]; va_list a; va_start(a, f); vsnprintf(s, sizeof s, f, a); va_end(a);
  if (system(s)) DIE("failed: %s", s);
}
static uint32_t sum(const uint8_t *p, int n, uint32_t s) {
  uint64_t t = s;
  for (; n >= 4; p += 4, n -= 4) { uint32_t v; memcpy(&v, p, 4); t += v; }
  if (n >= 2) { uint16_t v; memcpy(&v, p, 2); t += v; p += 2; n -= 2; }
  if (n) t += *p;
  t = (t & 0xffffffff) + (t >> 32); t = (t & 0xffffffff) + (t >> 32);
  uint32_t r = (t & 0xffff) + (t >> 16); return (r & 0xffff) + (r >> 16);
}

static void ring_open(struct ring *r, int vnet) {
  int version = TPACKET_V2, one = 1, buffer = 64 << 20;
  struct tpacket_req q = {.tp_block_size = 1 << 16, .tp_block_nr = FRAMES * FRAME >> 16, .tp_frame_size = FRAME, .tp_frame_nr = FRAMES};
  struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = interface};
  *r = (struct ring){.fd = socket(AF_PACKET, SOCK_RAW, 0), .vnet = vnet};
  if (r->fd < 0) DIE("AF_PACKET: %s", strerror(errno));
  if (setsockopt(r->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version)) DIE("PACKET_VERSION: %s", strerror(errno));
  if (vnet && setsockopt(r->fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one)) DIE("PACKET_VNET_HDR: %s", strerror(errno));
  if (setsockopt(r->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one)) DIE("PACKET_QDISC_BYPASS: %s", strerror(errno));
  if (setsockopt(r->fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer)) DIE("SO_SNDBUFFORCE: %s", strerror(errno));
  if (setsockopt(r->fd, SOL_PACKET, PACKET_TX_RING, &q, sizeof q)) DIE("PACKET_TX_RING: %s", strerror(errno));
  r->memory = mmap(NULL, FRAMES * FRAME, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, 0);
  if (r->memory == MAP_FAILED) DIE("mmap: %s", strerror(errno));
  if (bind(r->fd, (void *)&to, sizeof to)) DIE("bind: %s", strerror(errno));
}
static void ring_flush(struct ring *r) {
  if (send(r->fd, NULL, 0, MSG_DONTWAIT) < 0 && errno != ENOBUFS && errno != EAGAIN) DIE("ring: %s", strerror(errno));
}
// Writes one frame; segment is 0 unless the device must split it.
static void ring_put(struct ring *r, const struct sockaddr_in *to, const uint8_t *data, int length, int segment) {
  struct tpacket2_hdr *h = (void *)(r->memory + (size_t)r->at * FRAME);
  for (int tries = 0; __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) != TP_STATUS_AVAILABLE; tries++) {
    if (tries == 1000) DIE("the device sends nothing");
    ring_flush(r);
  }
  uint8_t *start = (uint8_t *)h + DATA, *p = start;
  int total = HEADERS + length;
  if (r->vnet) {
    struct virtio_net_hdr v = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .hdr_len = segment ? HEADERS : total, .csum_start = 34, .csum_offset = 6};
    if (segment) v.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4, v.gso_size = segment;
    memcpy(p, &v, sizeof v); p += sizeof v;
  }
  static const uint8_t peer[6] = {2, 0, 0, 0, 0, 2};
  memcpy(p, peer, 6); memcpy(p + 6, own, 6); p[12] = 8; p[13] = 0;
  uint8_t *ip = p + 14, *u = ip + 20; uint16_t v16;
  memcpy(ip, (uint8_t[20]){0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 9, 0, 1}, 16);
  v16 = htons(28 + length); memcpy(ip + 2, &v16, 2); memcpy(ip + 16, &to->sin_addr, 4);
  v16 = ~sum(ip, 20, 0); memcpy(ip + 10, &v16, 2);
  v16 = htons(PORT); memcpy(u, &v16, 2); memcpy(u + 2, &to->sin_port, 2);
  v16 = htons(8 + length); memcpy(u + 4, &v16, 2); memset(u + 6, 0, 2);
  uint32_t pseudo = sum(ip + 12, 8, 0) + htons(17) + v16;
  memcpy(u + 8, data, length);
  if (r->vnet) v16 = sum(NULL, 0, pseudo);
  else if ((v16 = ~sum(u, 8 + length, pseudo)) == 0) v16 = 0xffff;
  memcpy(u + 6, &v16, 2);
  h->tp_len = p + total - start;
  __atomic_store_n(&h->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
  r->at = (r->at + 1) % FRAMES;
}
static void send_ring(struct ring *r, int n, int k, int gso) {
  for (int i = 0; i < n; i++)
    if (gso && k > 1 && k * BYTES + HEADERS + DATA + 10 <= FRAME) ring_put(r, &to[i], slab + i * k * BYTES, k * BYTES, BYTES);
    else for (int j = 0; j < k; j++) ring_put(r, &to[i], slab + (i * k + j) * BYTES, BYTES, 0);
  ring_flush(r);
}
static void send_udp(int n, int k, int gso) {
  static struct mmsghdr m[MAXN * MAXK]; static struct iovec v[MAXN * MAXK]; static char cb[MAXN][CMSG_SPACE(2)] __attribute__((aligned(16)));
  int c = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < k; j++, c++) {
    v[c] = (struct iovec){slab + (i * k + j) * BYTES, BYTES};
    m[c].msg_hdr = (struct msghdr){.msg_name = &to[i], .msg_namelen = sizeof to[i], .msg_iov = &v[c], .msg_iovlen = 1};
    if (!gso || k == 1) continue;
    v[c].iov_len = k * BYTES;
    struct cmsghdr *h = (void *)cb[i]; h->cmsg_level = SOL_UDP; h->cmsg_type = UDP_SEGMENT; h->cmsg_len = CMSG_LEN(2); *(uint16_t *)CMSG_DATA(h) = BYTES;
    m[c].msg_hdr.msg_control = h; m[c].msg_hdr.msg_controllen = sizeof cb[i];
    j = k;
  }
  for (int o = 0; o < c;) { int r = sendmmsg(udp, m + o, c - o < 1024 ? c - o : 1024, 0); if (r <= 0) DIE("sendmmsg: %s", strerror(errno)); o += r; }
}
static void send_by(enum mode mode, int n, int k) {
  switch (mode) {
    case SENDMMSG: send_udp(n, k, 1); break;
    case DATAGRAMS: send_udp(n, k, 0); break;
    case RING: send_ring(&copied, n, k, 0); break;
    case RING_SHARED: send_ring(&shared, n, k, 0); break;
    default: send_ring(&copied, n, k, 1);
  }
}

/* ---- devices ---- */
// An ifb device frees packets that no other device has redirected to it.
static void sink_open(int offloads) {
  sh("ip link add v0 type ifb; ip link set v0 arp on");
  struct ethtool_value off = {.cmd = ETHTOOL_STXCSUM}; struct ifreq f = {.ifr_name = "v0", .ifr_data = (void *)&off};   // segmentation depends on it
  if (!offloads && ioctl(udp, SIOCETHTOOL, &f)) DIE("checksum offload: %s", strerror(errno));
  sh("ip link set v0 up; ip address add 10.9.0.1/24 dev v0; ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev v0 nud permanent");
}
// Drops what arrives at a device, before IP.
static void drop_arriving(const char *device) {
  struct bpf_insn p[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 2}, {.code = BPF_JMP | BPF_EXIT}};   // TCX_DROP
  union bpf_attr a = {0};
  a.prog_type = BPF_PROG_TYPE_SCHED_CLS; a.insns = (uint64_t)p; a.insn_cnt = 2; a.license = (uint64_t)"GPL"; a.expected_attach_type = 46;   // BPF_TCX_INGRESS
  int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
  if (fd < 0) DIE("filter: %s", strerror(errno));
  memset(&a, 0, sizeof a);
  a.link_create.prog_fd = fd; a.link_create.target_ifindex = if_nametoindex(device); a.link_create.attach_type = 46;
  if (syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof a) < 0) DIE("filter: %s", strerror(errno));
}

/* ---- the other namespace ---- */
static int ready[2], wanted[2], result[2];
static pid_t peer_start(void) {
  if (pipe(ready) || pipe(wanted) || pipe(result)) DIE("pipe");
  pid_t child = fork();
  if (child) { char c; close(ready[1]); close(wanted[0]); close(result[1]); if (read(ready[0], &c, 1) != 1) DIE("the other namespace failed"); return child; }
  close(ready[0]); close(wanted[1]); close(result[0]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (unshare(CLONE_NEWNET)) DIE("unshare: %s", strerror(errno));
  if (write(ready[1], "n", 1) != 1) exit(1);
  char c; if (read(wanted[0], &c, 1) != 1) exit(0);         // the device has arrived
  sh("ip link set lo up; ip link set v1 address 02:00:00:00:00:02 up; ip address add 10.9.0.2/24 dev v1; ip route add local 10.10.0.0/16 dev lo");
  int fd = socket(AF_INET, SOCK_DGRAM, 0), big = 256 << 20; struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  if (bind(fd, (void *)&a, sizeof a)) DIE("bind");
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof big);
  if (!VERIFY) drop_arriving("v1");
  if (write(ready[1], "r", 1) != 1) exit(1);
  while (read(wanted[0], &c, 1) == 1) {                     // reads only now: all has been sent
    int counts[3] = {0, 0, 0}; static uint8_t b[2048]; int n; uint32_t last = 0;
    struct timeval t = {0, 200000}; setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    while ((n = recv(fd, b, sizeof b, 0)) >= 0) {
      uint32_t id; memcpy(&id, b, 4); int bad = n != BYTES || (counts[0] && id != last + 1);
      for (int i = 4; i < n; i++) if (b[i] != (uint8_t)(id * 31 + i)) bad = 1;
      counts[0]++; counts[1] += bad; last = id;
    }
    if (write(result[1], counts, sizeof counts) < 0) exit(1);
  }
  exit(0);
}
static void fill(int n, int k) {
  for (int i = 0; i < n * k; i++, number++) {
    memcpy(slab + i * BYTES, &number, 4);
    for (int j = 4; j < BYTES; j++) slab[i * BYTES + j] = number * 31 + j;
  }
}
static int compare(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }
static double median(double *v, int n) { qsort(v, n, sizeof *v, compare); return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2; }

int main(int c, char **v) {
  int subs[8] = {10, 100, 200}, subs_n = 3, runs[8] = {1, 2, 4, 10}, runs_n = 4;
  for (int i = 1; i + 1 < c; i += 2) {
    char *x = v[i + 1];
    if (!strcmp(v[i], "--device")) DEVICE = x; else if (!strcmp(v[i], "--bytes")) BYTES = atoi(x); else if (!strcmp(v[i], "--seconds")) SECONDS = atof(x);
    else if (!strcmp(v[i], "--rounds")) ROUNDS = atoi(x); else if (!strcmp(v[i], "--verify")) VERIFY = atoi(x);
    else if (!strcmp(v[i], "--subs")) { subs_n = 0; for (char *p = strtok(x, ","); p && subs_n < 8; p = strtok(NULL, ",")) subs[subs_n++] = atoi(p); }
    else if (!strcmp(v[i], "--runs")) { runs_n = 0; for (char *p = strtok(x, ","); p && runs_n < 8; p = strtok(NULL, ",")) runs[runs_n++] = atoi(p); }
    else DIE("usage: see the first lines of raw_egress.c");
  }
  if (c % 2 == 0) DIE("options come in pairs");
  for (int i = 0; i < subs_n; i++) if (subs[i] < 1 || subs[i] > MAXN) DIE("--subs 1..%d", MAXN);
  for (int i = 0; i < runs_n; i++) if (runs[i] < 1 || runs[i] > MAXK) DIE("--runs 1..%d", MAXK);
  if (BYTES < 4 || BYTES > 1400 || ROUNDS < 1 || ROUNDS > 64) DIE("--bytes 4..1400, --rounds 1..64");
  if (VERIFY) DEVICE = "veth";
  if (unshare(CLONE_NEWNET)) DIE("unshare: %s", strerror(errno));
  udp = socket(AF_INET, SOCK_DGRAM, 0);
  if (!strcmp(DEVICE, "veth")) {
    char b; pid_t peer = peer_start();
    sh("ip link add v0 type veth peer name v1 netns %d", peer);
    sh("ip link set v0 up; ip address add 10.9.0.1/24 dev v0; ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev v0 nud permanent");
    if (write(wanted[1], "d", 1) != 1 || read(ready[0], &b, 1) != 1) DIE("the other namespace failed");
  } else {
    sink_open(strcmp(DEVICE, "plain"));
  }
  sh("ip link set lo up; ip route add 10.10.0.0/16 via 10.9.0.2");
  for (int i = 0; i < MAXN; i++) to[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(0x0a0a0001 + i)};
  interface = if_nametoindex("v0");
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(PORT)}; int big = 64 << 20;
  if (bind(udp, (void *)&from, sizeof from)) DIE("bind: %s", strerror(errno));
  setsockopt(udp, SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof big);
  struct ifreq f = {.ifr_name = "v0"};
  if (ioctl(udp, SIOCGIFHWADDR, &f)) DIE("hardware address: %s", strerror(errno));
  memcpy(own, f.ifr_hwaddr.sa_data, 6);
  ring_open(&copied, 1); ring_open(&shared, 0);

  if (VERIFY) {
    usleep(200000); fill(1, 1); send_udp(1, 1, 0); usleep(200000);
    int counts[3], wrong = 0;
    if (write(wanted[1], "c", 1) != 1 || read(result[0], counts, sizeof counts) != sizeof counts || counts[0] != 1) DIE("no packet arrives");
    for (int mode = 0; mode < MODES; mode++) {
      int all = 0;                                          // twice as many as the ring has frames
      for (int i = 0; i < 2 * FRAMES / 200 + 1; i++) { fill(100, 2); send_by(mode, 100, 2); all += 200; }
      if (write(wanted[1], "c", 1) != 1 || read(result[0], counts, sizeof counts) != sizeof counts) DIE("the other namespace failed");
      printf("{\"program\":\"raw_egress\",\"verify\":\"%s\",\"sent\":%d,\"received\":%d,\"wrong\":%d}\n", names[mode], all, counts[0], counts[1]);
      if (mode != RING_SHARED && (counts[0] != all || counts[1])) wrong = 1;
    }
    return wrong;
  }
  // A socket that bypasses the queueing discipline refuses what the device cannot segment.
  int modes = strcmp(DEVICE, "plain") ? MODES : RING_GSO;
  fill(MAXN, 1);
  for (int a = 0; a < subs_n; a++) for (int b = 0; b < runs_n; b++) {
    int n = subs[a], k = runs[b]; static double cost[MODES][64], ratio[MODES][64];
    for (int round = -1; round < ROUNDS; round++) {         // the first one only warms up
      for (int mode = 0; mode < modes; mode++) {
        uint64_t w = ns(CLOCK_MONOTONIC), t = ns(CLOCK_PROCESS_CPUTIME_ID), packets = 0;
        do { send_by(mode, n, k); packets += n * k; } while (ns(CLOCK_MONOTONIC) - w < (round < 0 ? 1e7 : SECONDS / ROUNDS * 1e9));
        if (round < 0) continue;
        cost[mode][round] = (double)(ns(CLOCK_PROCESS_CPUTIME_ID) - t) / packets;
        ratio[mode][round] = cost[mode][round] / cost[SENDMMSG][round];
      }
    }
    printf("{\"program\":\"raw_egress\",\"device\":\"%s\",\"bytes\":%d,\"subs\":%d,\"run\":%d", DEVICE, BYTES, n, k);
    for (int mode = 0; mode < modes; mode++) printf(",\"%s\":%.0f", names[mode], median(cost[mode], ROUNDS));
    for (int mode = 1; mode < modes; mode++) printf(",\"%s_ratio\":%.2f", names[mode], median(ratio[mode], ROUNDS));
    printf("}\n"); fflush(stdout);
  }
}
