// Shared parts of the SRTP fan-out measurements: clocks, keys, protect back-ends, sinks.
#ifndef LIMIT_H
#define LIMIT_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define DIE(...) do { fprintf(stderr, __VA_ARGS__); fprintf(stderr, "\n"); exit(1); } while (0)
#define RTP_HDR 12
#define SLOT 2048

enum cipher { CM = 0, GCM = 1 };               // AES_CM_128_HMAC_SHA1_80, AEAD_AES_128_GCM
#define TAG_CM 10
#define TAG_GCM 16
#define IMB_MAX 128                            // jobs of one burst, at most

static inline uint64_t cpu_ns(void) {          // user+sys of the whole process, kernel I/O threads included
  struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static inline uint64_t wall_ns(void) {
  struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static inline void put16(uint8_t *p, uint16_t v) { v = htons(v); memcpy(p, &v, 2); }
static inline void put32(uint8_t *p, uint32_t v) { v = htonl(v); memcpy(p, &v, 4); }
static inline uint16_t get16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return ntohs(v); }
static inline uint32_t get32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return ntohl(v); }

// Outgoing stream of one subscriber.
struct sub {
  uint8_t mkey[16], msalt[14];                 // master key and salt (GCM uses 12 bytes of the salt)
  uint32_t ssrc, ts_off;
  uint64_t idx_off;                            // added to the publisher's 48-bit packet index
  struct sockaddr_in to;
  int fd;                                      // connected socket, when asked for
};

// Packet to produce: header rewritten from src, payload encrypted from src into dst, tag appended.
struct pjob {
  uint32_t sub;
  uint32_t len;                                // RTP length without tag
  uint64_t index;                              // publisher's packet index (ROC<<16 | seq)
  const uint8_t *src;
  uint8_t *dst;
};

static inline uint64_t rewrite(const struct sub *s, const struct pjob *j) {
  uint64_t ix = j->index + s->idx_off;
  j->dst[0] = j->src[0]; j->dst[1] = j->src[1];
  put16(j->dst + 2, (uint16_t)ix);
  put32(j->dst + 4, get32(j->src + 4) + s->ts_off);
  put32(j->dst + 8, s->ssrc);
  return ix;
}

// A protect back-end. run() makes n finished SRTP packets; output length is len+tag.
struct backend {
  const char *name;
  enum cipher cipher;
  int tag;
  int batch;                                   // for multi-buffer back-ends: jobs between flushes
  void (*run)(struct backend *, const struct sub *, struct pjob *, int n);
  void *priv;
  uint64_t next_index;                         // callers may keep the publisher's packet index here
};

#define LIB_NSS "/usr/lib/x86_64-linux-gnu/libsrtp2.so.1"
#define LIB_OSSL "./srtp-openssl/lib/libsrtp2.so.1"

struct backend *be_copy(enum cipher c, const struct sub *s, int n);                    // no crypto: memcpy + rewrite
struct backend *be_libsrtp(const char *so, enum cipher c, const struct sub *s, int n); // dlopen
struct backend *be_evp(enum cipher c, const struct sub *s, int n);                     // hand-made on OpenSSL
enum imb_api { IMB_JOB_API, IMB_BURST_API, IMB_SPLIT_API, IMB_DIRECT };
struct backend *be_imb(enum cipher c, enum imb_api api, int batch, const struct sub *s, int n);
struct backend *be_shani(const struct sub *s, int n);                                  // hand-written intrinsics, CM only
struct backend *be_avx512(const struct sub *s, int n);
struct backend *be_by_name(const char *name, enum cipher c, int batch, const struct sub *s, int n);

// Ingress half: packets of one publisher, checked and decrypted in place. kind: a libsrtp2 path, or "imb".
struct unprotect;
struct unprotect *un_new(const char *kind, enum cipher c, const struct sub *publisher);
void un_run(struct unprotect *u, uint8_t **pkt, int *len, const uint64_t *index, int n);   // dies when a packet does not verify

int cpu_has_vaes_sha(void);                                                             // what "shani" and "avx512" need

void subs_init(struct sub *s, int n, int base_port);
void kdf(const uint8_t mkey[16], const uint8_t *msalt, int saltlen, int label, uint8_t *out, int len);
void rtp_fill(uint8_t *p, int payload, uint64_t index);     // a publisher packet with recognisable payload

int cmp_d(const void *a, const void *b);
double median(double *v, int n);
double minimum(const double *v, int n);
#endif
