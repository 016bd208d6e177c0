// Worker that encrypts and decrypts encoded frames end to end with SFrame (RFC 9605), cipher suite 4 (AES_128_GCM_SHA256_128).
//
// A frame is sent as its clear prefix, the SFrame header, the ciphertext and a tag of 16 bytes. The relay and depacketizers read the prefix:
// the first 10 bytes of a VP8 key frame, the first 3 of any other VP8 frame, none of Opus.

const SUITE = 4, TAG = 16, LABEL = "millrace-e2ee-1";
const KIND = {audio: 0, video: 1};
/// Limits of what a publisher, or a relay that makes up frames, can have computed or kept: keys, new keys a second, counters per key.
const KEYS = 16, NEW_KEYS = 8, WINDOW = 512;
/// Failed frames in a row that are reported at once; milliseconds without a decrypted frame after which fewer are reported, and after which
/// the video is switched off.
const FAILED_FRAMES = 5, PATIENCE = 1000, VIDEO_PATIENCE = 1500;
/// The same in milliseconds for secrets that participants agree on, which come a moment after a join.
const AGREEMENT_PATIENCE = 3000;

const text = new TextEncoder();
/// Secrets of the session, by epoch: `{bytes, id}`, 32 bytes each with a number of its own; the epoch to encrypt with, or null.
let secrets = new Map(), sealing = null, ids = 0;
/// Participants agree on secrets: missing ones are expected to come.
let isAgreed = false;
/// The secret is being derived: frames are dropped without a report.
let isPending = false;
/// Transforms by id.
const transforms = new Map();

const bytes = (value, count) => Uint8Array.from({length: count}, (_, index) => Number(BigInt(value) >> BigInt(8 * (count - 1 - index)) & 255n));
const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};

async function hkdf(key, salt, info, count) {
  const imported = await crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({name: "HKDF", hash: "SHA-256", salt, info}, imported, count * 8));
}

/// Key and salt of a key id (RFC 9605 section 4.4.2).
async function derive(secret, {session, connection}, keyID, usage) {
  const base = await hkdf(secret, text.encode(session), text.encode(`${LABEL} sender\0${connection}`), 32);
  const label = name => joined(text.encode(`SFrame 1.0 Secret ${name} `), bytes(keyID, 8), bytes(SUITE, 2));
  const key = await hkdf(base, new Uint8Array(), label("key"), 16);
  return {
    key: await crypto.subtle.importKey("raw", key, "AES-GCM", false, [usage]),
    salt: await hkdf(base, new Uint8Array(), label("salt"), 12),
  };
}

function nonce(salt, counter) {
  const value = salt.slice(), counted = bytes(counter, 12);
  for (let index = 0; index < 12; index++) value[index] ^= counted[index];
  return value;
}

/// Bytes of a frame that stay in the clear; null if the frame is shorter.
function prefixLength(kind, frame) {
  if (kind === "audio") return 0;
  const length = frame[0] & 1 ? 3 : 10;
  return frame.length >= length ? length : null;
}

const metadata = (kind, prefix) => joined([1, KIND[kind]], prefix);

/// Header for a key id of 7 bytes (RFC 9605 section 4.3).
function header(keyID, counter) {
  if (counter < 8) return joined([0x80 | 6 << 4 | counter], bytes(keyID, 7));
  const length = Math.max(1, Math.ceil(Math.log2(counter + 1) / 8));
  return joined([0x80 | 6 << 4 | 8 | length - 1], bytes(keyID, 7), bytes(counter, length));
}

/// Reads a header of this application's form; null for any other bytes.
function readHeader(data) {
  if (data.length < 8 || data[0] >> 4 !== 0xe) return null;
  const keyID = data.subarray(1, 8).reduce((value, byte) => value << 8n | BigInt(byte), 0n);
  if (!(data[0] & 8)) return {keyID, counter: data[0] & 7, length: 8};
  const count = (data[0] & 7) + 1;
  if (data.length < 8 + count || count > 6) return null;
  return {keyID, counter: data.subarray(8, 8 + count).reduce((value, byte) => value * 256 + byte, 0), length: 8 + count};
}

class Sealer {
  #state = null; #secret = -1; #keyID = 0n; #counter = 0;

  constructor(options) { this.options = options; }

