#pragma once
// OpenSSL 3.0 marks SHA1_Init and its kin deprecated, yet only they resume a pre-keyed HMAC state without an allocation a packet.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Macros with arguments, which Swift does not see.
static const uint64_t millrace_ssl_options =
    SSL_OP_NO_QUERY_MTU | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t millrace_tls_options =
    SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE;
static inline int millrace_err_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int millrace_err_is_system(unsigned long code) { return ERR_SYSTEM_ERROR(code); }
