// Minimum cost of an SRTP fan-out on this machine: receive a publisher's packets, rewrite and protect them for each of N
// subscribers (own key, own SSRC and sequence, own destination), send. One thread; CPU time of that thread only.
//
//   fanout_floor --mode conventional|conventional-openssl|portable|best|compare --subs N --payload BYTES --burst PKTS --seconds S --cipher cm|gcm
//
// conventional          Debian's libsrtp2 (NSS), one packet at a time, recvfrom, sendto on one unconnected socket
// conventional-openssl  libsrtp2 built on OpenSSL, recvfrom, sendmmsg on one unconnected socket
// best                  the fastest protect that this CPU has (multi-buffer, or intrinsics; determined at start), recvmmsg, GSO on a connected socket per subscriber (io_uring for bursts of one)
// portable              SRTP implemented on OpenSSL EVP (any CPU), recvmmsg, GSO with sendmmsg on one unconnected socket (sendto for bursts of one)
// compare               all four, interleaved in one process; one line each, with ratios
//
// --unprotect 1 sends the publisher's packets as SRTP, checked and decrypted once each (as a real SFU does; default 0).
// --verify 1 reads the output and checks it with Debian's libsrtp2 instead of measuring.
// Publisher packets are queued on the ingress socket in lots, outside the measured time. The measured time contains the
// receive system call, rewrite, protect and the send system call, including the loopback receive path (see sinks.h).
#include "limit.h"
#include "sinks.h"
#include <liburing.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <srtp2/srtp.h>
#include <openssl/evp.h>
#include <dlfcn.h>

#define MAXB 64
enum send { S_NONE, S_SENDTO, S_SEND, S_SENDMMSG, S_URING, S_GSO, S_GSO_MMSG, S_GSO_URING };
static const char *send_names[] = {"none", "sendto", "send", "sendmmsg", "uring", "gso", "gso-mmsg", "gso-uring"};

static int N = 100, B = 10, PAYLOAD = 1200, BASE = 26000, GROUP, UNPROTECT, PAD, VERIFY, BATCH = 16; static double SECONDS = 3, PACE;
static enum cipher CI = CM; static const char *SIZES = "equal", *PROTECT, *SEND, *RECV, *LABEL;
static struct sub *S; static int U, IN, PUB; static struct sockaddr_in in_addr;
static struct sinks K; static uint8_t *dst; static size_t DST = 16 << 20; static struct pjob *J; static int JMAX;
static struct io_uring R; static int have_ring;
static uint64_t calls;

struct pipe {
  const char *mode; struct backend *be; struct unprotect *un; enum send send; int mmsg_in, group, one_by_one;
  uint64_t next_index, packets, cpu, wall, calls; double slice[64]; int slices;
};

