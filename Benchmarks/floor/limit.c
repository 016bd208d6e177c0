#include "limit.h"
#include <dlfcn.h>
#include <openssl/evp.h>
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <srtp2/srtp.h>
#define NO_COMPAT_IMB_API_053   // otherwise the header #defines GCM, CBC, SHA1, ...
#include <intel-ipsec-mb.h>
#include <immintrin.h>
#include <cpuid.h>

/* ---------- keys ---------- */
static uint64_t rng = 0x9e3779b97f4a7c15ull;
static uint64_t rnd(void) { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; return rng; }

void subs_init(struct sub *s, int n, int base_port) {
  rng = 0x9e3779b97f4a7c15ull;
  memset(s, 0, n * sizeof *s);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++) s[i].mkey[k] = rnd() >> 11;
    for (int k = 0; k < 14; k++) s[i].msalt[k] = rnd() >> 11;
    s[i].ssrc = rnd() >> 7;
    s[i].ts_off = rnd() >> 9;
    s[i].idx_off = rnd() % 256;
    s[i].fd = -1;
    s[i].to.sin_family = AF_INET;
    s[i].to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s[i].to.sin_port = htons(base_port + i);
  }
}

void kdf(const uint8_t mkey[16], const uint8_t *msalt, int saltlen, int label, uint8_t *out, int len) {
  uint8_t iv[16] = {0}, zero[64] = {0}; int l;
  memcpy(iv, msalt, saltlen); iv[7] ^= label;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(c, EVP_aes_128_ctr(), NULL, mkey, iv);
  EVP_EncryptUpdate(c, out, &l, zero, len);
  EVP_CIPHER_CTX_free(c);
}
struct session { uint8_t ek[16], ak[20], salt[16]; };
static void session_keys(const struct sub *s, enum cipher c, struct session *o) {
  int sl = c == GCM ? 12 : 14;
  memset(o, 0, sizeof *o);
  kdf(s->mkey, s->msalt, sl, 0, o->ek, 16);
  if (c == CM) kdf(s->mkey, s->msalt, sl, 1, o->ak, 20);
  kdf(s->mkey, s->msalt, sl, 2, o->salt, sl);
}
// AES-CM: (salt << 16) ^ (ssrc << 64) ^ (index << 16)
static inline void iv_cm(uint8_t iv[16], const uint8_t salt[16], uint32_t ssrc, uint64_t ix) {
  uint64_t hi, lo; memcpy(&hi, salt, 8); memcpy(&lo, salt + 8, 8);
  hi ^= (uint64_t)htonl(ssrc) << 32;
  lo ^= __builtin_bswap64(ix << 16);
  memcpy(iv, &hi, 8); memcpy(iv + 8, &lo, 8);
}
// GCM: (0,0 | ssrc | roc | seq) ^ salt
static inline void iv_gcm(uint8_t iv[12], const uint8_t salt[12], uint32_t ssrc, uint64_t ix) {
  uint8_t t[12] = {0};
  put32(t + 2, ssrc); put32(t + 6, ix >> 16); put16(t + 10, ix);
  for (int i = 0; i < 12; i++) iv[i] = t[i] ^ salt[i];
}

void rtp_fill(uint8_t *p, int payload, uint64_t index) {
  p[0] = 0x80; p[1] = 96; put16(p + 2, index); put32(p + 4, index * 3000); put32(p + 8, 0x11223344);
  for (int i = 0; i < payload; i++) p[RTP_HDR + i] = (uint8_t)(i * 7 + index);
}

/* ---------- no crypto ---------- */
static void copy_run(struct backend *b, const struct sub *s, struct pjob *j, int n) {
  (void)b;
  for (int i = 0; i < n; i++, j++) {
    memcpy(j->dst + RTP_HDR, j->src + RTP_HDR, j->len - RTP_HDR);
    rewrite(&s[j->sub], j);
    memset(j->dst + j->len, 0, b->tag);
  }
}
static struct backend *be_new(const char *name, enum cipher c) {
  struct backend *b = calloc(1, sizeof *b);
  b->name = name; b->cipher = c; b->tag = c == CM ? TAG_CM : TAG_GCM; b->batch = 1;
  return b;
}
struct backend *be_copy(enum cipher c, const struct sub *s, int n) {
  (void)s; (void)n;
  struct backend *b = be_new("copy", c); b->run = copy_run; return b;
}

