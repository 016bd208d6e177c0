// Agreement of a session's participants on the secrets of end-to-end encryption, without a passphrase (docs/encryption.md). Everything that it
// receives comes from the relay, which may lie: work and memory are bounded, and a secret is accepted only from the leader's own key.

import {ENCAPSULATED, joined, makeKeyPair, open, seal} from "./hpke.js";

/// Type of the signals.
export const SIGNAL = "millrace-e2ee";

const LABEL = "millrace-e2ee-1", text = new TextEncoder();
const SECRETS = 1, REQUEST = 2, DIGEST = 32, SECRET = 32, ENTRY = ENCAPSULATED + SECRET + 16, ENTRIES = 76;
const MEMBERS = 200, FORMER = 3, DECRYPTIONS = 20, HIGHEST = 2 ** 32 - 1;
/// Signals that wait to be handled; further ones are dropped, and the leader is asked again.
const WAITING = 64;
/// Milliseconds; their reasons are in docs/encryption.md.
const SETTLING = 200, LONGEST_SETTLING = 1000, INTERVAL = 500, ACTIVATION = 250, FORMER_TIME = 10_000, ASK = 1000, LONGEST_ASK = 16_000, CONFIRM = 20_000, ANSWER = 500,
      MISMATCH = 3000, OVERDUE = 10_000;

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
const number = (value, count) => Uint8Array.from({length: count}, (_, index) => Math.floor(value / 256 ** (count - 1 - index)) % 256);
const counted = value => { const bytes = text.encode(value); return joined(number(bytes.length, 2), bytes); };
const equal = (left, right) => !!left && !!right && left.length === right.length && left.every((byte, index) => byte === right[index]);
const encode = bytes => btoa(bytes.reduce((all, byte) => all + String.fromCharCode(byte), ""));

/// The bytes of a base64 text; null unless it is exactly what `encode` returns for them.
function decode(value) {
  try {
    const bytes = Uint8Array.from(atob(value), one => one.charCodeAt(0));
    return encode(bytes) === value ? bytes : null;
  } catch {
    return null;
  }
}

/// Emits `keys` when secrets changed, `detail` `{epochs: [{epoch, secret}], sealing}`, where `sealing` is the epoch to encrypt with, or null; and
/// `failed`, `detail` one of membershipMismatch, tooManyParticipants, noKeys, unsupportedByRelay.
export class KeyAgreement extends EventTarget {
  /// Number that participants compare; null before the first secret.
  safetyNumber = null;

  #own; #session; #self; #send;
  #roster = null; #leader = null; #current = null; #former = []; #sealing = null; #numbers = new Map();
  #isAwaiting = false; #reported = new Set(); #answered = new Map(); #decryptions = {count: 0, since: 0};
  #changedSince = null; #lastEpoch = -Infinity; #ask = ASK; #mismatchSince = null;
  /// Deadlines by name, in milliseconds of `performance.now()`.
  #due = new Map(); #timer = 0; #work = Promise.resolve(); #waiting = 0; #isClosed = false;

  /// A key pair for one join; `key` is the public one, as `join` sends it.
  static async makeIdentity() {
    const pair = await makeKeyPair();
    return {...pair, key: encode(pair.publicKey)};
  }

  /// `send(data, to)`: sends a signal of the type `SIGNAL`, to all if `to` is null.
  constructor(identity, {session, connection, send}) {
    super();
    this.#own = identity;
    this.#session = session;
    this.#self = connection;
    this.#send = send;
  }