/* ---- ingress ---- */
static uint8_t rx[MAXB][SLOT]; static int rxlen[MAXB]; static uint64_t rxidx[MAXB];
static int lot_size(int q) {                              // RTP payload size of the q-th packet of a burst
  if (!strcmp(SIZES, "webrtc")) return q < B / 2 ? PAYLOAD - 1 : PAYLOAD;      // libwebrtc: the later ones one byte larger
  if (!strcmp(SIZES, "random")) return PAYLOAD / 2 + (q * 2654435761u >> 8) % (PAYLOAD / 2 + 1);
  if (!strcmp(SIZES, "lastshort")) return q == B - 1 ? PAYLOAD / 2 : PAYLOAD;
  return PAYLOAD;
}
static struct sub PUBLISHER = {.ssrc = 0x11223344, .mkey = "publisher's key", .msalt = "and its salt"}; static struct backend *PROTECTED;
static void publish(struct pipe *p, int bursts) {
  static uint8_t b[SLOT], o[SLOT];
  uint64_t ix = p->next_index;
  for (int k = 0; k < bursts; k++) for (int q = 0; q < B; q++, ix++) {
    int pl = lot_size(q); rtp_fill(b, pl, ix);
    if (UNPROTECT) { struct pjob j = {.len = RTP_HDR + pl, .index = ix, .src = b, .dst = o}; PROTECTED->run(PROTECTED, &PUBLISHER, &j, 1); pl += PROTECTED->tag; }
    if (sendto(PUB, UNPROTECT ? o : b, RTP_HDR + pl, 0, (void *)&in_addr, sizeof in_addr) < 0) DIE("publish: %s", strerror(errno));
  }
}
static void receive(struct pipe *p) {
  if (p->mmsg_in) {
    static struct mmsghdr m[MAXB]; static struct iovec v[MAXB];
    for (int i = 0; i < B; i++) { v[i] = (struct iovec){rx[i], SLOT}; m[i].msg_hdr = (struct msghdr){.msg_iov = &v[i], .msg_iovlen = 1}; }
    for (int got = 0; got < B;) { int r = recvmmsg(IN, m + got, B - got, 0, NULL); calls++; if (r <= 0) DIE("recvmmsg: %s", strerror(errno)); got += r; }
    for (int i = 0; i < B; i++) rxlen[i] = m[i].msg_len;
  } else for (int i = 0; i < B; i++) {
    struct sockaddr_in from; socklen_t l = sizeof from;
    rxlen[i] = recvfrom(IN, rx[i], SLOT, 0, (void *)&from, &l); calls++;
    if (rxlen[i] <= 0) DIE("recvfrom: %s", strerror(errno));
  }
  int max = 0;
  for (int i = 0; i < B; i++) {
    uint16_t seq = get16(rx[i] + 2);                       // 48-bit index from the 16-bit sequence, in order here
    rxidx[i] = p->next_index + (uint16_t)(seq - (uint16_t)p->next_index);
  }
  if (UNPROTECT) { uint8_t *v[MAXB]; for (int i = 0; i < B; i++) v[i] = rx[i]; un_run(p->un, v, rxlen, rxidx, B); }
  for (int i = 0; i < B; i++) if (rxlen[i] > max) max = rxlen[i];
  if (PAD) for (int i = 0; i < B; i++) {                   // RTP padding up to the largest of the burst: one GSO send
    int n = max - rxlen[i]; if (n <= 0 || n > PAD) continue;
    memset(rx[i] + rxlen[i], 0, n); rx[i][max - 1] = n; rx[i][0] |= 0x20; rxlen[i] = max;
  }
  p->next_index += B;
}