/* ---------- libsrtp2, whichever build ---------- */
struct lib { srtp_err_status_t (*protect)(srtp_t, void *, int *); srtp_t *t; };
static void lib_run(struct backend *b, const struct sub *s, struct pjob *j, int n) {
  struct lib *l = b->priv;
  for (int i = 0; i < n; i++, j++) {
    memcpy(j->dst + RTP_HDR, j->src + RTP_HDR, j->len - RTP_HDR);   // srtp_protect works in place only
    rewrite(&s[j->sub], j);
    int len = j->len;
    srtp_err_status_t e = l->protect(l->t[j->sub], j->dst, &len);
    if (e) DIE("srtp_protect: %d", e);
  }
}
struct backend *be_libsrtp(const char *so, enum cipher c, const struct sub *s, int n) {
  void *h = dlmopen(LM_ID_BASE, so, RTLD_NOW | RTLD_LOCAL);
  if (!h) DIE("%s", dlerror());
  srtp_err_status_t (*init)(void) = dlsym(h, "srtp_init");
  srtp_err_status_t (*create)(srtp_t *, const srtp_policy_t *) = dlsym(h, "srtp_create");
  void (*pol)(srtp_crypto_policy_t *) = dlsym(h, c == CM ? "srtp_crypto_policy_set_rtp_default"
                                                        : "srtp_crypto_policy_set_aes_gcm_128_16_auth");
  struct lib *l = calloc(1, sizeof *l);
  l->protect = dlsym(h, "srtp_protect");
  l->t = calloc(n, sizeof *l->t);
  static int up[2]; int *done = &up[!strcmp(so, LIB_NSS)];      // srtp_init fails when called a second time
  if (!*done && init()) DIE("srtp_init %s", so);
  *done = 1;
  for (int i = 0; i < n; i++) {
    uint8_t key[32] = {0};
    memcpy(key, s[i].mkey, 16); memcpy(key + 16, s[i].msalt, c == CM ? 14 : 12);
    srtp_policy_t p = {0};
    pol(&p.rtp); pol(&p.rtcp);
    p.ssrc.type = ssrc_specific; p.ssrc.value = s[i].ssrc; p.key = key; p.window_size = 1024; p.allow_repeat_tx = 1;
    srtp_err_status_t e = create(&l->t[i], &p);
    if (e) DIE("srtp_create %s: %d", so, e);
  }
  struct backend *b = be_new(!strcmp(so, LIB_NSS) ? "libsrtp-nss" : "libsrtp-openssl", c);
  b->run = lib_run; b->priv = l; return b;
}

