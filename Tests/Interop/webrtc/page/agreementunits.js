"use strict";
// Unit tests of the page's agreement on keys (client/keyagreement.js), in virtual time: participants in one page, between whom the test delivers.

/// Time that passes only when the test says so. `run` waits for cryptography, which takes real time.
class VirtualClock {
  now = 1000;
  #timers = new Map(); #count = 0; #busy = 0; #restored = [];

  constructor() {
    const {port1, port2} = new MessageChannel(), waiting = [];
    port1.onmessage = () => waiting.shift()();
    this.turn = () => new Promise(done => { waiting.push(done); port2.postMessage(null); });
    this.#replace(performance, "now", () => this.now);
    this.#replace(window, "setTimeout", (run, delay) => (this.#timers.set(++this.#count, {at: this.now + delay, run}), this.#count));
    this.#replace(window, "clearTimeout", timer => this.#timers.delete(timer));
    for (const name of ["digest", "encrypt", "decrypt", "sign", "deriveBits", "generateKey", "importKey", "exportKey"]) {
      const native = SubtleCrypto.prototype[name], clock = this;
      this.#replace(SubtleCrypto.prototype, name, function (...all) {
        clock.#busy++;
        return native.apply(this, all).finally(() => { clock.#busy--; });
      });
    }
  }