/* ---- egress ---- */
static struct mmsghdr M[4096]; static struct iovec V[4096]; static char CB[4096][CMSG_SPACE(2)] __attribute__((aligned(16)));
static void check(ssize_t r, ssize_t want, const char *what) { if (r != want) DIE("%s: %zd of %zd, %s", what, r, want, strerror(errno)); }
static inline void msg(int k, struct sub *to, uint8_t *p, int len, int seg) {
  V[k] = (struct iovec){p, len};
  struct msghdr *h = &M[k].msg_hdr;
  h->msg_name = to ? &to->to : NULL; h->msg_namelen = to ? sizeof to->to : 0; h->msg_iov = &V[k]; h->msg_iovlen = 1; h->msg_flags = 0;
  if (!seg) { h->msg_control = NULL; h->msg_controllen = 0; return; }
  h->msg_control = CB[k]; h->msg_controllen = sizeof CB[k];
  struct cmsghdr *c = CMSG_FIRSTHDR(h);
  c->cmsg_level = SOL_UDP; c->cmsg_type = UDP_SEGMENT; c->cmsg_len = CMSG_LEN(2); *(uint16_t *)CMSG_DATA(c) = seg;
}
static void ring_open(void) {
  if (have_ring++) return;
  struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  int e = io_uring_queue_init_params(4096, &R, &p); if (e) DIE("io_uring: %s", strerror(-e));
  int f[N]; for (int i = 0; i < N; i++) f[i] = S[i].fd;
  if ((e = io_uring_register_files(&R, f, N))) DIE("register files: %s", strerror(-e));
}
static void ring_flush(int n) {
  struct io_uring_cqe *c; unsigned h; int k = 0, e = io_uring_submit_and_wait(&R, n); calls++;
  if (e < 0) DIE("submit: %s", strerror(-e));
  io_uring_for_each_cqe(&R, h, c) { if (c->res < 0) DIE("io_uring send: %s", strerror(-c->res)); k++; }
  io_uring_cq_advance(&R, k);
  if (k != n) DIE("io_uring: %d of %d", k, n);
}
// Sends the packets of subscribers [a, a+g): those of one subscriber are contiguous in dst, in order.
static void send_group(struct pipe *p, int a, int g) {
  int k = 0; uint8_t *at = dst; int tag = p->be->tag;
  for (int s = a; s < a + g; s++) {
    for (int i = 0; i < B;) {
      int len = rxlen[i] + tag, n = 1, total = len;
      if (p->send >= S_GSO) {                              // a run: equal sizes, the last one may be shorter
        while (i + n < B && n < 64 && total + rxlen[i + n] + tag <= 65000) {
          int l = rxlen[i + n] + tag; if (l > len) break;
          total += l; n++; if (l < len) break;
        }
      }
      switch (p->send) {
        case S_NONE: break;
        case S_SENDTO: check(sendto(U, at, len, 0, (void *)&S[s].to, sizeof S[s].to), len, "sendto"); calls++; break;
        case S_SEND: check(send(S[s].fd, at, len, 0), len, "send"); calls++; break;
        case S_SENDMMSG: msg(k++, &S[s], at, len, 0); break;
        case S_URING: { struct io_uring_sqe *q = io_uring_get_sqe(&R); io_uring_prep_send(q, s, at, len, 0); q->flags |= IOSQE_FIXED_FILE; k++; break; }
        case S_GSO: if (n == 1) check(send(S[s].fd, at, len, 0), len, "send"); else { msg(0, NULL, at, total, len); check(sendmsg(S[s].fd, &M[0].msg_hdr, 0), total, "gso"); } calls++; break;
        case S_GSO_MMSG: msg(k++, &S[s], at, total, n > 1 ? len : 0); break;
        case S_GSO_URING: { struct io_uring_sqe *q = io_uring_get_sqe(&R); msg(k, NULL, at, total, n > 1 ? len : 0); io_uring_prep_sendmsg(q, s, &M[k].msg_hdr, 0); q->flags |= IOSQE_FIXED_FILE; k++; break; }
      }
      at += total; i += n;
    }
  }
  if (p->send == S_SENDMMSG || p->send == S_GSO_MMSG)
    for (int o = 0; o < k;) { int r = sendmmsg(U, M + o, k - o < 1024 ? k - o : 1024, 0); calls++; if (r <= 0) DIE("sendmmsg: %s", strerror(errno)); o += r; }
  if ((p->send == S_URING || p->send == S_GSO_URING) && k) ring_flush(k);
}
static void fan_out(struct pipe *p) {
  receive(p);
  if (p->one_by_one) {                                     // packet by packet, subscriber by subscriber
    for (int q = 0; q < B; q++) for (int s = 0; s < N; s++) {
      struct pjob j = {.sub = s, .len = rxlen[q], .index = rxidx[q], .src = rx[q], .dst = dst}; int len = rxlen[q] + p->be->tag;
      p->be->run(p->be, S, &j, 1);
      check(sendto(U, dst, len, 0, (void *)&S[s].to, sizeof S[s].to), len, "sendto"); calls++;
    }
  } else {
    uint32_t per = 0, off[MAXB];
    for (int q = 0; q < B; q++) { off[q] = per; per += rxlen[q] + p->be->tag; }
    for (int a = 0; a < N; a += p->group) {
      int g = N - a < p->group ? N - a : p->group, n = 0;
      for (int q = 0; q < B; q++) for (int s = 0; s < g; s++)   // packet-major: equal lengths sit side by side for the multi-buffer code
        J[n++] = (struct pjob){.sub = a + s, .len = rxlen[q], .index = rxidx[q], .src = rx[q], .dst = dst + (size_t)s * per + off[q]};
      p->be->run(p->be, S, J, n);
      send_group(p, a, g);
    }
  }
  p->packets += (uint64_t)N * B;
}

