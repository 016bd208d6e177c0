"use strict";
// WHIP and WHEP as a browser's page uses them.

const calls = new Map();
let lastCall = 0;

const waitFor = (ready, target, event, milliseconds, what) => new Promise((done, failed) => {
  if (ready()) return done();
  const timer = setTimeout(() => { target.removeEventListener(event, look); failed(new Error(`${what}: not within ${milliseconds} ms`)); },
                           milliseconds);
  const look = () => {
    if (!ready()) return;
    clearTimeout(timer);
    target.removeEventListener(event, look);
    done();
  };
  target.addEventListener(event, look);
});

// Replaces `from` ("address port") by `to` in candidates, so that the path leads through a proxy of the test.
const rewritten = (sdp, rewrite) => {
  if (!rewrite) return sdp;
  const [address, port] = rewrite.to.split(" ");
  return sdp.split("\r\n").map(line =>
    line.startsWith("a=candidate:") ? (/ udp /i.test(line) ? line.replace(/^((?:\S+ ){4})\S+ \d+/, `$1${address} ${port}`) : null) : line)
    .filter(line => line !== null).join("\r\n");
};

// Adds NACK for Opus to an offer: a browser takes it from the answer, but does not offer it.
const withNACK = sdp => sdp.replace(/^a=rtpmap:(\d+) opus\/48000\/2\r\n/gm, "$&a=rtcp-fb:$1 nack\r\n");

const pick = (sdp, name) => (sdp.match(new RegExp(`^a=${name}:(.*)$`, "m")) || [])[1]?.trim();

// Returns credentials and candidates of a description, in the format of a fragment (RFC 8840).
function fragment(sdp, candidates, end) {
  const mid = pick(sdp, "mid"), kind = sdp.match(/^m=(.*)$/m)[1].trim();
  return [`a=ice-ufrag:${pick(sdp, "ice-ufrag")}`, `a=ice-pwd:${pick(sdp, "ice-pwd")}`, `m=${kind}`, `a=mid:${mid}`,
          ...candidates.map(c => `a=${c}`), ...(end ? ["a=end-of-candidates"] : []), ""].join("\r\n");
}

class Call {
  constructor(options) {
    this.options = options;
    this.id = ++lastCall;
    calls.set(this.id, this);
    this.pc = new RTCPeerConnection({iceServers: [], bundlePolicy: "max-bundle", ...options.ice});
    this.times = {};
    this.states = [];
    this.pc.addEventListener("connectionstatechange", () => {
      this.states.push([Date.now(), this.pc.connectionState]);
      this.times[this.pc.connectionState] ??= Date.now();
    });
    this.pc.addEventListener("iceconnectionstatechange", () => {
      const state = this.pc.iceConnectionState;
      if (state === "connected" || state === "completed") this.times.ice ??= Date.now();
    });
    this.candidates = [];
    this.pc.addEventListener("icecandidate", event => {
      if (event.candidate?.candidate) this.candidates.push(event.candidate.candidate);
    });
  }

  headers(extra = {}) {
    return {...(this.options.token ? {Authorization: `Bearer ${this.options.token}`} : {}), ...extra};
  }

  async offer() {
    const offer = await this.pc.createOffer();
    await this.pc.setLocalDescription({type: "offer", sdp: this.change ? this.change(offer.sdp) : offer.sdp});
    if (this.options.ice) {
      // Gathering ends only after the attempts to reach the TURN server from loopback, which take 10 s.
      await waitFor(() => this.candidates.length > 0, this.pc, "icecandidate", 5000, "a candidate");
    } else if (!this.options.trickle) {
      await waitFor(() => this.pc.iceGatheringState === "complete", this.pc, "icegatheringstatechange", 5000, "gathering");
    }
    let sdp = this.pc.localDescription.sdp;
    if (this.options.trickle) sdp = sdp.split("\r\n").filter(line => !/^a=(candidate|end-of-candidates)/.test(line)).join("\r\n");
    if (this.options.nack) sdp = withNACK(sdp);
    return sdp;
  }

  async post() {
    const body = await this.offer();
    this.times.posted = Date.now();
    const answer = await fetch(this.options.url, {method: "POST", body, headers: this.headers({"Content-Type": "application/sdp"})});
    const text = await answer.text();
    this.times.answered = Date.now();
    if (answer.status !== 201) throw new Error(`POST ${this.options.url}: ${answer.status} ${text.slice(0, 300)}`);
    const location = answer.headers.get("Location");
    if (!location) throw new Error("no Location that a page may read");
    this.location = new URL(location, this.options.url).href;
    this.etag = answer.headers.get("ETag");
    await this.accept(text);
    if (this.options.trickle) await this.trickle();
  }

