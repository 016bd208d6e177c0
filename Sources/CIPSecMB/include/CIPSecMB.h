// Wrapper of the part of Intel's multi-buffer library that the fan-out uses. The library's API consists of macros over function pointers in
// the manager, which Swift cannot call, so each macro in use has an inline function here. Empty on anything but x86-64.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define NO_COMPAT_IMB_API_053  // otherwise the header defines GCM, CBC, SHA1, …
#include <intel-ipsec-mb.h>
#endif

/// Returns 1 if the library has a multi-buffer implementation for this CPU, else 0.
static inline int millrace_imb_available(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#else
    return 0;
#endif
}

#if defined(__x86_64__)

/// Returns a manager that uses the widest instructions of this CPU, or NULL.
static inline IMB_MGR *millrace_imb_new(void) {
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager == NULL) return NULL;
    IMB_ARCH arch = IMB_ARCH_NONE;
    init_mb_mgr_auto(manager, &arch);
    if (arch == IMB_ARCH_NONE || arch == IMB_ARCH_NOAESNI || imb_get_errno(manager) != 0) {
        free_mb_mgr(manager);
        return NULL;
    }
    return manager;
}

static inline void millrace_imb_free(IMB_MGR *manager) { free_mb_mgr(manager); }

/// Expands a key to the round keys of AES-128; `encrypt` and `decrypt` need 176 bytes each, 16-byte aligned.
static inline void millrace_imb_expand_key(IMB_MGR *manager, const void *key, void *encrypt, void *decrypt) {
    IMB_AES_KEYEXP_128(manager, key, encrypt, decrypt);
}

static inline void millrace_imb_gcm_prepare(IMB_MGR *manager, const void *key, struct gcm_key_data *prepared) {
    IMB_AES128_GCM_PRE(manager, key, prepared);
}

static inline void millrace_imb_gcm_encrypt(
    IMB_MGR *manager, const struct gcm_key_data *key, struct gcm_context_data *scratch, uint8_t *destination,
    const uint8_t *source, uint64_t length, const uint8_t *iv, const uint8_t *aad, uint64_t aad_length, uint8_t *tag) {
    IMB_AES128_GCM_ENC(manager, key, scratch, destination, source, length, iv, aad, aad_length, tag, 16);
}

static inline void millrace_imb_gcm_decrypt(
    IMB_MGR *manager, const struct gcm_key_data *key, struct gcm_context_data *scratch, uint8_t *destination,
    const uint8_t *source, uint64_t length, const uint8_t *iv, const uint8_t *aad, uint64_t aad_length, uint8_t *tag) {
    IMB_AES128_GCM_DEC(manager, key, scratch, destination, source, length, iv, aad, aad_length, tag, 16);
}

/// Sets the constant fields of a slot of the AES-CTR + HMAC-SHA1 job array. `iv` has 16 bytes, and 12 bytes of `tag` are written.
static inline void millrace_imb_cm_slot(IMB_JOB *job, const uint8_t *iv, uint8_t *tag) {
    job->key_len_in_bytes = 16;
    job->cipher_start_src_offset_in_bytes = 0;
    job->iv = iv;
    job->iv_len_in_bytes = 16;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 12;
    job->cipher_mode = IMB_CIPHER_CNTR;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->hash_alg = IMB_AUTH_HMAC_SHA_1;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
}

/// Fills the job of one packet: encrypts `payload_length` bytes from `source` to behind the header at `packet`, then authenticates
/// `hash_length` bytes from `packet` on.
static inline void millrace_imb_cm_job(
    IMB_JOB *job, const void *round_keys, const void *inner, const void *outer, const uint8_t *source, uint8_t *packet,
    uint32_t header_length, uint32_t payload_length, uint32_t hash_length) {
    job->enc_keys = round_keys;
    job->dec_keys = round_keys;
    job->src = source;
    job->dst = packet + header_length;
    job->msg_len_to_cipher_in_bytes = payload_length;
    // The library counts this offset from the source, even if the cipher is not in place. The difference of the addresses leads to the
    // packet.
    job->hash_start_src_offset_in_bytes = (uint64_t)((uintptr_t)packet - (uintptr_t)source);
    job->msg_len_to_hash_in_bytes = hash_length;
    job->u.HMAC._hashed_auth_key_xor_ipad = (const uint8_t *)inner;
    job->u.HMAC._hashed_auth_key_xor_opad = (const uint8_t *)outer;
}

/// Encrypts, then authenticates `count` (at most IMB_MAX_BURST_SIZE) filled jobs. Returns how many completed.
static inline uint32_t millrace_imb_cm_run(IMB_MGR *manager, IMB_JOB *jobs, uint32_t count) {
    IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager, jobs, count, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, IMB_KEY_128_BYTES);
    return IMB_SUBMIT_HASH_BURST_NOCHECK(manager, jobs, count, IMB_AUTH_HMAC_SHA_1);
}

#endif