/* ---- check what arrives, with Debian's libsrtp2 as the receiver ---- */
static void verify(struct pipe *p) {
  void *h = dlopen(LIB_NSS, RTLD_NOW); srtp_err_status_t (*init)(void) = dlsym(h, "srtp_init"); (void)init;
  srtp_err_status_t (*create)(srtp_t *, const srtp_policy_t *) = dlsym(h, "srtp_create"), (*un)(srtp_t, void *, int *) = dlsym(h, "srtp_unprotect");
  void (*pol)(srtp_crypto_policy_t *) = dlsym(h, CI == CM ? "srtp_crypto_policy_set_rtp_default" : "srtp_crypto_policy_set_aes_gcm_128_16_auth");
  struct backend *up = be_libsrtp(LIB_NSS, CI, S, 1); (void)up;      // initialises the library
  srtp_t *t = calloc(N, sizeof *t); int fd[N]; uint64_t seen = 0; static uint8_t b[65536], want[SLOT];
  for (int i = 0; i < N; i++) {
    uint8_t key[32] = {0}; memcpy(key, S[i].mkey, 16); memcpy(key + 16, S[i].msalt, CI == CM ? 14 : 12);
    srtp_policy_t y = {0}; pol(&y.rtp); pol(&y.rtcp); y.ssrc.type = ssrc_any_inbound; y.key = key; y.window_size = 1024;
    if (create(&t[i], &y)) DIE("srtp_create");
    int big = 4 << 20; struct sockaddr_in a = S[i].to; fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(fd[i], (void *)&a, sizeof a)) DIE("bind: %s", strerror(errno));
    setsockopt(fd[i], SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof big);
  }
  for (int k = 0; k < 2000 / B + 3; k++) {
    uint64_t ix = p->next_index; publish(p, 1); fan_out(p);
    for (int i = 0; i < N; i++) for (int q = 0; q < B; q++) {
      int n = recv(fd[i], b, sizeof b, MSG_DONTWAIT), pl = lot_size(q); if (n < 0) DIE("subscriber %d packet %d missing", i, q);
      srtp_err_status_t e = un(t[i], b, &n); if (e) DIE("unprotect sub %d packet %lu: %d", i, ix + q, e);
      rtp_fill(want, pl, ix + q);
      if (b[0] & 0x20) n -= b[n - 1];
      uint64_t ox = ix + q + S[i].idx_off;
      if (n != RTP_HDR + pl || memcmp(b + RTP_HDR, want + RTP_HDR, pl) || get32(b + 8) != S[i].ssrc || get16(b + 2) != (uint16_t)ox || b[1] != want[1] || get32(b + 4) != get32(want + 4) + S[i].ts_off)
        DIE("wrong packet at sub %d index %lu", i, ix + q);
      seen++;
    }
  }
  printf("{\"program\":\"fanout_floor\",\"verify\":\"ok\",\"mode\":\"%s\",\"cipher\":\"%s\",\"protect\":\"%s\",\"send\":\"%s\",\"sizes\":\"%s\",\"pad\":%d,\"subs\":%d,\"packets_checked\":%lu}\n",
         p->mode, CI == CM ? "cm" : "gcm", p->be->name, send_names[p->send], SIZES, PAD, N, seen);
  for (int i = 0; i < N; i++) close(fd[i]);
}