  async accept(sdp) {
    this.answer = rewritten(sdp, this.options.rewrite);
    await this.pc.setRemoteDescription({type: "answer", sdp: this.answer});
  }

  async patch(body, match) {
    return await fetch(this.location, {
      method: "PATCH", body,
      headers: this.headers({"Content-Type": "application/trickle-ice-sdpfrag", ...(match ? {"If-Match": match} : {})})});
  }

  async trickle() {
    await waitFor(() => this.pc.iceGatheringState === "complete", this.pc, "icegatheringstatechange", 5000, "gathering");
    const sdp = this.pc.localDescription.sdp, patched = [];
    for (const candidate of this.candidates) patched.push((await this.patch(fragment(sdp, [candidate], false), this.etag)).status);
    patched.push((await this.patch(fragment(sdp, [], true), this.etag)).status);
    this.patched = patched;
  }

  async restart() {
    const before = pick(this.pc.localDescription.sdp, "ice-ufrag");
    await this.pc.setLocalDescription(await this.pc.createOffer({iceRestart: true}));
    await waitFor(() => this.pc.iceGatheringState === "complete", this.pc, "icegatheringstatechange", 5000, "gathering");
    const sdp = this.pc.localDescription.sdp;
    const candidates = [...new Set(sdp.match(/^a=candidate:.*$/mg) || [])].map(line => line.slice(2).trim());
    const answer = await this.patch(fragment(sdp, candidates, true), "*");
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`PATCH for an ICE restart: ${answer.status} ${text.slice(0, 300)}`);
    this.etag = answer.headers.get("ETag");
    const lines = this.answer.split("\r\n").map(line =>
      line.startsWith("a=ice-ufrag:") ? `a=ice-ufrag:${pick(text, "ice-ufrag")}` :
      line.startsWith("a=ice-pwd:") ? `a=ice-pwd:${pick(text, "ice-pwd")}` : line);
    const old = pick(this.answer, "ice-ufrag");
    this.answer = lines.join("\r\n");
    await this.pc.setRemoteDescription({type: "answer", sdp: this.answer});
    return {localChanged: before !== pick(sdp, "ice-ufrag"), remoteChanged: old !== pick(this.answer, "ice-ufrag"), etag: this.etag};
  }

  async close() {
    let status = 0;
    if (this.location) status = (await fetch(this.location, {method: "DELETE", headers: this.headers()})).status;
    this.drop();
    return status;
  }

  drop() {
    if (this.painter) this.painter.stopped = true;
    this.pc.close();
    this.watcher?.element.remove();
    calls.delete(this.id);
  }
}

const of = id => {
  const call = calls.get(id);
  if (!call) throw new Error(`no call ${id}`);
  return call;
};

// API of the test. All arguments and results are plain JSON.
const api = {
  state: ({id}) => {
    const {pc, times, states, location, etag, patched, answer} = of(id);
    return {connection: pc.connectionState, ice: pc.iceConnectionState, times, states, location, etag, patched, answer, now: Date.now()};
  },
  connected: async ({id, milliseconds = 10000}) => {
    const {pc, times} = of(id);
    await waitFor(() => pc.connectionState === "connected", pc, "connectionstatechange", milliseconds, "connected");
    return times;
  },
  stats: async ({id}) => {
    const wanted = new Set(["inbound-rtp", "outbound-rtp", "candidate-pair", "local-candidate", "remote-candidate",
                            "remote-inbound-rtp", "media-source", "transport", "codec"]);
    return [...(await of(id).pc.getStats()).values()].filter(s => wanted.has(s.type));
  },
  // Returns the video codecs that the browser sends.
  codecs: () => [...new Set(RTCRtpSender.getCapabilities("video").codecs.map(c => c.mimeType.replace("video/", "")))],
  restart: ({id}) => of(id).restart(),
  layer: async ({id, choice}) => {
    const call = of(id);
    const answer = await fetch(`${call.location}/layer`, {method: "POST", body: JSON.stringify(choice),
                                                          headers: call.headers({"Content-Type": "application/json"})});
    return {status: answer.status, at: Date.now(), text: (await answer.text()).slice(0, 300)};
  },
  close: ({id}) => of(id).close(),
  drop: ({id}) => of(id).drop(),
};
