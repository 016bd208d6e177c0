"use strict";
// Unit tests of the page's worker that encrypts and decrypts frames (client/transform.js): its code runs in a worker of the test, between streams
// of made-up frames instead of a browser's encoders and decoders.

/// Runs in the worker before the page's code: counts memory and cryptography, and stops the clock.
function beforeTransform() {
  globalThis.measured = {Map: 0, Set: 0, deriveBits: 0, decrypt: 0};
  for (const [name, method] of [["Map", "set"], ["Set", "add"]]) {
    const Native = globalThis[name];
    globalThis[name] = class extends Native {
      [method](...all) {
        super[method](...all);
        measured[name] = Math.max(measured[name], this.size);
        return this;
      }
    };
  }
  for (const name of ["deriveBits", "decrypt"]) {
    const native = SubtleCrypto.prototype[name];
    SubtleCrypto.prototype[name] = function (...all) {
      measured[name]++;
      return native.apply(this, all);
    };
  }
  globalThis.clock = 1000;
  performance.now = () => clock;
}

/// Runs in the worker after the page's code, in its module: takes commands of the test and the page's messages.
function afterTransform() {
  const handle = self.onmessage, ends = {};
  const commands = {
    begin: options => {
      const input = new TransformStream(), output = new TransformStream();
      const end = ends[options.id] = {writer: input.writable.getWriter(), reader: output.readable.getReader(), keyFrameRequests: 0};
      const sendKeyFrameRequest = async () => { end.keyFrameRequests++; };
      self.onrtctransform({transformer: {readable: input.readable, writable: output.writable, options, sendKeyFrameRequest}});
    },
    // Returns what becomes of each frame, null if it is dropped; time passes before each. A frame without data passes unchanged behind it.
    feed: async ({id, frames, step}) => {
      const {writer, reader} = ends[id], results = [];
      for (const frame of frames) {
        clock += step;
        for (const data of [frame.slice().buffer, new ArrayBuffer(0)]) writer.write({data}).catch(() => {});
        const first = (await reader.read()).value.data;
        if (first.byteLength) await reader.read();
        results.push(first.byteLength ? new Uint8Array(first) : null);
      }
      return results;
    },
    pass: ({milliseconds}) => { clock += milliseconds; },
    measure: ({id}) => ({...measured, keyFrameRequests: ends[id]?.keyFrameRequests ?? 0}),
    limits: () => ({KEYS, NEW_KEYS, WINDOW, FAILED_FRAMES, PATIENCE, VIDEO_PATIENCE}),
  };
  self.onmessage = async event => {
    const {command, parameters, number} = event.data;
    if (command) self.postMessage({number, value: await commands[command](parameters)});
    else handle(event);
  };
}

/// The worker with its transforms.
class PlayedWorker {
  /// Failures that the page would be told: [transform's id, reason, or "stopped"].
  told = [];
  #waiting = new Map(); #count = 0; #ids = 0;

  constructor(source) {
    const text = `(${beforeTransform})();\n${source}\n(${afterTransform})();`;
    this.worker = new Worker(URL.createObjectURL(new Blob([text], {type: "text/javascript"})), {type: "module"});
    this.worker.onmessage = ({data: {number, value, id, failure, isStopped}}) => {
      if (id !== undefined) return this.told.push([id, isStopped ? "stopped" : failure]);
      this.#waiting.get(number)(value);
      this.#waiting.delete(number);
    };
  }