/* ---- what "best" means on this CPU: the candidates protect the very shape by turns, the fastest one is it ---- */
static void protect_once(struct backend *b, int group) {
  int len = RTP_HDR + PAYLOAD, per = (len + b->tag) * B;
  for (int a = 0; a < N; a += group) {
    int g = N - a < group ? N - a : group, n = 0;
    for (int q = 0; q < B; q++) for (int s = 0; s < g; s++)
      J[n++] = (struct pjob){.sub = a + s, .len = len, .index = q, .src = rx[q], .dst = dst + (size_t)s * per + (size_t)q * (len + b->tag)};
    b->run(b, S, J, n);
  }
}
static struct backend *fastest(int group) {
  static const struct { const char *name; enum cipher cipher; int batch; } all[] = {
    {"avx512", CM, 16}, {"imb-split", CM, 16}, {"imb-split", CM, IMB_MAX}, {"imb-burst", CM, 16}, {"imb-burst", CM, IMB_MAX},
    {"imb-direct", GCM, 1}, {"imb-burst", GCM, 16}, {"imb-burst", GCM, IMB_MAX}};
  enum { C = sizeof all / sizeof *all };
  struct backend *b[C] = {0}; uint64_t least[C]; int best = -1;
  for (int q = 0; q < B; q++) rtp_fill(rx[q], PAYLOAD, q);
  for (int k = 0; k < C; k++)
    if (all[k].cipher == CI && (strcmp(all[k].name, "avx512") || cpu_has_vaes_sha())) { b[k] = be_by_name(all[k].name, CI, all[k].batch, S, N); least[k] = UINT64_MAX; }
  int repeat = 2000 / (N * B) + 1;
  for (int round = 0; round < 100; round++) for (int k = 0; k < C; k++) if (b[k]) {
    uint64_t t = cpu_ns();
    for (int i = 0; i < repeat; i++) protect_once(b[k], group);
    if ((t = cpu_ns() - t) < least[k]) least[k] = t;
  }
  for (int k = 0; k < C; k++) if (b[k] && (best < 0 || least[k] < least[best])) best = k;
  return b[best];
}

static struct pipe *pipe_new(const char *mode) {
  struct pipe *p = calloc(1, sizeof *p); p->mode = mode; p->next_index = 0xfe00;
  const char *prot, *send, *recv; int best = !strcmp(mode, "best");
  if (!strcmp(mode, "conventional")) { prot = "libsrtp-nss"; send = "sendto"; recv = "recvfrom"; p->one_by_one = 1; }
  else if (!strcmp(mode, "conventional-openssl")) { prot = "libsrtp-openssl"; send = "sendmmsg"; recv = "recvfrom"; }
  else if (best) { prot = NULL; send = B > 1 ? "gso" : "uring"; recv = "recvmmsg"; }
  else if (!strcmp(mode, "portable")) { prot = "evp"; send = B > 1 ? "gso-mmsg" : "sendto"; recv = "recvmmsg"; }
  else DIE("--mode conventional|conventional-openssl|portable|best|compare");
  if (PROTECT) prot = PROTECT;
  if (SEND) send = SEND, p->one_by_one = 0;
  if (RECV) recv = RECV;
  for (p->send = 0; strcmp(send_names[p->send], send); p->send++) if (p->send == S_GSO_URING) DIE("--send none|sendto|send|sendmmsg|uring|gso|gso-mmsg|gso-uring");
  p->mmsg_in = !strcmp(recv, "recvmmsg");
  p->group = GROUP ? GROUP : p->send == S_SENDMMSG || p->send == S_SENDTO || p->send == S_SEND ? (B >= 64 ? 1 : 64 / B) : B == 1 ? 128 : 16;
  if (p->group * B > 4096) p->group = 4096 / B;
  if (p->group > N) p->group = N;
  if (p->group * B > JMAX) J = realloc(J, (JMAX = p->group * B) * sizeof *J);
  p->be = prot ? be_by_name(prot, CI, BATCH, S, N) : fastest(p->group);
  if (UNPROTECT) { PROTECTED = be_evp(CI, &PUBLISHER, 1); p->un = un_new(!strcmp(p->be->name, "libsrtp-nss") ? LIB_NSS : !strcmp(p->be->name, "libsrtp-openssl") ? LIB_OSSL : "imb", CI, &PUBLISHER); }
  if (p->send == S_URING || p->send == S_GSO_URING) ring_open();
  return p;
}
static void slice(struct pipe *p, double seconds) {
  int lot = 20000 / (N * B); if (lot < 1) lot = 1; if (lot > 64) lot = 64; if (lot * B > 640) lot = 640 / B;
  if (PACE > 0) lot = 1;
  uint64_t w0 = wall_ns(), cpu = 0, wall = 0, before = p->packets, c = calls; double paced = 0;
  do {
    publish(p, lot);
    if (PACE > 0) {                                        // real time: the caches are as cold as a relay finds them
      uint64_t next = w0 + (uint64_t)((paced += 1) * 1e9 / PACE), at = wall_ns();
      if (next > at) nanosleep(&(struct timespec){(next - at) / 1000000000, (next - at) % 1000000000}, NULL);
    }
    uint64_t a = wall_ns(), t = cpu_ns();
    for (int i = 0; i < lot; i++) fan_out(p);
    cpu += cpu_ns() - t; wall += wall_ns() - a;
  } while (wall_ns() - w0 < seconds * 1e9);
  p->cpu += cpu; p->wall += wall; p->calls += calls - c;
  if (p->slices < 64) p->slice[p->slices++] = (double)cpu / (p->packets - before);
}