/* ---------- OpenSSL by hand ---------- */
struct evp1 { EVP_CIPHER_CTX *c; SHA_CTX in, out; uint8_t salt[16]; };
static void evp_cm_run(struct backend *b, const struct sub *s, struct pjob *j, int n) {
  struct evp1 *e = b->priv;
  for (int i = 0; i < n; i++, j++) {
    struct evp1 *x = &e[j->sub]; int l; uint8_t iv[16], d[20];
    uint64_t ix = rewrite(&s[j->sub], j);
    iv_cm(iv, x->salt, s[j->sub].ssrc, ix);
    EVP_EncryptInit_ex(x->c, NULL, NULL, NULL, iv);
    EVP_EncryptUpdate(x->c, j->dst + RTP_HDR, &l, j->src + RTP_HDR, j->len - RTP_HDR);
    put32(j->dst + j->len, ix >> 16);                       // ROC, where the tag will go
    SHA_CTX h = x->in;
    SHA1_Update(&h, j->dst, j->len + 4); SHA1_Final(d, &h);
    h = x->out;
    SHA1_Update(&h, d, 20); SHA1_Final(d, &h);
    memcpy(j->dst + j->len, d, TAG_CM);
  }
}
static void evp_gcm_run(struct backend *b, const struct sub *s, struct pjob *j, int n) {
  struct evp1 *e = b->priv;
  for (int i = 0; i < n; i++, j++) {
    struct evp1 *x = &e[j->sub]; int l; uint8_t iv[12];
    uint64_t ix = rewrite(&s[j->sub], j);
    iv_gcm(iv, x->salt, s[j->sub].ssrc, ix);
    EVP_EncryptInit_ex(x->c, NULL, NULL, NULL, iv);
    EVP_EncryptUpdate(x->c, NULL, &l, j->dst, RTP_HDR);
    EVP_EncryptUpdate(x->c, j->dst + RTP_HDR, &l, j->src + RTP_HDR, j->len - RTP_HDR);
    EVP_EncryptFinal_ex(x->c, j->dst + j->len, &l);
    EVP_CIPHER_CTX_ctrl(x->c, EVP_CTRL_AEAD_GET_TAG, TAG_GCM, j->dst + j->len);
  }
}
struct backend *be_evp(enum cipher c, const struct sub *s, int n) {
  struct backend *b = be_new("evp", c);
  struct evp1 *e = calloc(n, sizeof *e);
  for (int i = 0; i < n; i++) {
    struct session k; session_keys(&s[i], c, &k);
    memcpy(e[i].salt, k.salt, 16);
    e[i].c = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(e[i].c, c == CM ? EVP_aes_128_ctr() : EVP_aes_128_gcm(), NULL, k.ek, NULL);
    if (c == CM) {
      uint8_t pad[64];
      for (int q = 0; q < 64; q++) pad[q] = (q < 20 ? k.ak[q] : 0) ^ 0x36;
      SHA1_Init(&e[i].in); SHA1_Update(&e[i].in, pad, 64);
      for (int q = 0; q < 64; q++) pad[q] ^= 0x36 ^ 0x5c;
      SHA1_Init(&e[i].out); SHA1_Update(&e[i].out, pad, 64);
    }
  }
  b->priv = e; b->run = c == CM ? evp_cm_run : evp_gcm_run; return b;
}

