#pragma once
// OpenSSL 3.0 marks SHA1_Init and its kin deprecated, yet only they resume a pre-keyed HMAC state without an allocation a packet.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
