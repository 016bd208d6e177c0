// Hybrid public key encryption (RFC 9180) in the mode auth: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, over WebCrypto.

const text = new TextEncoder();
const VERSION = text.encode("HPKE-v1"), KEM = joined(text.encode("KEM"), [0, 0x20]), SUITE = joined(text.encode("HPKE"), [0, 0x20, 0, 1, 0, 1]);
const EMPTY = new Uint8Array();
/// Bytes of an encapsulated key.
export const ENCAPSULATED = 32;

export function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

/// A key pair: `{privateKey, publicKey}`, of which `publicKey` has 32 bytes. The private key cannot be read.
export async function makeKeyPair() {
  const {privateKey, publicKey} = await crypto.subtle.generateKey({name: "X25519"}, false, ["deriveBits"]);
  return {privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))};
}

/// Fails for a public key whose shared secret is zero.
async function sharedSecret(privateKey, publicKey) {
  const peer = await crypto.subtle.importKey("raw", publicKey, {name: "X25519"}, false, []);
  const secret = new Uint8Array(await crypto.subtle.deriveBits({name: "X25519", public: peer}, privateKey, 256));
  if (secret.every(byte => byte === 0)) throw new Error("a public key is a point of low order");
  return secret;
}

async function hmac(key, data) {
  // HMAC pads keys with zeros, and WebCrypto takes no empty one.
  const imported = await crypto.subtle.importKey("raw", key.length ? key : new Uint8Array(32), {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

const extract = (suite, salt, label, key) => hmac(salt, joined(VERSION, suite, text.encode(label), key));

/// At most 32 bytes: one block of HKDF.
async function expand(suite, secret, label, info, count) {
  return (await hmac(secret, joined([0, count], VERSION, suite, text.encode(label), info, [1]))).subarray(0, count);
}

/// Key and nonce of the first message (RFC 9180 sections 4.1 and 5.1).
async function context(secrets, keys, info, usage) {
  const shared = await expand(KEM, await extract(KEM, EMPTY, "eae_prk", secrets), "shared_secret", keys, 32);
  const bound = joined([2], await extract(SUITE, EMPTY, "psk_id_hash", EMPTY), await extract(SUITE, EMPTY, "info_hash", info));
  const secret = await extract(SUITE, shared, "secret", EMPTY);
  const key = await expand(SUITE, secret, "key", bound, 16);
  return {key: await crypto.subtle.importKey("raw", key, "AES-GCM", false, [usage]), iv: await expand(SUITE, secret, "base_nonce", bound, 12)};
}

/// Seals one message from the holder of `own`, a key pair, to the holder of a public key: encapsulated key, then ciphertext.
export async function seal(plain, receiver, own, info, additionalData) {
  const ephemeral = await makeKeyPair();
  const secrets = joined(await sharedSecret(ephemeral.privateKey, receiver), await sharedSecret(own.privateKey, receiver));
  const {key, iv} = await context(secrets, joined(ephemeral.publicKey, receiver, own.publicKey), info, "encrypt");
  return joined(ephemeral.publicKey, new Uint8Array(await crypto.subtle.encrypt({name: "AES-GCM", iv, additionalData}, key, plain)));
}

/// Opens what `seal` returned; fails for a message of another sender, receiver or context.
export async function open(sealed, own, sender, info, additionalData) {
  const encapsulated = sealed.subarray(0, ENCAPSULATED);
  const secrets = joined(await sharedSecret(own.privateKey, encapsulated), await sharedSecret(own.privateKey, sender));
  const {key, iv} = await context(secrets, joined(encapsulated, own.publicKey, sender), info, "decrypt");
  return new Uint8Array(await crypto.subtle.decrypt({name: "AES-GCM", iv, additionalData}, key, sealed.subarray(ENCAPSULATED)));
}