/* ---------- Intel multi-buffer ---------- */
struct imb1 {
  union { uint32_t enc[4 * 15]; struct gcm_key_data g; } k __attribute__((aligned(64)));
  uint8_t ipad[32], opad[32], salt[16];
};
#define IMB_MAXB IMB_MAX
struct imb {
  IMB_MGR *m; struct imb1 *k;
  uint8_t iv[IMB_MAXB][16] __attribute__((aligned(64)));
  uint8_t tag[IMB_MAXB][32];
  IMB_JOB jobs[IMB_MAXB];
};
static inline void imb_fill_cm(struct imb *x, const struct sub *s, const struct pjob *p, IMB_JOB *j, int slot) {
  struct imb1 *k = &x->k[p->sub];
  uint64_t ix = rewrite(&s[p->sub], p);
  iv_cm(x->iv[slot], k->salt, s[p->sub].ssrc, ix);
  put32(p->dst + p->len, ix >> 16);
  j->enc_keys = k->k.enc; j->dec_keys = k->k.enc; j->key_len_in_bytes = 16;
  j->src = p->src; j->dst = p->dst + RTP_HDR;
  j->cipher_start_src_offset_in_bytes = RTP_HDR;
  j->msg_len_to_cipher_in_bytes = p->len - RTP_HDR;
  // The hash offset is relative to src even for an out-of-place cipher: reach dst by pointer difference.
  j->hash_start_src_offset_in_bytes = (uint64_t)((uintptr_t)p->dst - (uintptr_t)p->src);
  j->msg_len_to_hash_in_bytes = p->len + 4;
  j->iv = x->iv[slot]; j->iv_len_in_bytes = 16;
  j->auth_tag_output = x->tag[slot]; j->auth_tag_output_len_in_bytes = 12;
  j->u.HMAC._hashed_auth_key_xor_ipad = k->ipad; j->u.HMAC._hashed_auth_key_xor_opad = k->opad;
  j->cipher_mode = IMB_CIPHER_CNTR; j->cipher_direction = IMB_DIR_ENCRYPT;
  j->hash_alg = IMB_AUTH_HMAC_SHA_1; j->chain_order = IMB_ORDER_CIPHER_HASH;
}
static inline void imb_fill_gcm(struct imb *x, const struct sub *s, const struct pjob *p, IMB_JOB *j, int slot) {
  struct imb1 *k = &x->k[p->sub];
  uint64_t ix = rewrite(&s[p->sub], p);
  iv_gcm(x->iv[slot], k->salt, s[p->sub].ssrc, ix);
  j->enc_keys = &k->k.g; j->dec_keys = &k->k.g; j->key_len_in_bytes = 16;
  j->src = p->src; j->dst = p->dst + RTP_HDR;
  j->cipher_start_src_offset_in_bytes = RTP_HDR; j->msg_len_to_cipher_in_bytes = p->len - RTP_HDR;
  j->hash_start_src_offset_in_bytes = RTP_HDR; j->msg_len_to_hash_in_bytes = p->len - RTP_HDR;
  j->iv = x->iv[slot]; j->iv_len_in_bytes = 12;
  j->auth_tag_output = p->dst + p->len; j->auth_tag_output_len_in_bytes = 16;
  j->u.GCM.aad = p->dst; j->u.GCM.aad_len_in_bytes = RTP_HDR;
  j->cipher_mode = IMB_CIPHER_GCM; j->cipher_direction = IMB_DIR_ENCRYPT;
  j->hash_alg = IMB_AUTH_AES_GMAC; j->chain_order = IMB_ORDER_CIPHER_HASH;
}
static void imb_tags(struct imb *x, struct pjob *p, int n) {
  for (int i = 0; i < n; i++) memcpy(p[i].dst + p[i].len, x->tag[i], TAG_CM);
}
static void imb_job_run(struct backend *b, const struct sub *s, struct pjob *p, int n) {
  struct imb *x = b->priv;
  for (int o = 0; o < n; o += b->batch) {
    int m = n - o < b->batch ? n - o : b->batch, done = 0;
    for (int i = 0; i < m; i++) {
      IMB_JOB *j = IMB_GET_NEXT_JOB(x->m);
      if (b->cipher == CM) imb_fill_cm(x, s, &p[o + i], j, i); else imb_fill_gcm(x, s, &p[o + i], j, i);
      j = IMB_SUBMIT_JOB_NOCHECK(x->m);
      while (j) { if (j->status != IMB_STATUS_COMPLETED) DIE("imb status %d", j->status); done++; j = IMB_GET_COMPLETED_JOB(x->m); }
    }
    while (IMB_FLUSH_JOB(x->m)) done++;
    if (done != m) DIE("imb: %d of %d", done, m);
    if (b->cipher == CM) imb_tags(x, p + o, m);
  }
}
static void imb_burst_run(struct backend *b, const struct sub *s, struct pjob *p, int n) {
  struct imb *x = b->priv; IMB_JOB *v[IMB_MAXB];
  for (int o = 0; o < n; o += b->batch) {
    int m = n - o < b->batch ? n - o : b->batch;
    if ((int)IMB_GET_NEXT_BURST(x->m, m, v) != m) DIE("imb next burst");
    for (int i = 0; i < m; i++)
      if (b->cipher == CM) imb_fill_cm(x, s, &p[o + i], v[i], i); else imb_fill_gcm(x, s, &p[o + i], v[i], i);
    int done = IMB_SUBMIT_BURST_NOCHECK(x->m, m, v), k;
    while (done < m && (k = IMB_FLUSH_BURST(x->m, m - done, v)) > 0) done += k;
    if (done != m) DIE("imb burst: %d of %d", done, m);
    if (b->cipher == CM) imb_tags(x, p + o, m);
  }
}
static void imb_split_run(struct backend *b, const struct sub *s, struct pjob *p, int n) {   // cipher burst, then hash burst
  struct imb *x = b->priv;
  for (int o = 0; o < n; o += b->batch) {
    int m = n - o < b->batch ? n - o : b->batch;
    for (int i = 0; i < m; i++) imb_fill_cm(x, s, &p[o + i], &x->jobs[i], i);
    if ((int)IMB_SUBMIT_CIPHER_BURST_NOCHECK(x->m, x->jobs, m, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, IMB_KEY_128_BYTES) != m) DIE("imb cipher burst");
    if ((int)IMB_SUBMIT_HASH_BURST_NOCHECK(x->m, x->jobs, m, IMB_AUTH_HMAC_SHA_1) != m) DIE("imb hash burst");
    imb_tags(x, p + o, m);
  }
}
static void imb_direct_run(struct backend *b, const struct sub *s, struct pjob *p, int n) {
  struct imb *x = b->priv;
  struct gcm_context_data ctx;
  for (int i = 0; i < n; i++, p++) {
    struct imb1 *k = &x->k[p->sub]; uint8_t iv[16];
    uint64_t ix = rewrite(&s[p->sub], p);
    iv_gcm(iv, k->salt, s[p->sub].ssrc, ix);
    IMB_AES128_GCM_ENC(x->m, &k->k.g, &ctx, p->dst + RTP_HDR, p->src + RTP_HDR, p->len - RTP_HDR, iv, p->dst, RTP_HDR, p->dst + p->len, TAG_GCM);
  }
}
struct backend *be_imb(enum cipher c, enum imb_api api, int batch, const struct sub *s, int n) {
  static const char *names[] = {"imb-job", "imb-burst", "imb-split", "imb-direct"};
  struct backend *b = be_new(names[api], c);
  struct imb *x = aligned_alloc(64, (sizeof *x + 63) & ~63ul);
  memset(x, 0, sizeof *x);
  x->m = alloc_mb_mgr(0); IMB_ARCH arch; init_mb_mgr_auto(x->m, &arch);
  const char *force = getenv("IMB_ARCH");
  if (force && !strcmp(force, "sse")) init_mb_mgr_sse(x->m);
  if (force && !strcmp(force, "avx2")) init_mb_mgr_avx2(x->m);
  x->k = aligned_alloc(64, n * sizeof *x->k);
  uint8_t dec[16 * 15] __attribute__((aligned(16)));
  for (int i = 0; i < n; i++) {
    struct session k; session_keys(&s[i], c, &k);
    memcpy(x->k[i].salt, k.salt, 16);
    if (c == GCM) { IMB_AES128_GCM_PRE(x->m, k.ek, &x->k[i].k.g); continue; }
    IMB_AES_KEYEXP_128(x->m, k.ek, x->k[i].k.enc, dec);
    uint8_t pad[64];
    for (int q = 0; q < 64; q++) pad[q] = (q < 20 ? k.ak[q] : 0) ^ 0x36;
    IMB_SHA1_ONE_BLOCK(x->m, pad, x->k[i].ipad);
    for (int q = 0; q < 64; q++) pad[q] ^= 0x36 ^ 0x5c;
    IMB_SHA1_ONE_BLOCK(x->m, pad, x->k[i].opad);
  }
  b->priv = x; b->batch = batch > IMB_MAXB ? IMB_MAXB : batch;
  b->run = api == IMB_JOB_API ? imb_job_run : api == IMB_BURST_API ? imb_burst_run : api == IMB_SPLIT_API ? imb_split_run : imb_direct_run;
  return b;
}