  call(command, parameters = {}) {
    const number = ++this.#count;
    this.worker.postMessage({command, parameters, number});
    return new Promise(done => this.#waiting.set(number, done));
  }

  /// Sets the secret of epoch 1 to 32 equal bytes.
  secret(byte) { this.worker.postMessage({epochs: [{epoch: 1, secret: new Uint8Array(32).fill(byte)}], sealing: 1, isAgreed: false}); }

  /// Begins a transform of a track of Ada's, or of what `more` changes; returns its id.
  async begin(operation, kind, more = {}) {
    const id = ++this.#ids;
    await this.call("begin", {operation, id, kind, session: "s", connection: "ada", stream: "numbers", isEncrypted: true, ...more});
    return id;
  }

  feed(id, frames, step = 0) { return this.call("feed", {id, frames, step}); }

  /// Feeds frames and returns the indices of those that were not dropped.
  async opened(id, frames, step) {
    return (await this.feed(id, frames, step)).flatMap((frame, index) => frame ? [index] : []);
  }
}

const TAG_LENGTH = 16;
const made = (head, number, length) => Uint8Array.from({length}, (_, index) => head[index] ?? (number * 7 + index * 13) & 255);
const audioFrame = number => made([], number, 40);
const keyFrame = number => made([0x10, 2, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xb4, 0], number, 60);
const deltaFrame = number => made([0x11, 2, 0], number, 50);
const several = (count, make) => Array.from({length: count}, (_, number) => make(number));

/// The key id as text and the counter of a sealed frame whose clear prefix has this length.
function headerOf(frame, prefix) {
  const head = frame.subarray(prefix), count = head[0] & 8 ? (head[0] & 7) + 1 : 0;
  return {key: head.subarray(1, 8).toString(), counter: count ? head.subarray(8, 8 + count).reduce((value, byte) => value * 256 + byte, 0) : head[0] & 7,
          length: 8 + count};
}

/// The same frame with other bytes from `at` on.
const changed = (frame, at, ...bytes) => { const other = frame.slice(); other.set(bytes, at); return other; };

/// Runs a test with a worker of its own, and another one for publishers whose work and memory must not count.
const withWorker = test => async ({transform}) => {
  const workers = [new PlayedWorker(transform), new PlayedWorker(transform)];
  try {
    await test(...workers);
  } finally {
    for (const {worker} of workers) worker.terminate();
  }
};

Object.assign(UNITS, {
  "encryption: frames are sent encrypted or not at all, and open unchanged": withWorker(async played => {
    for (const [kind, prefix, make] of [["audio", 0, audioFrame], ["video", 10, keyFrame], ["video", 3, deltaFrame]]) {
      played.worker.postMessage({epochs: [], sealing: null, isAgreed: false});
      const sealer = await played.begin("seal", kind), opener = await played.begin("open", kind), frames = several(300, make);
      same(await played.opened(sealer, frames), [], `${kind} without a secret`);
      played.secret(1);
      const sealed = await played.feed(sealer, frames), plain = await played.feed(opener, sealed);
      const added = sealed.map((frame, index) => frame.length - frames[index].length - headerOf(frame, prefix).length);
      same(added, frames.map(() => TAG_LENGTH), `${kind}: lengths`);
      same([sealed[7], sealed[8], sealed[256]].map(frame => headerOf(frame, prefix).length), [8, 9, 10], `${kind}: header`);
      same(sealed.map(frame => [...frame.subarray(0, prefix)]), frames.map(frame => [...frame.subarray(0, prefix)]), `${kind}: clear prefix`);
      const clear = sealed.filter((frame, index) => frame.toString().includes(frames[index].subarray(prefix, prefix + 4).toString()));
      same(clear.length, 0, `${kind}: frames with clear bytes behind the prefix`);
      same(plain.map(frame => frame && [...frame]), frames.map(frame => [...frame]), `${kind}: opened`);
    }
    const sealer = await played.begin("seal", "video");
    same(await played.opened(sealer, [keyFrame(1).slice(0, 9), deltaFrame(1).slice(0, 2), keyFrame(1)]), [2], "frames shorter than their prefix");
  }),

  "encryption: a truncated frame, and one with any changed bit, is dropped": withWorker(async played => {
    played.secret(1);
    for (const [kind, make] of [["audio", audioFrame], ["video", keyFrame]]) {
      const sealer = await played.begin("seal", kind), opener = await played.begin("open", kind);
      const [first, victim, last] = await played.feed(sealer, several(3, make));
      same(await played.opened(opener, [first]), [0], `${kind}: the first`);
      const truncated = several(victim.length - 1, number => victim.slice(0, number + 1));
      const bits = several(victim.length * 8, bit => changed(victim, bit >> 3, victim[bit >> 3] ^ 1 << (bit & 7)));
      // A second between two frames, so that none is dropped because of the limit of new keys.
      same(await played.opened(opener, [...truncated, ...bits, new Uint8Array([0]), new Uint8Array(2000)], 1000), [],
           `${kind}: hostile frames`);
      same(await played.opened(opener, [victim, last]), [0, 1], `${kind}: the frame itself, and the next`);
    }
  }),

  "encryption: a frame with the prefix of another frame is dropped": withWorker(async played => {
    played.secret(1);
    const sealer = await played.begin("seal", "video"), opener = await played.begin("open", "video");
    const [key, delta, other] = await played.feed(sealer, [keyFrame(1), deltaFrame(2), changed(keyFrame(3), 6, 0x80, 2)]);
    const body = key.subarray(10), start = delta.subarray(0, 3);
    const swapped = [[...other.subarray(0, 10), ...body], [...start, ...body], [...start, ...key.subarray(3)], [...key.subarray(0, 10), ...delta.subarray(3)],
                     body, delta.subarray(3)];
    same(await played.opened(opener, swapped.map(bytes => Uint8Array.from(bytes)), 1000), [], "swapped prefixes");
    same(await played.opened(opener, [key, delta, other], 1000), [0, 1, 2], "the frames themselves");
  }),

  "encryption: frames of another kind, publisher or session do not open": withWorker(async played => {
    played.secret(1);
    const sealed = async (kind, frames, more) => played.feed(await played.begin("seal", kind, more), frames);
    // Audio that looks like a VP8 key frame, of which no byte stays in the clear, and one whose first bytes are those of a header.
    const audio = await sealed("audio", several(3, keyFrame)), video = await sealed("video", several(3, keyFrame));
    for (const [kind, frames, other] of [["audio", audio, video], ["video", video, audio]]) {
      const dropped = {"of the other kind": [{}, other], "of the other kind without its prefix": [{}, other.map(frame => frame.subarray(10))],
                       "with a prefix before them": [{}, other.map(frame => Uint8Array.from([...keyFrame(1).subarray(0, 10), ...frame]))],
                       "of another publisher": [{connection: "eve"}, frames], "of another session": [{session: "t"}, frames]};
      for (const [what, [more, wrong]] of Object.entries(dropped)) {
        const opener = await played.begin("open", kind, more);
        same(await played.opened(opener, wrong, 1000), [], `${kind} ${what}`);
      }
      same(await played.opened(await played.begin("open", kind), frames, 1000), [0, 1, 2], `${kind}: the frames themselves`);
      // After another offer the section carries Eve's stream; the relay still sends Ada's frames.
      const moved = await played.begin("open", kind);
      same(await played.opened(moved, frames.slice(0, 1)), [0], `${kind}: before the other offer`);
      played.worker.postMessage({id: moved, kind, session: "s", connection: "eve", stream: "hers", isEncrypted: true});
      same(await played.opened(moved, frames.slice(1), 1000), [], `${kind}: after it`);
    }
  }),

  "encryption: a repeated frame is dropped, also after another offer for the stream": withWorker(async played => {
    played.secret(1);
    const {WINDOW} = await played.call("limits"), sealer = await played.begin("seal", "audio"), opener = await played.begin("open", "audio");
    const frames = await played.feed(sealer, several(2 * WINDOW + 100, audioFrame)), late = frames[90], old = frames.splice(20, 1)[0];
    frames.splice(frames.indexOf(late), 1);
    // Packets overtake each other: pairs arrive in reverse order.
    const received = frames.map((_, index) => frames[index ^ 1] ?? frames[index]), newest = received.splice(WINDOW);
    same((await played.opened(opener, received)).length, received.length, "all, in another order");
    same(await played.opened(opener, received), [], "the same again");
    same(await played.opened(opener, [late, late]), [0], "a late one, once");
    same((await played.opened(opener, newest)).length, newest.length, "the others");
    const {decrypt} = await played.call("measure");
    same([await played.opened(opener, [old, ...received, ...newest]), (await played.call("measure")).decrypt - decrypt], [[], 0],
         "a frame behind the window and those that were seen, without work");
    played.worker.postMessage({id: opener, kind: "audio", session: "s", connection: "ada", stream: "numbers", isEncrypted: true});
    played.secret(1);
    same(await played.opened(opener, [...received, ...newest]), [], "after another offer, and with the same secret");
    same(played.told, [], "repeated frames are no failure");
  }),

  "encryption: a flood of key ids, keys or counters costs bounded work and memory": withWorker(async (played, publishers) => {
    for (const worker of [played, publishers]) worker.secret(1);
    const {KEYS, NEW_KEYS, WINDOW} = await played.call("limits"), measure = () => played.call("measure");
    same([KEYS, NEW_KEYS, WINDOW], [16, 8, 512], "limits of docs/encryption.md");
    const opener = await played.begin("open", "audio");
    const sealed = async count => publishers.feed(await publishers.begin("seal", "audio"), several(count, audioFrame)), good = await sealed(3 * WINDOW);
    same(await played.opened(opener, good.slice(0, 1)), [0], "the first");
    // Key and salt of a key take three derivations.
    const before = await measure(), forged = several(2000, number => changed(good[0], 2, number >> 8, number & 255));
    same(await played.opened(opener, forged), [], "forged key ids");
    const first = await measure();
    same([(first.deriveBits - before.deriveBits) / 3 <= NEW_KEYS, first.decrypt - before.decrypt <= NEW_KEYS], [true, true], "work in a second");
    same(await played.opened(opener, good.slice(1, 2)), [0], "the known key at that time");
    same(await played.opened(opener, forged, 5), [], "forged key ids for ten seconds");
    const second = await measure();
    same([(second.deriveBits - first.deriveBits) / 3 <= 11 * NEW_KEYS, second.Map], [true, before.Map], "work and memory in ten seconds");
    // A participant that has the secret makes keys that authenticate.
    const keys = [], count = 3 * KEYS;
    while (keys.length < count) keys.push(await sealed(2));
    await played.call("pass", {milliseconds: 1000});
    same(await played.opened(opener, keys.map(frames => frames[0])), several(NEW_KEYS, number => number), "keys in a second");
    const other = await played.begin("open", "audio");
    same((await played.opened(other, keys.map(frames => frames[0]), 1000 / NEW_KEYS)).length, count, "keys in six seconds");
    const third = await measure();
    // The oldest key is removed after the newest has been added.
    same(third.Map <= KEYS + 1, true, "memory of keys");
    same((await played.opened(other, keys.slice(-KEYS).map(frames => frames[1]))).length, KEYS, "frames of the newest keys");
    same((await measure()).deriveBits, third.deriveBits, "the newest keys are kept");
    await played.opened(other, keys.slice(0, KEYS).map(frames => frames[1]), 1000);
    same((await measure()).deriveBits - third.deriveBits, 3 * KEYS, "older ones are derived again");
    same((await played.opened(opener, good.slice(2), 1000)).length, good.length - 2, "counters");
    same((await measure()).Set <= 2 * WINDOW + 1, true, "memory of counters");
  }),

  "encryption: no counter is used twice under a key, also if a stream is published again": withWorker(async played => {
    const used = new Set(), keys = new Set();
    let count = 0;
    const seal = async (sealer, number = 300) => {
      const headers = (await played.feed(sealer, several(number, audioFrame))).map(frame => headerOf(frame, 0));
      for (const {key, counter} of headers) {
        used.add(`${key} ${counter}`);
        keys.add(key);
      }
      count += number;
      return headers;
    };
    played.secret(1);
    const sealers = [await played.begin("seal", "audio"), await played.begin("seal", "audio")];
    for (const sealer of sealers) same((await seal(sealer)).map(({counter}) => counter), several(300, number => number), "counters of an encoder");
    played.secret(1);
    same((await seal(sealers[0]))[0].counter, 300, "the same secret continues");
    played.secret(2);
    same((await seal(sealers[0]))[0].counter, 0, "another secret has another key");
    // The publisher changes its mind, and publishes again: the secret is the first one, and no key id of it returns.
    played.secret(1);
    for (const sealer of [...sealers, await played.begin("seal", "audio"), await played.begin("seal", "audio")]) await seal(sealer);
    same([used.size, keys.size], [count, 7], "uses, and keys");
    same([...keys].every(key => key.startsWith("1,")), true, "the epoch is the first byte");
  }),

  "encryption: failures are reported after 5 frames or 1 s, and a video is stopped after 1.5 s": withWorker(async played => {
    played.secret(2);
    const {FAILED_FRAMES, PATIENCE, VIDEO_PATIENCE} = await played.call("limits");
    same([FAILED_FRAMES, PATIENCE, VIDEO_PATIENCE], [5, 1000, 1500], "limits of docs/encryption.md");
    const wrong = {audio: await played.feed(await played.begin("seal", "audio"), several(51, audioFrame)),
                   video: await played.feed(await played.begin("seal", "video"), several(51, keyFrame))};
    played.secret(1);
    const news = async (kind, frames, step, more) => {
      const opener = await played.begin("open", kind, more);
      same(await played.opened(opener, frames, step), [], `${kind}: opened`);
      return played.told.splice(0).map(([, reason]) => reason);
    };
    for (const kind of ["audio", "video"]) {
      same(await news(kind, wrong[kind].slice(0, 4), 333), [], `${kind}: four frames in less than a second`);
      same(await news(kind, wrong[kind].slice(0, 5), 20), ["wrongSecret"], `${kind}: five frames`);
      same(await news(kind, wrong[kind].slice(0, 2), 1000), ["wrongSecret"], `${kind}: two frames in a second`);
      const wanted = kind === "audio" ? ["wrongSecret"] : ["wrongSecret", "stopped"];
      same(await news(kind, wrong[kind].slice(0, 8), 200), ["wrongSecret"], `${kind}: 1.4 s`);
      same(await news(kind, wrong[kind].slice(0, 9), 200), wanted, `${kind}: 1.6 s`);
      // Frames whose key would be the ninth new one in a second count as neither opened nor failed: at 25 frames a second the next that counts after
      // 1.5 s is the first of the third second.
      same(await news(kind, wrong[kind].slice(0, 50), 40), ["wrongSecret"], `${kind}: 1.96 s at 25 frames a second`);
      same(await news(kind, wrong[kind].slice(0, 51), 40), wanted, `${kind}: 2 s at 25 frames a second`);
    }
    same(await news("audio", several(5, audioFrame), 20), ["notEncrypted"], "frames in the clear");
    const sealer = await played.begin("seal", "video"), opener = await played.begin("open", "video");
    const good = await played.feed(sealer, [keyFrame(1), deltaFrame(2), deltaFrame(3), keyFrame(4), deltaFrame(5)]);
    const mixed = [good[0], ...wrong.video.slice(0, 4), good[1], good[2], good[3], good[4], ...wrong.video.slice(4, 8)];
    // Its decoder continues with a key frame, because frames before the dropped ones are missing.
    same([await played.opened(opener, mixed, 30), (await played.call("measure", {id: opener})).keyFrameRequests, played.told], [[0, 7, 8], 2, []],
         "a frame that opens ends the row of failures");
    played.worker.postMessage({epochs: [], sealing: null, isAgreed: false});
    same(await news("audio", wrong.audio.slice(0, 5), 20), ["noSecret"], "without a secret");
    played.worker.postMessage({isPending: true});
    same(await news("audio", wrong.audio, 1000), [], "while the secret is derived");
  }),
});