  #replace(object, name, value) {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, {value, configurable: true, writable: true, enumerable: true});
    this.#restored.push(() => before ? Object.defineProperty(object, name, before) : delete object[name]);
  }

  async settle() {
    for (let idle = 0; idle < 3; idle++) {
      await this.turn();
      if (this.#busy) idle = -1;
    }
  }

  /// Lets this many milliseconds pass.
  async run(milliseconds) {
    const end = this.now + milliseconds;
    for (await this.settle();; await this.settle()) {
      const [timer, next] = [...this.#timers].reduce((first, one) => one[1].at < first[1].at ? one : first, [0, {at: Infinity}]);
      if (next.at > end) break;
      this.now = Math.max(this.now, next.at);
      this.#timers.delete(timer);
      next.run();
    }
    this.now = end;
  }

  restore() { for (const restore of this.#restored.reverse()) restore(); }
}

/// Participants and the relay between them, which shows each the participants that `shows` returns.
class AgreementWorld {
  clients = new Map();
  shows = (client, users) => users;

  constructor(KeyAgreement, clock) { Object.assign(this, {KeyAgreement, clock}); }

  async join(id) {
    const identity = await this.KeyAgreement.makeIdentity();
    const client = {key: identity.key, joinedAt: this.clock.now, failures: [], epochs: [], sealing: null};
    client.agreement = new this.KeyAgreement(identity, {session: "s", connection: id, send: (data, to) => this.deliver(data, id, to)});
    client.agreement.addEventListener("keys", ({detail}) => Object.assign(client, detail));
    client.agreement.addEventListener("failed", ({detail}) => client.failures.push([detail, this.clock.now]));
    this.clients.set(id, client);
    this.announce();
  }

  leave(id) {
    this.clients.get(id).agreement.close();
    this.clients.delete(id);
    this.announce();
  }

  /// Tells all who is in the session.
  announce() {
    const users = [...this.clients].map(([id, {key, joinedAt}]) => ({id, e2eeKey: key, joinedAt, isConnected: true}));
    for (const [id, client] of this.clients) client.agreement.setUsers(this.shows(id, users), true);
  }

  deliver(data, from, to) {
    for (const [id, client] of this.clients) if (id !== from && (to === null || to === id)) setTimeout(() => client.agreement.receive(data, from), 10);
  }

  /// Reasons of failure of each participant, without their times.
  get failures() { return Object.fromEntries([...this.clients].map(([id, {failures}]) => [id, failures.map(([reason]) => reason)])); }
  secretOf(id) {
    const {epochs, sealing} = this.clients.get(id);
    return epochs.find(({epoch}) => epoch === sealing)?.secret.toString() ?? null;
  }
  numberOf(id) { return this.clients.get(id).agreement.safetyNumber; }
}

/// Runs a test in virtual time.
const inVirtualTime = test => async ({keyagreement: {KeyAgreement}}) => {
  const clock = new VirtualClock(), world = new AgreementWorld(KeyAgreement, clock);
  try {
    await test(world, clock);
  } finally {
    for (const {agreement} of world.clients.values()) agreement.close();
    clock.restore();
  }
};

/// Replaces a participant's key by one that the relay has made.
const withKey = (users, id, e2eeKey) => users.map(user => user.id === id ? {...user, e2eeKey} : user);

Object.assign(UNITS, {
  "encryption: participants who are shown the same keys share a secret, and report nothing": inVirtualTime(async (world, clock) => {
    const secrets = new Set(), numbers = new Set();
    for (const [change, who] of [["join", "a"], ["join", "b"], ["join", "c"], ["leave", "a"], ["join", "d"], ["leave", "c"]]) {
      await world[change](who);
      await clock.run(4000);
      const ids = [...world.clients.keys()], shared = new Set(ids.map(id => world.secretOf(id)));
      same([shared.size, shared.has(null), new Set(ids.map(id => world.numberOf(id))).size], [1, false, 1], `with ${ids}`);
      secrets.add([...shared][0]);
      numbers.add(world.numberOf(ids[0]));
    }
    await clock.run(60_000);
    same([secrets.size, numbers.size, Object.values(world.failures).flat()], [6, 6, []], "secrets, safety numbers and failures");
  }),

  "encryption: a participant who is shown another key than the leader reports membershipMismatch after 3 s": inVirtualTime(async (world, clock) => {
    const forged = (await world.KeyAgreement.makeIdentity()).key;
    world.shows = (client, users) => client === "b" ? withKey(users, "c", forged) : users;
    await world.join("a");
    await world.join("b");
    await clock.run(2000);
    same(world.secretOf("b"), world.secretOf("a"), "the secret before");
    await world.join("c");
    const joined = clock.now, before = world.secretOf("b");
    await clock.run(3000);
    same(world.failures, {a: [], b: [], c: []}, "within 3 s");
    await clock.run(500);
    // The leader's secret comes 200 ms after the join, and 10 ms on its way.
    same(world.clients.get("b").failures, [["membershipMismatch", joined + 3210]], "the report");
    same([world.secretOf("b"), world.secretOf("c")], [before, world.secretOf("a")], "secrets");
    same(world.numberOf("b") === world.numberOf("a"), false, "one safety number");
    // The leader learns it from the participant's requests.
    await clock.run(10_000);
    same(world.failures, {a: ["membershipMismatch"], b: ["membershipMismatch"], c: []}, "the leader's report, and none twice");
    same(world.secretOf("b"), null, "nothing is encrypted after 10 s");
    world.shows = (_, users) => users;
    world.announce();
    await clock.run(2000);
    same([world.secretOf("b"), world.numberOf("b")], [world.secretOf("a"), world.numberOf("a")], "once the relay is honest");
  }),

  "encryption: a participant from whom the relay hides another one makes the leader report membershipMismatch": inVirtualTime(async (world, clock) => {
    world.shows = (client, users) => client === "b" ? users.filter(({id}) => id !== "c") : users;
    for (const id of ["a", "b", "c"]) {
      await world.join(id);
      await clock.run(2000);
    }
    same([world.secretOf("c"), world.secretOf("b") === world.secretOf("a")], [world.secretOf("a"), false], "secrets");
    // It asks every 20 s whether its secret is the newest.
    await clock.run(45_000);
    same(world.failures, {a: ["membershipMismatch"], b: [], c: []}, "failures");
  }),

  "encryption: a user event that comes up to 3 s late is no mismatch": inVirtualTime(async (world, clock) => {
    let isLate = true;
    world.shows = (client, users) => client === "b" && isLate ? users.filter(({id}) => id !== "c") : users;
    await world.join("a");
    await world.join("b");
    await world.join("c");
    await clock.run(2900);
    isLate = false;
    world.announce();
    await clock.run(60_000);
    same([world.secretOf("b"), world.secretOf("c")], [world.secretOf("a"), world.secretOf("a")], "secrets");
    same(world.failures, {a: [], b: [], c: []}, "failures");
  }),

  "encryption: messages of others than the leader, repeated and forged ones change nothing": inVirtualTime(async (world, clock) => {
    const sent = [], deliver = world.deliver.bind(world);
    world.deliver = (data, from, to) => { sent.push({data, from}); deliver(data, from, to); };
    for (const id of ["a", "b", "c"]) {
      await world.join(id);
      await clock.run(2000);
    }
    const secret = world.secretOf("b"), {agreement} = world.clients.get("b"), messages = sent.filter(({from}) => from === "a").map(({data}) => data);
    const bytes = Uint8Array.from(atob(messages.at(-1)), one => one.charCodeAt(0)), text = data => btoa(String.fromCharCode(...data));
    let count = 0;
    const forged = several(bytes.length * 2, at => text(changed(bytes, at >> 1, bytes[at >> 1] ^ (at & 1 ? 0x80 : 1))));
    const truncated = several(bytes.length, length => text(bytes.subarray(0, length)));
    for (const from of ["a", "c", "stranger", "b"]) {
      // At most 64 wait: a flood is dropped, and is no obstacle to later messages.
      for (const data of [...messages, ...forged, ...truncated, "", "!", 7, null, "A".repeat(100_000)]) {
        agreement.receive(data, from);
        if (++count % 64 === 0) await clock.run(20);
      }
    }
    await clock.run(2000);
    same([world.secretOf("b"), world.secretOf("c"), world.failures], [secret, secret, {a: [], b: [], c: []}], "after them");
    await world.join("d");
    await clock.run(2000);
    same([world.secretOf("b"), world.secretOf("d")], [world.secretOf("a"), world.secretOf("a")], "the next secret");
    same(world.secretOf("b") === secret, false, "the secret from before");
  }),
});