static int cpuid_sha(void) { unsigned a, b, c, d; return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1); }

/* ---------- the ingress half ---------- */
struct unprotect { enum cipher c; srtp_err_status_t (*un)(srtp_t, void *, int *); srtp_t t; struct backend *b; uint32_t ssrc; };
struct unprotect *un_new(const char *kind, enum cipher c, const struct sub *s) {
  struct unprotect *u = calloc(1, sizeof *u); u->c = c; u->ssrc = s->ssrc;
  if (!strcmp(kind, "imb")) { u->b = be_imb(c, c == CM ? IMB_BURST_API : IMB_DIRECT, 64, s, 1); return u; }
  struct backend *b = be_libsrtp(kind, c, s, 1); struct lib *l = b->priv;
  u->t = l->t[0]; u->un = dlsym(dlopen(kind, RTLD_NOW), "srtp_unprotect");
  return u;
}
void un_run(struct unprotect *u, uint8_t **pkt, int *len, const uint64_t *index, int n) {
  if (u->t) { for (int i = 0; i < n; i++) { srtp_err_status_t e = u->un(u->t, pkt[i], &len[i]); if (e) DIE("srtp_unprotect: %d", e); } return; }
  struct imb *x = u->b->priv; struct imb1 *k = x->k; struct gcm_context_data ctx; uint8_t iv[16], tag[16], theirs[64][TAG_CM]; IMB_JOB *v[64];
  if (u->c == GCM) {
    for (int i = 0; i < n; i++) {
      int pl = len[i] - RTP_HDR - TAG_GCM;
      iv_gcm(iv, k->salt, u->ssrc, index[i]);
      IMB_AES128_GCM_DEC(x->m, &k->k.g, &ctx, pkt[i] + RTP_HDR, pkt[i] + RTP_HDR, pl, iv, pkt[i], RTP_HDR, tag, TAG_GCM);
      if (memcmp(tag, pkt[i] + RTP_HDR + pl, TAG_GCM)) DIE("gcm tag");
      len[i] -= TAG_GCM;
    }
    return;
  }
  if ((int)IMB_GET_NEXT_BURST(x->m, n, v) != n) DIE("imb next burst");
  for (int i = 0; i < n; i++) {
    struct sub s = {.ssrc = u->ssrc};
    len[i] -= TAG_CM;
    struct pjob p = {.sub = 0, .len = len[i], .index = index[i], .src = pkt[i], .dst = pkt[i]};
    memcpy(theirs[i], pkt[i] + len[i], TAG_CM);
    uint8_t ts[4]; memcpy(ts, pkt[i] + 4, 4);              // imb_fill_cm rewrites the header to itself: same index, same SSRC, no offsets
    imb_fill_cm(x, &s, &p, v[i], i);
    memcpy(pkt[i] + 4, ts, 4);
    v[i]->cipher_direction = IMB_DIR_DECRYPT; v[i]->chain_order = IMB_ORDER_HASH_CIPHER;
  }
  int done = IMB_SUBMIT_BURST_NOCHECK(x->m, n, v), q;
  while (done < n && (q = IMB_FLUSH_BURST(x->m, n - done, v)) > 0) done += q;
  if (done != n) DIE("imb burst");
  for (int i = 0; i < n; i++) if (memcmp(theirs[i], x->tag[i], TAG_CM)) DIE("cm tag");
}