  async transform(frame) {
    // A frame that cannot be encrypted must not be sent.
    const epoch = sealing, secret = secrets.get(epoch);
    if (!secret) return null;
    if (this.#secret !== secret.id) {
      // A new key id for each secret and each encoder: no counter is used twice under a key.
      const random = crypto.getRandomValues(new Uint8Array(6)).reduce((value, byte) => value << 8n | BigInt(byte), 0n);
      const keyID = BigInt(epoch) << 48n | random;
      this.#state = await derive(secret.bytes, this.options, keyID, "encrypt");
      [this.#keyID, this.#counter, this.#secret] = [keyID, 0, secret.id];
    }
    const data = new Uint8Array(frame), {kind} = this.options, length = prefixLength(kind, data);
    if (length === null) return null;
    const counter = this.#counter++, head = header(this.#keyID, counter), prefix = data.subarray(0, length);
    const sealed = await crypto.subtle.encrypt(
      {name: "AES-GCM", iv: nonce(this.#state.salt, counter), additionalData: joined(head, metadata(kind, prefix)), tagLength: TAG * 8},
      this.#state.key, data.subarray(length));
    return joined(prefix, head, new Uint8Array(sealed)).buffer;
  }
}

class Opener {
  /// `RTCRtpScriptTransformer`.
  transformer = null;

  #keys = new Map(); #derived = {count: 0, since: 0}; #failing = null; #isBroken = false;

  constructor(options) { this.options = options; }

  /// Takes the stream that the section carries from now on. Each offer calls this; for the same stream the counters that were seen are kept, or
  /// the relay could have frames replayed by a new offer.
  configure(options) {
    const before = this.options;
    this.options = {...before, ...options};
    if (["session", "connection", "stream", "isEncrypted"].every(name => before[name] === this.options[name])) return;
    this.#keys.clear();
    this.#failing = null;
  }

  async transform(frame) {
    const {kind, isEncrypted} = this.options;
    if (!isEncrypted) return frame;
    const data = new Uint8Array(frame), result = await this.#open(data);
    if (result instanceof Uint8Array) {
      this.#failing = null;
      if (kind === "audio") return result.buffer;
      // Frames that were dropped are missing at the decoder: it begins with a key frame.
      if (this.#isBroken && result[0] & 1) {
        // The browser asks for one by itself after some time as well.
        this.transformer.sendKeyFrameRequest?.().catch(() => {});
        return null;
      }
      this.#isBroken = false;
      return result.buffer;
    }
    if (kind === "video") this.#isBroken = true;
    if (result) this.#failed(result);
    return null;
  }

  /// The frame, or the reason of the failure; null for a frame that is dropped without a report.
  async #open(data) {
    if (isPending) return null;
    if (!secrets.size) return isAgreed ? "noKeys" : "noSecret";
    const {kind} = this.options, length = prefixLength(kind, data), head = length === null ? null : readHeader(data.subarray(length));
    if (!head || data.length < length + head.length + TAG) return "notEncrypted";
    const secret = secrets.get(Number(head.keyID >> 48n));
    if (!secret) return isAgreed ? "noKeys" : "wrongSecret";
    let entry = this.#keys.get(head.keyID);
    // The secret of the epoch was replaced by another.
    if (entry && entry.secret !== secret.id) entry = null;
    if (entry && (head.counter <= entry.highest - WINDOW || entry.seen.has(head.counter))) return null;
    if (!entry) {
      const now = performance.now();
      if (now - this.#derived.since >= 1000) this.#derived = {count: 0, since: now};
      if (++this.#derived.count > NEW_KEYS) return null;
      entry = {...await derive(secret.bytes, this.options, head.keyID, "decrypt"), secret: secret.id, highest: -1, seen: new Set()};
    }
    const prefix = data.subarray(0, length), body = length + head.length;
    let opened;
    try {
      opened = new Uint8Array(await crypto.subtle.decrypt(
        {name: "AES-GCM", iv: nonce(entry.salt, head.counter), tagLength: TAG * 8,
         additionalData: joined(data.subarray(length, body), metadata(kind, prefix))}, entry.key, data.subarray(body)));
    } catch {
      return "wrongSecret";
    }
    // Nothing is kept for a frame that does not authenticate.
    this.#note(head, entry);
    return joined(prefix, opened);
  }

  #note({keyID, counter}, entry) {
    this.#keys.delete(keyID);
    this.#keys.set(keyID, entry);
    if (this.#keys.size > KEYS) this.#keys.delete(this.#keys.keys().next().value);
    entry.seen.add(counter);
    entry.highest = Math.max(entry.highest, counter);
    if (entry.seen.size > 2 * WINDOW) for (const old of entry.seen) if (old <= entry.highest - WINDOW) entry.seen.delete(old);
  }

  #failed(reason) {
    const now = performance.now(), failing = this.#failing ??= {count: 0, since: now, reported: null, isStopped: false};
    failing.count++;
    const isExpected = reason === "noKeys", patience = isExpected ? AGREEMENT_PATIENCE : PATIENCE;
    if (failing.reported !== reason && (failing.count >= FAILED_FRAMES && !isExpected || now - failing.since >= patience)) {
      failing.reported = reason;
      this.#tell({failure: reason});
    } else if (this.options.kind === "video" && !failing.isStopped && failing.reported && now - failing.since >= VIDEO_PATIENCE) {
      failing.isStopped = true;
      this.#tell({isStopped: true});
    }
  }

  #tell(news) { postMessage({id: this.options.id, stream: this.options.stream, ...news}); }
}

function begin(transformer) {
  const {readable, writable, options} = transformer;
  const transform = options.operation === "seal" ? new Sealer(options) : new Opener(options);
  transform.transformer = transformer;
  transforms.set(options.id, transform);
  const frames = new TransformStream({
    async transform(frame, controller) {
      // A browser sends frames without data to keep timing; there is nothing to encrypt in them.
      if (frame.data.byteLength) {
        const data = await transform.transform(frame.data).catch(() => null);
        if (!data) return;
        frame.data = data;
      }
      controller.enqueue(frame);
    },
  });
  readable.pipeThrough(frames).pipeTo(writable).catch(() => {}).finally(() => transforms.delete(options.id));
}

self.onrtctransform = ({transformer}) => begin(transformer);

self.onmessage = ({data}) => {
  if ("isPending" in data) {
    isPending = data.isPending;
  } else if ("epochs" in data) {
    // A secret that stays keeps its number, so that encoders keep their keys and the counters that were seen are not forgotten.
    const before = secrets;
    secrets = new Map(data.epochs.map(({epoch, secret}) => {
      const known = before.get(epoch), isKnown = known?.bytes.every((byte, index) => byte === secret[index]);
      return [epoch, isKnown ? known : {bytes: secret, id: ++ids}];
    }));
    ({sealing, isAgreed} = data);
    isPending = false;
  } else {
    transforms.get(data.id)?.configure?.(data);
  }
};