  get isLeader() { return this.#leader?.id === this.#self; }
  get isSettled() { return !!this.#current && !this.#isAwaiting && equal(this.#current.roster, this.#roster?.digest); }

  /// Takes the users of the session after each change. `isComplete`: false if the relay only counts some of them.
  setUsers(users, isComplete) {
    const members = [...users].map(({id, e2eeKey, joinedAt, isConnected}) => ({id, key: decode(e2eeKey ?? ""), joinedAt, isConnected}))
      .filter(({key}) => key?.length === 32)
      .sort((a, b) => a.joinedAt - b.joinedAt || (a.id < b.id ? -1 : 1));
    this.#enqueue(() => this.#setMembers(members, isComplete));
  }

  /// Takes the data of a signal from a connection.
  receive(data, from) {
    if (from === this.#self || this.#waiting >= WAITING) return;
    this.#waiting++;
    this.#enqueue(() => {
      this.#waiting--;
      return this.#receive(data, from);
    });
  }

  /// Continues after a loss of the connection.
  resume() {
    this.#enqueue(() => {
      if (this.isSettled || !this.#leader) return;
      if (this.isLeader) this.#schedule();
      else this.#expect();
    });
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  // MARK: order and time

  /// Runs work one after another, because cryptography is asynchronous.
  #enqueue(work) {
    this.#work = this.#work.then(async () => {
      if (this.#isClosed) return;
      await work();
      clearTimeout(this.#timer);
      const next = Math.min(...this.#due.values());
      if (next < Infinity && !this.#isClosed) this.#timer = setTimeout(() => this.#enqueue(() => this.#timeout()), Math.max(0, next - performance.now()));
    }).catch(() => {});
  }

  #isDue(name, now) {
    if (!(this.#due.get(name) <= now)) return false;
    this.#due.delete(name);
    return true;
  }

  async #timeout() {
    const now = performance.now();
    if (this.#isDue("epoch", now)) await this.#makeEpoch();
    if (this.#isDue("activation", now)) this.#activate();
    if (this.#isDue("former", now)) {
      this.#former = this.#former.filter(({until}) => until > now);
      if (this.#former.length) this.#due.set("former", this.#former[0].until);
      this.#changed();
    }
    if (this.#isDue("overdue", now)) {
      this.#sealing = null;
      this.#due.delete("activation");
      this.#changed();
      if (!this.#reported.size) this.#fail("noKeys");
    }
    if (this.#isDue("mismatch", now)) {
      this.#mismatchSince = null;
      this.#fail("membershipMismatch");
    }
    if (this.#isDue("ask", now)) this.#request();
  }

  // MARK: participants

  async #setMembers(members, isComplete) {
    if (!equal(members.find(({id}) => id === this.#self)?.key, this.#own.publicKey)) return this.#fail("unsupportedByRelay");
    const digest = await sha256(text.encode(`${LABEL} members\0`), counted(this.#session), ...members.flatMap(({id, key}) => [counted(id), key]));
    const isChange = !equal(digest, this.#roster?.digest), before = this.#leader?.id, canAgree = isComplete && members.length <= MEMBERS;
    this.#roster = {members, digest};
    this.#leader = canAgree ? members.find(({isConnected}) => isConnected) ?? null : null;
    if (isChange) {
      this.#isAwaiting = true;
      this.#mismatchSince = null;
      this.#due.delete("mismatch");
      this.#reported.clear();
      for (const id of this.#answered.keys()) if (!members.some(member => member.id === id)) this.#answered.delete(id);
    }
    if (canAgree && equal(this.#current?.roster, digest)) this.#due.delete("overdue");
    else if (!this.#due.has("overdue") && (isChange || !canAgree)) this.#due.set("overdue", performance.now() + OVERDUE);
    if (!canAgree) {
      this.#due.delete("epoch");
      this.#due.delete("ask");
      return this.#fail("tooManyParticipants");
    }
    if (!isChange && this.#leader?.id === before) return;
    // A new leader cannot know who has the secret of the former one.
    this.#isAwaiting = true;
    if (this.isLeader) {
      this.#due.delete("ask");
      this.#schedule();
    } else {
      this.#due.delete("epoch");
      this.#changedSince = null;
      this.#expect();
    }
  }

  #receivers(leader) { return this.#roster.members.filter(({id}) => id !== leader); }

  #info(epoch, receiver) { return joined(text.encode(`${LABEL} epoch\0${this.#session}\0`), number(epoch, 4), text.encode(receiver)); }

  // MARK: messages

  async #receive(data, from) {
    const bytes = typeof data === "string" && data.length <= 8192 ? decode(data) : null, head = 5 + DIGEST;
    if (!from || !bytes || bytes.length < head || !this.#roster) return;
    const epoch = bytes.subarray(1, 5).reduce((value, byte) => value * 256 + byte, 0), roster = bytes.subarray(5, head);
    if (!epoch) return;
    if (bytes[0] === REQUEST && bytes.length === head) return this.#answer(roster, from);
    const length = bytes.length - head - 2;
    if (bytes[0] !== SECRETS || length <= 0 || length % ENTRY || length > ENTRIES * ENTRY) return;
    await this.#follow(epoch, roster, bytes[head] << 8 | bytes[head + 1], bytes.subarray(head + 2), from);
  }

  #message(type, epoch, ...rest) { return encode(joined([type], number(epoch, 4), this.#roster.digest, ...rest)); }

  // MARK: the leader

  /// Schedules a new secret, a short time after the last change, so that several joins share one.
  #schedule() {
    const now = performance.now();
    this.#changedSince ??= now;
    this.#due.set("epoch", Math.max(Math.min(now + SETTLING, this.#changedSince + LONGEST_SETTLING), this.#lastEpoch + INTERVAL));
  }

  async #makeEpoch() {
    this.#changedSince = null;
    if (!this.isLeader) return;
    const own = this.#numbers.get(this.#self) ?? 0, present = this.#current?.number ?? 0, highest = present < 2 ** 31 ? Math.max(own, present) : own;
    if (highest >= HIGHEST) return;
    const epoch = highest + 1, secret = crypto.getRandomValues(new Uint8Array(SECRET)), {digest} = this.#roster, receivers = this.#receivers(this.#self);
    // A participant with an invalid key gets an entry that opens for no one.
    const entries = await Promise.all(receivers.map(({id, key}) => seal(secret, key, this.#own, this.#info(epoch, id), digest).catch(() => new Uint8Array(ENTRY))));
    this.#lastEpoch = performance.now();
    this.#answered.clear();
    this.#adopt({number: epoch, secret, maker: this.#self, roster: digest, entries});
    for (let first = 0; first < entries.length; first += ENTRIES) {
      this.#send(this.#message(SECRETS, epoch, number(first, 2), ...entries.slice(first, first + ENTRIES)), null);
    }
  }

  /// Answers a participant that lacks the present secret.
  #answer(roster, from) {
    if (!this.isLeader || !this.#roster.members.some(({id}) => id === from)) return;
    const now = performance.now();
    if (!equal(roster, this.#roster.digest)) {
      // It may have asked before it heard of the latest change. A later request with other participants is no coincidence.
      if (this.#mismatchSince !== null && now - this.#mismatchSince >= MISMATCH) this.#fail("membershipMismatch");
      this.#mismatchSince ??= now;
      return;
    }
    const current = this.#current, index = this.#receivers(this.#self).findIndex(({id}) => id === from);
    if (this.#due.has("epoch") || current?.maker !== this.#self || !equal(current.roster, this.#roster.digest) || !current.entries[index]) return;
    if (now - (this.#answered.get(from) ?? -Infinity) < ANSWER) return;
    this.#answered.set(from, now);
    this.#send(this.#message(SECRETS, current.number, number(index, 2), current.entries[index]), from);
  }

  // MARK: the other participants

  #expect() {
    this.#ask = ASK;
    this.#due.set("ask", performance.now() + this.#ask);
  }

  #request() {
    if (!this.#leader || this.isLeader) return;
    this.#send(this.#message(REQUEST, this.#current?.number ?? 1), this.#leader.id);
    this.#ask = Math.min(2 * this.#ask, LONGEST_ASK);
    this.#due.set("ask", performance.now() + (this.isSettled ? CONFIRM : this.#ask));
  }

  async #follow(epoch, roster, first, entries, from) {
    if (!this.#leader || this.isLeader || from !== this.#leader.id) return;
    const last = this.#numbers.get(from) ?? 0;
    // A repeated or delayed message. The last one counts again if another leader made a secret in between.
    if (epoch < last || (epoch === last && !this.#isAwaiting)) return;
    const now = performance.now();
    if (!equal(roster, this.#roster.digest)) {
      if (this.isSettled || this.#mismatchSince !== null) return;
      this.#mismatchSince = now;
      this.#due.set("mismatch", now + MISMATCH);
      return;
    }
    const index = this.#receivers(from).findIndex(({id}) => id === this.#self) - first;
    const entry = entries.slice(index * ENTRY, (index + 1) * ENTRY);
    if (index < 0 || entry.length !== ENTRY) return;
    if (now - this.#decryptions.since >= 1000) this.#decryptions = {count: 0, since: now};
    if (++this.#decryptions.count > DECRYPTIONS) return;
    const secret = await open(entry, this.#own, this.#leader.key, this.#info(epoch, this.#self), roster).catch(() => null);
    if (secret?.length === SECRET) this.#adopt({number: epoch, secret, maker: from, roster: roster.slice()});
  }

  // MARK: secrets

  #adopt(next) {
    next.epoch = (next.number - 1) % 255 + 1;
    const now = performance.now();
    this.#former = this.#former.filter(({epoch}) => epoch !== next.epoch);
    if (this.#current && this.#current.epoch !== next.epoch) this.#former.push({...this.#current, until: now + FORMER_TIME});
    if (this.#former.length > FORMER) this.#former.shift();
    if (this.#former.length) this.#due.set("former", this.#former[0].until);
    if (this.#numbers.size >= 64) for (const id of this.#numbers.keys()) if (!this.#roster.members.some(member => member.id === id)) this.#numbers.delete(id);
    this.#numbers.set(next.maker, next.number);
    this.#current = next;
    this.#isAwaiting = false;
    this.#mismatchSince = null;
    for (const name of ["overdue", "ask", "mismatch"]) this.#due.delete(name);
    if (!this.isLeader) this.#due.set("ask", now + CONFIRM);
    if (this.#sealing === null || this.#sealing === next.epoch) this.#activate();
    else if (!this.#due.has("activation")) this.#due.set("activation", now + ACTIVATION);
    this.#enqueue(async () => {
      const digest = await sha256(text.encode(`${LABEL} safety\0`), this.#current.roster);
      const digits = String(digest.reduce((value, byte) => value * 256n + BigInt(byte), 0n) % 10n ** 60n).padStart(60, "0");
      this.safetyNumber = digits.match(/.{5}/g).join(" ");
      this.#changed();
    });
    this.#changed();
  }

  #activate() {
    this.#due.delete("activation");
    this.#sealing = this.#current.epoch;
    this.#changed();
  }

  #changed() {
    const epochs = [...this.#former, ...this.#current ? [this.#current] : []].map(({epoch, secret}) => ({epoch, secret}));
    this.dispatchEvent(new CustomEvent("keys", {detail: {epochs, sealing: this.#sealing}}));
  }

  #fail(reason) {
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.dispatchEvent(new CustomEvent("failed", {detail: reason}));
  }
}