int cpu_has_vaes_sha(void) { return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("vaes") && cpuid_sha(); }
struct backend *be_by_name(const char *name, enum cipher c, int batch, const struct sub *s, int n) {
  if (!strcmp(name, "copy")) return be_copy(c, s, n);
  if (!strcmp(name, "libsrtp-nss")) return be_libsrtp(LIB_NSS, c, s, n);
  if (!strcmp(name, "libsrtp-openssl")) return be_libsrtp(LIB_OSSL, c, s, n);
  if (!strcmp(name, "evp")) return be_evp(c, s, n);
  if ((!strcmp(name, "shani") || !strcmp(name, "avx512")) && !cpu_has_vaes_sha()) DIE("%s needs AVX-512, VAES and SHA extensions, which this CPU lacks", name);
  if (!strcmp(name, "shani") && c == CM) return be_shani(s, n);
  if (!strcmp(name, "avx512") && c == CM) return be_avx512(s, n);
  if (!strcmp(name, "imb-job")) return be_imb(c, IMB_JOB_API, batch, s, n);
  if (!strcmp(name, "imb-burst")) return be_imb(c, IMB_BURST_API, batch, s, n);
  if (!strcmp(name, "imb-split") && c == CM) return be_imb(c, IMB_SPLIT_API, batch, s, n);
  if (!strcmp(name, "imb-direct") && c == GCM) return be_imb(c, IMB_DIRECT, batch, s, n);
  DIE("no back-end %s for this cipher", name);
}

int cmp_d(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }
double median(double *v, int n) {
  double t[n]; memcpy(t, v, n * sizeof *v); qsort(t, n, sizeof *t, cmp_d);
  return n & 1 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}
double minimum(const double *v, int n) { double m = v[0]; for (int i = 1; i < n; i++) if (v[i] < m) m = v[i]; return m; }
