"use strict";
// Tests the client modules of the page at `/` against a simulated relay: their behaviour under failures, in order.

const later = milliseconds => new Promise(done => setTimeout(done, milliseconds));

async function until(condition, what, milliseconds = 4000) {
  for (const end = performance.now() + milliseconds; performance.now() < end; await later(10)) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error(`${what}: not within ${milliseconds} ms`);
}

function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a}, not ${b}`);
}

const refusal = work => work.then(() => null, error => error.code ?? String(error));

/// Simulates the relay's side of every WebSocket that the page opens.
class PlayedRelay {
  sockets = [];
  requests = [];
  isDown = false;
  answers = {
    join: () => this.joinAnswer(), resume: () => ({connection: "me", missed: 0, publishLost: false, subscribeLost: false}),
  };
  seq = 0;

  constructor() {
    const relay = this;
    this.Socket = class {
      static OPEN = 1;
      readyState = 0;
      constructor(url, protocol) {
        this.protocol = protocol;
        relay.sockets.push(this);
        setTimeout(() => {
          if (relay.isDown) return this.end();
          this.readyState = 1;
          this.onopen?.();
        }, 1);
      }
      send(text) { if (this.readyState === 1) relay.receive(this, JSON.parse(text)); }
      close() { this.end(); }
      end() {
        if (this.readyState === 3) return;
        this.readyState = 3;
        setTimeout(() => this.onclose?.(), 0);
      }
    };
  }

  joinAnswer() {
    this.seq = 0;
    return {session: "s", sessionName: "room", connection: "me", resumeToken: "secret", graceSeconds: 30, pingInterval: this.pingInterval ?? 10_000,
            capabilities: {canPublish: true, canSubscribe: true, canForceMute: true, canForceDisconnect: true, canHost: true},
            users: [user("me", "Me", "host")], streams: [], isMuteForced: false, isShareLocked: false, iceServers: []};
  }

  async receive(socket, {id, method, params}) {
    this.requests.push({method, params, socket});
    const make = this.answers[method] ?? (() => ({}));
    try {
      const result = await make(params);
      if (result !== undefined) this.#write(socket, {id, result});
    } catch (error) {
      this.#write(socket, {id, error: {code: error.code, message: error.code, retryAfter: error.retryAfter}});
    }
  }

  get socket() { return this.sockets.at(-1); }
  of(method) { return this.requests.filter(request => request.method === method).map(request => request.params); }
  tell(event, data, seq = ++this.seq) { this.#write(this.socket, {seq, event, data}); }
  cut() { this.socket.end(); }
  #write(socket, message) { setTimeout(() => socket.readyState === 1 && socket.onmessage?.({data: JSON.stringify(message)}), 0); }
}

const user = (id, name, role = "participant", more = {}) =>
  ({id, name, kind: "client", role, audio: "off", video: "off", share: "off", isConnected: true, joinedAt: 1, ...more});
const stream = (id, connection, more = {}) =>
  ({id, connection, name: id, videoType: "camera", hasAudio: true, hasVideo: true, isAudioMuted: false, isVideoMuted: false, width: 0, height: 0,
    isDropped: false, createdAt: 1, ...more});
const refuse = (code, retryAfter) => () => { throw Object.assign(new Error(code), {code, retryAfter}); };

/// Clients that end with the unit test: one that reconnects would reach the relay of the next.
const started = [];

/// Returns a Signaling that has joined, and its requests.
async function joined(modules, change = () => {}) {
  const relay = new PlayedRelay(), said = {events: [], joined: [], resumed: [], ended: [], status: []};
  change(relay);
  window.WebSocket = relay.Socket;
  const client = new modules.signaling.Signaling("ws://nowhere", {
    onEvent: (event, data) => said.events.push([event, data]), onJoined: (answer, again) => said.joined.push(again),
    onResumed: answer => said.resumed.push(answer), onEnded: ending => said.ended.push(ending.reason), onStatus: status => said.status.push(status),
  });
  started.push(client);
  await client.join({session: "room", name: "Me", token: "t"});
  return {relay, client, said};
}

const UNITS = {
  async "a password is requested, and tried again on the same connection"(modules) {
    const relay = new PlayedRelay();
    window.WebSocket = relay.Socket;
    relay.answers.join = ({password}) => password === "right" ? relay.joinAnswer() : refuse(password ? "passwordWrong" : "passwordNeeded")();
    const client = new modules.signaling.Signaling("ws://nowhere", {});
    same(await refusal(client.join({session: "room", name: "Me"})), "passwordNeeded", "without");
    same(await refusal(client.join({session: "room", name: "Me", password: "no"})), "passwordWrong", "with a wrong one");
    await client.join({session: "room", name: "Me", password: "right"});
    same([relay.sockets.length, client.status, relay.socket.protocol], [1, "connected", "millrace.v1"], "sockets and status");
  },

  async "a cancelled join ends at once, and another can follow"(modules) {
    for (const isOpen of [false, true]) {
      const relay = new PlayedRelay(), said = [];
      window.WebSocket = relay.Socket;
      relay.answers.join = () => undefined;
      const client = new modules.signaling.Signaling("ws://nowhere", {onStatus: status => said.push(status)});
      started.push(client);
      const answer = refusal(client.join({session: "room", name: "Me"}));
      if (isOpen) await until(() => relay.of("join").length === 1, "its request");
      client.cancel();
      same([await Promise.race([answer, later(500)]) ?? null, said], ["notConnected", ["connecting", "notConnected"]],
           isOpen ? "while its answer is awaited" : "while the WebSocket opens");
      relay.answers.join = () => relay.joinAnswer();
      await client.join({session: "room", name: "Me"});
      same([client.status, relay.sockets.length], ["connected", 2], "another join");
    }
  },

  async "another refusal ends the connection"(modules) {
    const relay = new PlayedRelay();
    window.WebSocket = relay.Socket;
    relay.answers.join = refuse("tokenExpired");
    const client = new modules.signaling.Signaling("ws://nowhere", {});
    same(await refusal(client.join({session: "room", name: "Me"})), "tokenExpired", "refusal");
    same([client.status, relay.socket.readyState], ["failed", 3], "status and socket");
    same(await refusal(client.request("signal")), "notConnected", "a request afterwards");
  },

  async "events arrive once and in order; after a gap the missing ones are requested"(modules) {
    const {relay, said} = await joined(modules);
    for (const number of [1, 2, 2, 1, 3]) relay.tell("signal", {number}, number);
    await until(() => said.events.length === 3, "three events");
    relay.answers.resume = () => { setTimeout(() => [4, 5].forEach(number => relay.tell("signal", {number}, number)), 5); return {connection: "me", missed: 2}; };
    relay.tell("signal", {number: 5}, 5);
    await until(() => said.events.length === 5, "the missed ones");
    same(said.events.map(([, data]) => data.number), [1, 2, 3, 4, 5], "order");
    same(relay.of("resume"), [{version: 1, resumeToken: "secret", lastEvent: 3, snapshots: true}], "resume");
  },

  async "a snapshot replaces events that the relay does not have, and event numbers begin again"(modules) {
    const {relay, client, said} = await joined(modules);
    for (const number of [1, 2, 3]) relay.tell("signal", {number}, number);
    await until(() => said.events.length === 3, "three events");
    relay.answers.chat = () => undefined;
    const repeated = client.request("chat", {id: "1", text: "hello"}, {isRepeatable: true});
    await until(() => relay.of("chat").length === 1, "a chat message");
    relay.answers.chat = () => ({});
    const snapshot = () => ({connection: "me", missed: 0, publishLost: false, subscribeLost: true, snapshot: {...relay.joinAnswer(), nextPage: 7}});
    relay.answers.resume = snapshot;
    // The second socket is lost between the pages, so that the client asks for another snapshot.
    relay.answers.users = () => relay.sockets.length === 2 ? relay.cut() : (relay.tell("signal", {number: 4}, 1), later(20).then(() => ({users: [user("a", "A")], streams: [stream("sa", "a")]})));
    relay.cut();
    await until(() => said.events.length === 4, "an event after the snapshot");
    await repeated;
    same([said.events[3][1].number, said.joined, client.status], [4, [false], "connected"], "resumed, not joined again");
    same(said.resumed.map(({snapshot}) => [snapshot.users.map(({id}) => id), snapshot.streams.length]), [[["me", "a"], 1]], "the whole snapshot, once");
    same(relay.of("resume").map(({lastEvent}) => lastEvent), [3, Number.MAX_SAFE_INTEGER], "what it had");
    relay.answers.resume = () => ({connection: "me", missed: 0});
    relay.cut();
    await until(() => said.resumed.length === 2, "resumed again");
    same(relay.of("resume").at(-1).lastEvent, 1, "numbers that begin again");
  },

  async "requests wait for the connection; an unanswered one fails; none is sent twice"(modules) {
    const {relay, client, said} = await joined(modules);
    relay.answers.signal = () => undefined;
    const underWay = refusal(client.request("signal", {data: "under way"}));
    await later(5);
    relay.isDown = true;
    relay.cut();
    await until(() => client.status === "reconnecting", "reconnecting");
    same(await underWay, "notConnected", "the one under way");
    relay.answers.signal = () => ({});
    const waiting = [client.request("signal", {data: "first"}), client.request("signal", {data: "second"})];
    same(await refusal(client.request("signal", {}, {queued: false})), "notConnected", "one that would not wait");
    await later(50);
    relay.isDown = false;
    await Promise.all(waiting);
    same(relay.of("signal").map(params => params.data), ["under way", "first", "second"], "what arrived");
    same([said.resumed.length, said.joined, client.status], [1, [false], "connected"], "resumed, not joined again");
  },

  async "a connection that has expired at the relay joins again"(modules) {
    const {relay, said} = await joined(modules);
    relay.answers.resume = refuse("resumeExpired");
    relay.cut();
    await until(() => said.joined.length === 2, "a second join");
    same([said.joined, relay.of("join")[1].session, said.ended], [[false, true], "room", []], "joined again");
    relay.tell("signal", {}, 1);
    await until(() => said.events.length === 1, "events that count from 1 again");
  },

  async "an ended session is not joined again, unless the relay restarts"(modules) {
    const removed = await joined(modules);
    removed.relay.tell("disconnected", {reason: "removed"});
    await until(() => removed.said.ended.length, "the end");
    removed.relay.cut();
    await later(400);
    same([removed.said.ended, removed.relay.sockets.length], [["removed"], 1], "removed");
    const restarted = await joined(modules);
    restarted.relay.tell("disconnected", {reason: "relayShutdown"});
    await until(() => restarted.said.joined.length === 2, "a second join");
    same(restarted.said.ended, [], "not ended");
  },

  async "a connection to a silent relay is closed, and opened again"(modules) {
    const {relay, said} = await joined(modules, relay => { relay.pingInterval = 60; });
    await until(() => relay.of("ping").length > 1, "pings");
    same(relay.sockets.length, 1, "sockets while pings are answered");
    relay.answers.ping = () => undefined;
    await until(() => said.resumed.length, "resumed");
    same(relay.sockets.length, 2, "sockets");
  },

  async "the state is current at every event"({state: {SessionState}}) {
    const state = new SessionState(), seen = [];
    state.reset({...new PlayedRelay().joinAnswer(), users: [user("me", "Me"), user("a", "A", "host")], streams: [stream("sa", "a")]});
    state.addEventListener("change", ({detail}) => seen.push([detail.event, state.users.size, state.streams.size, state.host?.id ?? null]));
    same([state.may.makeHost(state.users.get("a")), state.may.lockShare, state.may.endForAll], [false, false, false], "a participant");
    state.apply("userJoined", {user: user("b", "B")});
    state.apply("streamCreated", {stream: stream("sb", "b", {videoType: "screen"})});
    state.apply("userDropped", {user: "b", isDropped: true});
    same([state.users.get("b").isConnected, state.streams.get("sb").isDropped, state.streams.get("sa").isDropped], [false, true, false], "dropped");
    state.apply("hostChanged", {host: "me"});
    same([state.me.role, state.users.get("a").role], ["host", "participant"], "roles");
    same([state.may.remove(state.users.get("a")), state.may.endForAll, state.may.remove(state.me)], [true, true, false], "a host");
    state.apply("shareLockChanged", {isLocked: true});
    state.apply("muteForced", {isActive: true});
    state.apply("muteForced", {isActive: false, stream: "sb", kind: "audio"});
    same([state.isShareLocked, state.isMuteForced], [true, true], "locks");
    for (const [event, id, isRecorded] of [["Started", "sa", true], ["Started", "sb", true], ["Stopped", "sa", true], ["Stopped", "sb", false]]) {
      state.apply(`recording${event}`, {stream: id});
      same(state.isRecorded, isRecorded, `recording${event} ${id}`);
    }
    state.connecting("l", "sb");
    same([state.isLive, state.liveStreams.size], [false, 1], "connecting");
    for (const [event, isLive] of [["Started", true], ["Failed", false], ["Started", true], ["Stopped", false]]) {
      state.apply(`live${event}`, {id: "l", stream: "sb"});
      same(state.isLive, isLive, `live${event}`);
    }
    state.apply("streamDestroyed", {stream: "sb", reason: "forced"});
    state.apply("userLeft", {user: "b", reason: "left"});
    state.apply("usersChanged", {joined: [user("c", "C"), user("d", "D")], left: [{user: "nobody", reason: "left"}], unlisted: [], count: 4});
    state.apply("usersChanged", {joined: [], left: [{user: "c", reason: "left"}], unlisted: ["d", "me"], count: 900});
    same([[...state.users.keys()], state.userCount], [["me", "a"], 900], "together");
    state.apply("unheardOf", {});
    same(seen.map(one => one.slice(0, 3)), [["userJoined", 3, 1], ["streamCreated", 3, 2], ["userDropped", 3, 2], ["hostChanged", 3, 2],
      ["shareLockChanged", 3, 2], ["muteForced", 3, 2], ["muteForced", 3, 2],
      ["recordingStarted", 3, 2], ["recordingStarted", 3, 2], ["recordingStopped", 3, 2], ["recordingStopped", 3, 2],
      ["liveStarted", 3, 2], ["liveFailed", 3, 2], ["liveStarted", 3, 2], ["liveStopped", 3, 2], ["streamDestroyed", 3, 1], ["userLeft", 2, 1], ["usersChanged", 4, 1],
      ["usersChanged", 2, 1], ["unheardOf", 2, 1]], "at each event");
  },

  async "streams are published in one peer connection, and a refusal leaves the others alone"({publishing: {PublishPeer}, sources}) {
    const far = new RTCPeerConnection(), said = [];
    let refuses = null, count = 0;
    const peer = new PublishPeer(async (method, params) => {
      said.push([method, params]);
      if (method !== "publish") return {};
      if (refuses) refuse(refuses)();
      await far.setRemoteDescription({type: "offer", sdp: params.sdp});
      await far.setLocalDescription(await far.createAnswer());
      return {sdp: far.localDescription.sdp, streams: params.streams.map(one => one.id ?? `stream-${++count}`)};
    }, []);
    const camera = await peer.publish({name: "camera", media: sources.testVideo("Ada")});
    same([camera.id, said[0][1].streams.length, /a=simulcast:send l;h\r/.test(said[0][1].sdp)], ["stream-1", 1, true], "the first offer");
    same([said[0][1].streams[0].width, said[0][1].streams[0].height, said[0][1].streams[0].videoMid !== said[0][1].streams[0].audioMid], [640, 360, true], "its stream");
    const offered = said[0][1].sdp, nack = `a=rtcp-fb:${/^a=rtpmap:(\d+) opus\//m.exec(offered)[1]} nack\r\n`;
    same([offered.split(nack).length - 1, peer.connection.localDescription.sdp.includes(nack)], [1, false], "lost audio may be requested");
    refuses = "shareLocked";
    same(await refusal(peer.publish({name: "screen", videoType: "screen", media: sources.testVideo("Ada")})), "shareLocked", "a refusal");
    refuses = null;
    same([peer.publications.length, peer.connection.signalingState], [1, "stable"], "after it");
    const screen = await peer.publish({name: "screen", videoType: "screen", media: sources.testVideo("Ada")});
    const last = said.at(-1)[1];
    same([screen.id, last.streams.map(one => one.id ?? null), last.streams.map(one => one.videoType)],
         ["stream-2", ["stream-1", null], ["camera", "screen"]], "the next offer");
    const before = /a=ice-ufrag:(\S+)/.exec(last.sdp)[1];
    await peer.restart();
    same([/a=ice-ufrag:(\S+)/.exec(said.at(-1)[1].sdp)[1] === before, said.at(-1)[1].streams.map(one => one.id)], [false, ["stream-1", "stream-2"]], "a restart");
    await peer.unpublish(camera);
    same([said.at(-1), peer.publications.length, camera.track("video").readyState], [["unpublish", {stream: "stream-1"}], 1, "ended"], "unpublished");
    peer.close();
    same(screen.track("video").readyState, "ended", "closed");
    far.close();
  },

  async "The largest encoding has the full size, and there are no more than the browser sends"({publishing: {encodings, adapted}}) {
    const short = size => encodings(size).map(one => [one.rid ?? null, one.scaleResolutionDownBy]);
    const three = [["l", 4], ["m", 2], ["h", 1]], two = [["l", 2], ["h", 1]], one = [[null, 1]];
    for (const [width, height, wanted] of [[1920, 1080, three], [1280, 720, three], [720, 1280, three], [960, 540, three], [800, 600, two], [640, 480, two],
      [640, 360, two], [480, 270, two], [320, 240, one], [320, 180, one], [1, 1, one]]) same(short({width, height}), wanted, `${width}x${height}`);
    same(short({}), three, "a size that is not known");
    same(encodings({width: 1280, height: 720}).at(-1).maxBitrate, 1_700_000, "720p");
    same(encodings({width: 640, height: 360}).map(one => one.maxBitrate), encodings({width: 1280, height: 720}).slice(0, 2).map(one => one.maxBitrate),
         "the same bit rate for the same size");
    const scales = list => list.map(one => one.active ? one.scaleResolutionDownBy : null);
    same(scales(adapted(encodings({width: 1280, height: 720}), {width: 640, height: 480})), [2, 1, null], "another camera, smaller");
    same(scales(adapted(encodings({width: 1280, height: 720}), {width: 320, height: 240})), [1, null, null], "much smaller");
    same(scales(adapted(encodings({width: 640, height: 480}), {width: 1920, height: 1080})), [2, 1], "larger");
    same(scales(adapted(encodings({width: 320, height: 240}), {width: 1920, height: 1080})), [1], "larger, of a single encoding");
    same(adapted(encodings({width: 1280, height: 720}), {width: 640, height: 480}).map(one => one.rid), ["l", "m", "h"], "RIDs stay");
  },

  async "a stream is offered in its codec alone, of those that browser and relay have"({publishing: {PublishPeer, encodingsOf, sendableCodecs}, session: {Session}, sources}) {
    const far = new RTCPeerConnection(), offers = [], relay = new PlayedRelay();
    const peer = new PublishPeer(async (_, {sdp, streams}) => {
      offers.push(sdp);
      await far.setRemoteDescription({type: "offer", sdp});
      await far.setLocalDescription(await far.createAnswer());
      return {sdp: far.localDescription.sdp, streams: streams.map((_, index) => `stream-${index}`)};
    }, []);
    const codecs = section => [...new Set([...section.matchAll(/^a=rtpmap:\d+ ([^/]+)/gm)].map(found => found[1]).filter(name => name !== "rtx"))];
    for (const codec of ["VP9", "AV1", "VP8"]) await peer.publish({name: codec, codec, media: sources.testVideo("Ada")});
    same(offers.at(-1).split(/^m=/m).filter(part => part.startsWith("video")).map(codecs), [["VP9"], ["AV1"], ["VP8"]], "the offer");
    same(encodingsOf("VP9", {width: 640, height: 360}).map(one => [one.rid, one.scalabilityMode ?? null]), [["l", "L1T3"], ["h", "L1T3"]], "sizes of VP9");
    same(encodingsOf("VP8", {width: 640, height: 360}).map(one => one.scalabilityMode ?? null), [null, null], "sizes of VP8");
    same([sendableCodecs(["AV1", "none", "VP8"]), sendableCodecs([])], [["AV1", "VP8"], []], "codecs of the browser");
    peer.close();
    far.close();
    window.WebSocket = relay.Socket;
    const session = new Session("ws://nowhere"), join = relay.answers.join, published = [];
    started.push(session);
    relay.answers.join = () => ({...join(), videoCodecs: ["VP8", "AV1", "none"]});
    await session.join({session: "room", name: "Me", token: "t"});
    same(session.codecs, ["VP8", "AV1"], "codecs of browser and relay");
    session.publisher.publish = async ({codec, media}) => { published.push(codec); return {media, track: () => null}; };
    for (const codec of ["AV1", "VP9", undefined]) await session.publish({name: "camera", codec, media: new MediaStream()});
    same(published, ["AV1", "VP8", "VP8"], "one that the relay does not forward");
    await session.leave();
  },

  async "the relay's offers are answered in order, and tracks found by their sections"({subscribing: {SubscribePeer}, sources}) {
    const far = new RTCPeerConnection(), answers = [], seen = [];
    let isLost = false;
    const peer = new SubscribePeer(async (method, params) => {
      if (method !== "answer") return {};
      if (isLost) refuse("notConnected")();
      answers.push(params.revision);
      await far.setRemoteDescription({type: "answer", sdp: params.sdp});
      return {};
    }, []);
    const errors = [];
    peer.onError = error => errors.push(error.name);
    peer.addEventListener("media", ({detail}) => seen.push(detail));
    const one = sources.testVideo("one"), two = sources.testVideo("two");
    const senders = one.getTracks().map(track => far.addTransceiver(track, {direction: "sendonly"}));
    await far.setLocalDescription(await far.createOffer());
    const mid = (kind, list) => list.find(transceiver => transceiver.sender.track.kind === kind)?.mid;
    await peer.subscribe("a");
    await peer.offered({revision: 1, sdp: far.localDescription.sdp, streams: [{id: "a", audioMid: mid("audio", senders), videoMid: mid("video", senders)}]});
    same([answers, seen, peer.media("a").getTracks().map(track => track.kind).sort()], [[1], ["a"], ["audio", "video"]], "the first");
    const more = [far.addTransceiver(two.getVideoTracks()[0], {direction: "sendonly"})];
    await far.setLocalDescription(await far.createOffer());
    const streams = [{id: "a", audioMid: mid("audio", senders), videoMid: mid("video", senders)}, {id: "b", videoMid: mid("video", more)}];
    isLost = true;
    await peer.offered({revision: 2, sdp: far.localDescription.sdp, streams});
    same(answers, [1], "an answer that was lost");
    isLost = false;
    await peer.sayAgain();
    await peer.offered({revision: 1, sdp: "nonsense", streams: []});
    same([answers, seen, peer.media("b").getTracks().length, errors], [[1, 2], ["a", "b"], 1, []], "said again; an old one passed over");
    await peer.offered({revision: 3, sdp: "nonsense", streams: []});
    same(errors.length, 1, "a bad offer is an error");
    peer.forget("a");
    same([peer.media("a"), [...peer.wanted.keys()]], [null, []], "forgotten");
    peer.close();
    far.close();
    for (const track of [...one.getTracks(), ...two.getTracks()]) track.stop();
  },

  async "media that the relay has lost is set up again, once"({session: {Session}, sources}) {
    const relay = new PlayedRelay(), ids = [];
    let far = null, count = 0;
    window.WebSocket = relay.Socket;
    relay.answers.publish = async ({sdp, streams}) => {
      if (streams.some(one => one.id && !ids.includes(one.id))) refuse("unknownStream")();
      // Another certificate requires another peer connection.
      if (/a=fingerprint:(\S+ \S+)/.exec(sdp)[1] !== /a=fingerprint:(\S+ \S+)/.exec(far?.remoteDescription?.sdp ?? "")?.[1]) far = new RTCPeerConnection();
      await far.setRemoteDescription({type: "offer", sdp});
      await far.setLocalDescription(await far.createAnswer());
      const answered = streams.map(one => one.id ?? `stream-${++count}`);
      ids.push(...answered);
      return {sdp: far.localDescription.sdp, streams: answered};
    };
    // Answers arrive after the events that were in flight.
    relay.answers.subscribe = () => later(30).then(() => ({}));
    const session = new Session("ws://nowhere");
    started.push(session);
    await session.join({session: "room", name: "Me", token: "t"});
    const camera = await session.publish({name: "camera", media: sources.testVideo("Ada")});
    relay.tell("streamCreated", {stream: stream("stream-1", "me")});
    relay.tell("streamCreated", {stream: stream("other", "a")});
    await until(() => relay.of("subscribe").length === 1, "a subscription");
    await later(60);
    relay.answers.resume = () => {
      ids.length = 0;
      setTimeout(() => {
        relay.tell("streamDestroyed", {stream: "stream-1", reason: "reset"});
        relay.tell("mediaReset", {publish: true, subscribe: true});
      }, 1);
      return {connection: "me", missed: 2, publishLost: true, subscribeLost: true};
    };
    relay.cut();
    await until(() => camera.id === "stream-2", "the stream under another id");
    await later(100);
    same([relay.of("publish").filter(params => !params.streams[0].id).length, relay.of("subscribe").map(params => params.stream), session.publisher.publications.length],
         [2, ["other", "other"], 1], "requests");
    relay.tell("streamDestroyed", {stream: "stream-2", reason: "forced"});
    await until(() => camera.track("video").readyState === "ended", "the end of a stream that a moderator ended");
    same(session.publisher.publications.length, 0, "publications");
    await session.leave();
    far.close();
  },

  async "a snapshot replaces the session's state, and streams that are new are subscribed"({session: {Session}}) {
    const relay = new PlayedRelay(), seen = [];
    window.WebSocket = relay.Socket;
    relay.answers.join = () => ({...relay.joinAnswer(), users: [user("me", "Me", "host"), user("a", "A")], streams: [stream("old", "a"), stream("kept", "a")]});
    const session = new Session("ws://nowhere");
    started.push(session);
    session.addEventListener("change", ({detail}) => seen.push(detail.event));
    await session.join({session: "room", name: "Me", token: "t"});
    await until(() => relay.of("subscribe").length === 2, "two subscriptions");
    relay.answers.resume = () => ({
      connection: "me", missed: 0, publishLost: false, subscribeLost: true,
      snapshot: {...relay.joinAnswer(), users: [user("me", "Me"), user("a", "A", "host"), user("b", "B")],
                 streams: [stream("kept", "a", {isAudioMuted: true}), stream("new", "b")], isShareLocked: true},
    });
    relay.cut();
    await until(() => relay.of("subscribe").length === 4, "two more subscriptions");
    await later(30);
    same(relay.of("subscribe").slice(2).map(({stream}) => stream).sort(), ["kept", "new"], "subscriptions");
    const {state} = session;
    same([[...state.users.keys()], state.host.id, state.me.role, state.isShareLocked, state.streams.get("kept").isAudioMuted, [...state.streams.keys()]],
         [["me", "a", "b"], "a", "participant", true, true, ["kept", "new"]], "the state");
    same([seen.filter(event => event === "reset").length, relay.of("join").length], [2, 1], "replaced once");
    await session.leave();
  },

  async "after a snapshot a subscribe peer connection that continues is kept, and lost requests are made again"({session: {Session}}) {
    const relay = new PlayedRelay();
    window.WebSocket = relay.Socket;
    const streams = ["kept", "unknown"].map(id => stream(id, "a")), people = [user("me", "Me", "host"), user("a", "A")];
    relay.answers.join = () => ({...relay.joinAnswer(), users: people, streams: [...streams, stream("ended", "a")]});
    const session = new Session("ws://nowhere");
    started.push(session);
    await session.join({session: "room", name: "Me", token: "t"});
    await until(() => relay.of("subscribe").length === 3, "three subscriptions");
    const far = new RTCPeerConnection();
    far.addTransceiver("audio", {direction: "sendonly"});
    await far.setLocalDescription();
    relay.tell("offer", {revision: 4, sdp: far.localDescription.sdp, streams: [{id: "kept", audioMid: far.getTransceivers()[0].mid}]}, 1);
    await until(() => relay.of("answer").length === 1, "an answer");
    const {connection} = session.subscriber;
    relay.answers.resume = () => ({
      connection: "me", missed: 0, publishLost: false, subscribeLost: false, subscriptions: ["kept", "unwanted"],
      snapshot: {...relay.joinAnswer(), users: people, streams},
    });
    relay.cut();
    await until(() => relay.of("subscribe").length === 4, "one more subscription");
    await later(30);
    same(relay.of("resume").map(({offer}) => offer), [4], "the offer");
    same([session.subscriber.connection === connection, connection.signalingState], [true, "stable"], "the peer connection");
    same([relay.of("subscribe").at(-1).stream, relay.of("updateSubscription").map(({stream}) => stream), relay.of("unsubscribe").map(({stream}) => stream)],
         ["unknown", ["kept"], ["unwanted"]], "requests");
    relay.answers.resume = () => ({connection: "me", missed: 0, publishLost: false, subscribeLost: true, snapshot: {...relay.joinAnswer(), users: people, streams}});
    relay.cut();
    await until(() => relay.of("subscribe").length === 6, "subscriptions of a new peer connection");
    relay.answers.resume = () => ({connection: "me", missed: 0});
    relay.cut();
    await until(() => relay.of("resume").length === 3, "another resume");
    same(relay.of("resume").map(({offer}) => offer ?? null), [4, 4, null], "no offer of the new one");
    await session.leave();
    far.close();
  },

  async "texts of others are shown as plain text"({tile: {Tile}, dom}) {
    const evil = `<img src=x onerror="window.hit = 1"><b>bold</b>`, tile = new Tile("k", {pin() {}, menu: () => []});
    document.body.append(tile.node);
    tile.update({user: user("x", evil), stream: stream("s", "x", {isAudioMuted: true}), media: null, isOwn: false, isPinned: false});
    document.body.append(dom.element("p", {title: evil}, evil));
    await later(50);
    same([tile.name.textContent, document.querySelectorAll("img, b").length, window.hit ?? null], [evil, 0, null], "markup");
    same([tile.node.dataset.muted, tile.muted.hidden], ["true", false], "the mark of a muted stream");
    tile.end();
  },

  async "a tile hides video that does not arrive, and reports it if the network is the cause"({tile: {Tile}, sources}) {
    const tile = new Tile("k", {pin() {}, menu: () => []}), media = sources.testVideo("Ada");
    const facts = {user: user("a", "Ada"), stream: stream("s", "a"), media, isOwn: false, isPinned: false};
    const seen = () => [tile.node.classList.contains("has-video"), tile.note.hidden ? "" : tile.note.textContent];
    document.body.append(tile.node);
    tile.update(facts);
    same(seen(), [true, ""], "at first");
    tile.setPaused(true, "quality");
    same(seen(), [false, "Video paused: the network is too slow"], "for want of bandwidth");
    tile.setPaused(false);
    tile.update({...facts, isHidden: true});
    same(seen(), [false, ""], "as this user wishes");
    // The publisher was away, and has returned.
    tile.setPaused(false);
    same(seen(), [false, ""], "still");
    tile.update(facts);
    same(seen(), [true, ""], "as this user wishes again");
    tile.update({...facts, stream: {...facts.stream, codec: "H264"}, isUndecodable: true});
    same(seen(), [false, "This browser cannot play this video (H.264)"], "a codec that this browser lacks");
    same([tile.video.srcObject.getVideoTracks().length, tile.video.srcObject.getAudioTracks()], [0, media.getAudioTracks()], "its audio is played");
    tile.end();
    for (const track of media.getTracks()) track.stop();
  },

  async "a menu without entries closes by keys too"({menu: {menuButton}, dom: {element}}) {
    const button = menuButton(element("button", {type: "button"}, "More"), () => []), open = () => document.querySelector("[role=menu]");
    document.body.append(button);
    button.click();
    same(document.activeElement === open(), true, "focus");
    open().dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
    same([open(), document.activeElement === button], [null, true], "closed, and back at the button");
    button.remove();
  },

  async "http and https addresses in a text are links, and nothing else is"({dom: {linked}}) {
    const links = text => {
      const nodes = linked(text);
      same(nodes.map(node => node.textContent ?? node).join(""), text, "the text stays as it was");
      return nodes.filter(node => node.href).map(node => node.textContent);
    };
    for (const [text, wanted] of [
      ["see https://a.example/x?y=1&z=2.", ["https://a.example/x?y=1&z=2"]], ["(http://a.example)", ["http://a.example"]],
      ["http://a.example/w_(x) and HTTPS://B.example!", ["http://a.example/w_(x)", "HTTPS://B.example"]], ["javascript:alert(1) data:text/html,x ftp://a", []],
      ["https://good.example@evil.example", []], ["http://", []], ["xhttp://a.example", []], ["<a href=\"https://a.example\">", ["https://a.example"]], ["", []],
    ]) same(links(text), wanted, text);
    same(linked("https://a.example").map(node => [node.rel, node.target]), [["noopener noreferrer nofollow", "_blank"]], "how it opens");
  },

  async "Raised hands belong to present users, and are sent to users who join"({hands: {Hands, HAND}}) {
    const said = [], session = new EventTarget(), users = new Map([["me", user("me", "Me")], ["a", user("a", "A")], ["h", user("h", "H", "host")]]);
    Object.assign(session, {state: {self: "me", users}, request: async (method, params) => { said.push([params.data, params.to ?? null]); return {}; }});
    const hands = new Hands(session), tell = (event, data) => session.dispatchEvent(new CustomEvent("change", {detail: {event, data}}));
    const signal = (from, data) => tell("signal", {from, type: HAND, data});
    signal("a", "up");
    signal("a", "up");
    signal("stranger", "up");
    signal("a", "nonsense");
    tell("signal", {from: "h", type: "note", data: "up"});
    same([...hands.raised], ["a"], "raised");
    await hands.set(true);
    signal("me", "up");
    tell("userJoined", {user: user("b", "B")});
    same(said, [["up", null], ["up", "b"]], "told to all, then to who joins");
    signal("a", "lower");
    same(hands.isRaised, true, "not lowered by a participant");
    signal("h", "lower");
    await later(1);
    same([hands.isRaised, said.at(-1)], [false, ["down", null]], "lowered by the host");
    signal("me", "up");
    tell("userLeft", {user: "a"});
    same([...hands.raised], ["me"], "gone with its user");
    session.state.self = "again";
    tell("reset", {});
    await later(1);
    same([[...hands.raised], said.at(-1)], [["again"], ["up", null]], "raised again under another id");
  },

  async "A peer connection without a path is reported once, until it has one"({mediapath: {MediaPath}}) {
    const seen = [];
    let state = "new", isNeeded = false;
    const stats = new Map([["l", {type: "local-candidate", address: "10.0.0.2", port: 5}], ["r", {type: "remote-candidate", address: "::1", port: 7, protocol: "udp"}],
      ["t", {type: "remote-candidate", address: "10.0.0.9", port: 8, protocol: "tcp"}],
      ["p", {type: "candidate-pair", localCandidateId: "l", remoteCandidateId: "r", requestsSent: 3, responsesReceived: 0}]]);
    const connection = {get connectionState() { return state; }, iceConnectionState: "checking", getStats: async () => stats};
    const path = new MediaPath(() => connection, report => seen.push(report), {isNeeded: () => isNeeded, patience: 40});
    const to = one => { state = one; path.changed(); };
    to("connecting");
    await later(60);
    same(seen, [], "while no media is wanted");
    isNeeded = true;
    to("failed");
    to("connecting");
    await until(() => seen.length, "a report");
    same(seen, [{stage: "ice", pairs: [{protocol: "udp", local: "10.0.0.2:5", remote: "[::1]:7", sent: 3, received: 0},
                                       {protocol: "tcp", local: null, remote: "10.0.0.9:8", sent: 0, received: 0}]}], "the report");
    to("failed");
    await later(60);
    same(seen.length, 1, "once");
    to("connected");
    same(seen.at(-1), null, "a path");
    to("disconnected");
    await later(10);
    to("connected");
    await later(60);
    same(seen.length, 2, "a short loss");
    to("connecting");
    state = "closed";
    await later(60);
    same(seen.length, 2, "closed without a word");
  },

  async "rates are growth over time"({statistics: {Line}}) {
    const line = new Line();
    for (let i = 0; i < 100; i++) line.push(i);
    same([line.values.length, line.last], [60, 99], "a line keeps a minute");
  },

  async "quality is charted by the second, its loss over some seconds"({quality: {perSecond, withLoss}}) {
    const at = second => 1000 * second, point = (second, packets, lost) => ({at: at(second), packets, lost});
    const points = withLoss([point(1, 100, 0), point(2, 100, 20), point(9, 100, 1), point(10, 0, 0), point(11, 0, 3)]);
    same(points.map(({loss}) => Math.round(loss)), [0, 10, 1, 1, 4], "loss");
    same(withLoss([point(1, 0, 0)])[0].loss, null, "no packets");
    const values = perSecond(points, ({packets}) => packets, at(11));
    same([values.length, values.slice(-3), values.at(-11), values.filter(value => value === null).length], [600, [100, 0, 0], 100, 595], "seconds");
    same(perSecond([point(1, 5, 0)], ({packets}) => packets, at(700)).some(value => value !== null), false, "older points");
  },
};

/// Returns [{name, error}] of all unit tests whose names begin with `only`; `base`: the address of the modules.
api.units = async ({base, only = ""}) => {
  const names = {signaling: "client/signaling.js", session: "client/session.js", state: "client/state.js", publishing: "client/publishing.js", subscribing: "client/subscribing.js",
                 sources: "client/sources.js", statistics: "client/statistics.js", chat: "client/chat.js", hands: "client/hands.js", mediapath: "client/mediapath.js", tile: "ui/tile.js", dom: "ui/dom.js",
                 messagelog: "ui/messagelog.js", menu: "ui/menu.js", quality: "admin/quality.js", keyagreement: "client/keyagreement.js"};
  const modules = {}, results = [], WebSocket = window.WebSocket;
  for (const [name, path] of Object.entries(names)) modules[name] = await import(`${base}/${path}`);
  modules.transform = await (await fetch(`${base}/client/transform.js`)).text();
  for (const [name, unit] of Object.entries(UNITS)) {
    if (!name.startsWith(only)) continue;
    let error = null;
    await unit(modules).catch(reason => { error = `${reason.message}`; });
    results.push({name, error});
    for (const client of started.splice(0)) await client.leave();
  }
  window.WebSocket = WebSocket;
  return results;
};