int main(int c, char **v) {
  const char *mode = "best", *sink = "full";
  for (int i = 1; i + 1 < c; i += 2) {
    const char *o = v[i], *x = v[i + 1];
    if (!strcmp(o, "--mode")) mode = x; else if (!strcmp(o, "--subs")) N = atoi(x); else if (!strcmp(o, "--payload")) PAYLOAD = atoi(x);
    else if (!strcmp(o, "--burst")) B = atoi(x); else if (!strcmp(o, "--seconds")) SECONDS = atof(x); else if (!strcmp(o, "--cipher")) CI = !strcmp(x, "gcm") ? GCM : CM;
    else if (!strcmp(o, "--protect")) PROTECT = x; else if (!strcmp(o, "--send")) SEND = x; else if (!strcmp(o, "--recv")) RECV = x;
    else if (!strcmp(o, "--sink")) sink = x; else if (!strcmp(o, "--group")) GROUP = atoi(x); else if (!strcmp(o, "--batch")) BATCH = atoi(x);
    else if (!strcmp(o, "--sizes")) SIZES = x; else if (!strcmp(o, "--pad")) PAD = atoi(x); else if (!strcmp(o, "--base")) BASE = atoi(x);
    else if (!strcmp(o, "--verify")) VERIFY = atoi(x); else if (!strcmp(o, "--label")) LABEL = x; else if (!strcmp(o, "--pace")) PACE = atof(x); else if (!strcmp(o, "--unprotect")) UNPROTECT = atoi(x);
    else DIE("usage: fanout_floor [--mode conventional|conventional-openssl|portable|best|compare] [--subs N] [--payload BYTES] [--burst PKTS] [--seconds S] [--cipher cm|gcm] [--pace BURSTS_A_SECOND]\n"
             "  [--protect copy|libsrtp-nss|libsrtp-openssl|evp|shani|avx512|imb-job|imb-burst|imb-split|imb-direct] [--batch JOBS]\n"
             "  [--send none|sendto|send|sendmmsg|uring|gso|gso-mmsg|gso-uring] [--recv recvfrom|recvmmsg] [--group SUBS] [--sink full|bpf|drain|none]\n"
             "  [--sizes equal|webrtc|lastshort|random] [--pad MAXBYTES] [--unprotect 1] [--base PORT] [--verify 1] [--label TEXT]");
  }
  if (c % 2 == 0) DIE("options come in pairs");
  if (B < 1 || B > MAXB || PAYLOAD < 2 || PAYLOAD > 1900) DIE("burst 1..%d, payload 2..1900", MAXB);
  S = calloc(N, sizeof *S); subs_init(S, N, BASE);
  enum sink_mode sm = sink_mode(sink); sinks_open(&K, VERIFY ? SINK_NONE : sm, N, BASE);
  dst = mmap(NULL, DST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}; socklen_t l = sizeof in_addr; int big = 8 << 20;
  U = socket(AF_INET, SOCK_DGRAM, 0); IN = socket(AF_INET, SOCK_DGRAM, 0); PUB = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(U, (void *)&any, sizeof any) || bind(IN, (void *)&any, sizeof any) || bind(PUB, (void *)&any, sizeof any)) DIE("bind");
  getsockname(IN, (void *)&in_addr, &l);
  if (setsockopt(IN, SOL_SOCKET, SO_RCVBUFFORCE, &big, sizeof big)) setsockopt(IN, SOL_SOCKET, SO_RCVBUF, &big, sizeof big);
  setsockopt(U, SOL_SOCKET, SO_SNDBUF, &big, sizeof big);
  for (int i = 0; i < N; i++) { S[i].fd = socket(AF_INET, SOCK_DGRAM, 0); if (connect(S[i].fd, (void *)&S[i].to, sizeof S[i].to)) DIE("connect: %s", strerror(errno)); }

  static const char *all[] = {"conventional", "conventional-openssl", "portable", "best"}; struct pipe *P[4]; int np = 0;
  if (!strcmp(mode, "compare")) { const char *a = PROTECT, *b = SEND, *d = RECV; for (int i = 0; i < 4; i++) { if (i == 1 && access(LIB_OSSL, R_OK)) continue; if (i < 3) PROTECT = SEND = RECV = NULL; else PROTECT = a, SEND = b, RECV = d; P[np++] = pipe_new(all[i]); } }
  else P[np++] = pipe_new(mode);
  if (VERIFY) { for (int i = 0; i < np; i++) verify(P[i]); return 0; }
  int rounds = 10;
  for (int i = 0; i < np; i++) { slice(P[i], 0.05); P[i]->packets = P[i]->cpu = P[i]->wall = P[i]->calls = P[i]->slices = 0; }
  unsigned long d0 = sinks_dropped(&K), k0 = ksoftirqd_ns(), sent = 0;
  for (int r = 0; r < rounds; r++) for (int i = 0; i < np; i++) slice(P[i], SECONDS / rounds);
  for (int i = 0; i < np; i++) sent += P[i]->send == S_NONE ? 0 : P[i]->packets;
  double lost = sent && (sm == SINK_FULL || sm == SINK_BPF) ? (double)((long)sent - (long)(sinks_dropped(&K) - d0)) / sent : 0, ks = sent ? (double)(ksoftirqd_ns() - k0) / sent : 0;
  for (int i = 0; i < np; i++) {
    struct pipe *p = P[i]; double ns = (double)p->cpu / p->packets;
    printf("{\"program\":\"fanout_floor\",\"mode\":\"%s\",\"cipher\":\"%s\",\"subs\":%d,\"payload\":%d,\"burst\":%d,\"sizes\":\"%s\",\"protect\":\"%s\",\"batch\":%d,\"send\":\"%s\",\"recv\":\"%s\",\"sink\":\"%s\",\"unprotect\":%d,\"packets\":%lu,"
           "\"ns_per_packet_cpu\":%.1f,\"ns_median\":%.1f,\"ns_min\":%.1f,\"packets_per_s_per_core\":%.0f,\"ns_per_packet_wall\":%.1f,\"syscalls_per_packet\":%.3f,\"not_seen_at_sinks\":%.5f,\"ksoftirqd_ns\":%.1f",
           p->mode, CI == CM ? "cm" : "gcm", N, PAYLOAD, B, SIZES, p->be->name, p->be->batch, send_names[p->send], p->mmsg_in ? "recvmmsg" : "recvfrom", LABEL ? LABEL : sink, UNPROTECT, p->packets,
           ns, median(p->slice, p->slices), minimum(p->slice, p->slices), 1e9 / median(p->slice, p->slices), (double)p->wall / p->packets, (double)p->calls / p->packets, lost, ks);
    if (np > 1) printf(",\"ratio_to_conventional\":%.4f,\"times_faster\":%.2f", median(p->slice, p->slices) / median(P[0]->slice, P[0]->slices), median(P[0]->slice, P[0]->slices) / median(p->slice, p->slices));
    printf("}\n");
  }
  sinks_close(&K);
}
