// End-to-end encryption of encoded frames: the secrets, and the transforms of senders and receivers. The frames themselves are in transform.js.

import {KeyAgreement} from "./keyagreement.js";

const LABEL = "millrace-e2ee-1", ITERATIONS = 600_000, WORKER = "/page/client/transform.js";

/// The worker's URL as the page's content security policy requires it: the policy `millrace` allows no other.
let policy = null;
function trustedURL() {
  policy ??= globalThis.trustedTypes?.createPolicy("millrace", {createScriptURL: () => WORKER});
  return policy?.createScriptURL("") ?? WORKER;
}

/// Emits `failed` if frames of a stream cannot be decrypted, `detail` `{stream, reason}`, reason `wrongSecret`, `notEncrypted`,
/// `noSecret` or `noKeys`;
/// `stopped` if nothing of a stream's video can be decrypted for 1.5 s, `detail` the stream's id; `agreed` if participants have agreed on other
/// keys; `disagreed` if they do not agree, `detail` the reason, see `KeyAgreement`.
export class Encryption extends EventTarget {
  /// Whether a secret is set, so that streams are published encrypted.
  isOn = false;

  /// Stream id -> reason that was emitted last: audio and video of a stream fail for the same one.
  #told = new Map();
  #worker = null; #ids = 0; #receivers = new WeakMap(); #identity = null; #agreement = null;

  /// Whether this browser can encrypt and decrypt frames.
  static get isSupported() { return typeof RTCRtpScriptTransform === "function" && !!globalThis.crypto?.subtle; }

  /// Takes the passphrase of a session; about 0.3 s.
  async setPassphrase(passphrase, sessionName) {
    const text = new TextEncoder();
    this.#start().postMessage({isPending: true});
    const key = await crypto.subtle.importKey("raw", text.encode(passphrase), "PBKDF2", false, ["deriveBits"]);
    const salt = text.encode(LABEL + sessionName.toLowerCase());
    const secret = await crypto.subtle.deriveBits({name: "PBKDF2", hash: "SHA-256", salt, iterations: ITERATIONS}, key, 256);
    this.#start().postMessage({epochs: [{epoch: 1, secret: new Uint8Array(secret)}], sealing: 1, isAgreed: false});
    this.#told.clear();
    this.isOn = true;
  }

  /// Makes the key pair of the next join, for keys that participants agree on.
  /// Returns the public key.
  async makeKey() {
    try {
      this.#identity = await KeyAgreement.makeIdentity();
    } catch {
      throw new Error("This browser has no X25519, with which participants agree on keys. Use a passphrase, or a current browser.");
    }
    return this.#identity.key;
  }

  /// Begins the agreement on keys for the connection whose join sent the key of `makeKey`. `send(data, to)`: sends a signal.
  agree(options) {
    this.#agreement?.close();
    this.isOn = true;
    this.#start().postMessage({epochs: [], sealing: null, isAgreed: true});
    const agreement = this.#agreement = new KeyAgreement(this.#identity, options);
    agreement.addEventListener("keys", ({detail: {epochs, sealing}}) => {
      if (this.#agreement !== agreement) return;
      this.#start().postMessage({epochs, sealing, isAgreed: true});
      this.#told.clear();
      this.#emit("agreed");
    });
    agreement.addEventListener("failed", ({detail}) => this.#emit("disagreed", detail));
  }

  /// The agreement on keys; null if a passphrase is used, or nothing is encrypted.
  get agreement() { return this.#agreement; }

  /// Encrypts what a sender sends from its first frame on. `kind`: audio or video.
  seal(sender, kind, {session, connection}) {
    sender.transform = new RTCRtpScriptTransform(this.#start(), {operation: "seal", id: ++this.#ids, kind, session, connection});
  }

  /// Decrypts what a receiver receives; also called if the receiver carries another stream from now on.
  open(receiver, kind, {session, connection, stream, isEncrypted}) {
    const known = this.#receivers.get(receiver), options = {kind, session, connection, stream, isEncrypted};
    if (known) return this.#worker.postMessage({id: known, ...options});
    if (!isEncrypted || !Encryption.isSupported) return;
    const id = ++this.#ids;
    this.#receivers.set(receiver, id);
    receiver.transform = new RTCRtpScriptTransform(this.#start(), {operation: "open", id, ...options});
  }

  close() {
    this.#agreement?.close();
    this.#agreement = this.#identity = null;
    this.#worker?.terminate();
    this.#worker = null;
    this.isOn = false;
    this.#told.clear();
    this.#receivers = new WeakMap();
  }

  #start() {
    if (this.#worker) return this.#worker;
    this.#worker = new Worker(trustedURL(), {type: "module"});
    this.#worker.onmessage = ({data: {stream, failure, isStopped}}) => {
      if (failure && this.#told.get(stream) !== failure) {
        this.#told.set(stream, failure);
        this.#emit("failed", {stream, reason: failure});
      }
      if (isStopped) this.#emit("stopped", stream);
    };
    return this.#worker;
  }

  #emit(type, detail) { this.dispatchEvent(new CustomEvent(type, {detail})); }
}
