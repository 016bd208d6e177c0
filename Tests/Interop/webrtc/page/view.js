"use strict";
// A subscriber: records number, time, source and size of the received frames.

class Watcher {
  constructor(track) {
    this.seen = [];
    this.reader = new BarReader();
    this.total = 0;
    const stream = new MediaStream([track]);
    this.element = document.createElement("video");
    Object.assign(this.element, {srcObject: stream, muted: true, autoplay: true, playsInline: true, width: 320});
    document.body.append(this.element);
    this.element.play().catch(() => {});
    if (typeof MediaStreamTrackProcessor !== "undefined") this.process(track);
    else this.element.requestVideoFrameCallback(() => this.presented());
  }

  // Processes every decoded frame, shown or not.
  async process(track) {
    const reader = new MediaStreamTrackProcessor({track, maxBufferSize: 30}).readable.getReader();
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      this.note(value, value.displayWidth, value.displayHeight);
      value.close();
    }
  }

  presented() {
    this.note(this.element, this.element.videoWidth, this.element.videoHeight);
    this.element.requestVideoFrameCallback(() => this.presented());
  }

  note(image, width, height) {
    const now = Date.now(), found = this.reader.read(image, width, height);
    this.total++;
    this.first ??= now;
    const latency = found ? (now % 65536 - found.stamp + 65536) % 65536 : -1;
    this.seen.push([now, found ? found.number : -1, latency, found ? found.source : -1, width, height]);
    if (this.seen.length > 20000) this.seen.shift();
  }
}

function watch(call) {
  call.pc.addEventListener("track", ({track}) => {
    if (track.kind === "video") {
      call.watcher = new Watcher(track);
    } else {
      // The audio has to be pulled by an element, and a muted one would not do so.
      const element = document.createElement("audio");
      Object.assign(element, {srcObject: new MediaStream([track]), autoplay: true});
      document.body.append(element);
      element.play().catch(() => {});
      call.listener = new Listener(track);
    }
  });
}

const stereo = sdp => sdp.replace(/(a=fmtp:\d+ minptime=10;useinbandfec=1)/, "$1;stereo=1");

// Chromium offers dependency descriptors only if a page starts them; spatial layers of AV1 cannot be received without.
function startDescriptors(transceiver) {
  const list = transceiver.getHeaderExtensionsToNegotiate();
  for (const one of list) if (one.uri.endsWith("#dependency-descriptor-rtp-header-extension")) one.direction = "sendrecv";
  transceiver.setHeaderExtensionsToNegotiate(list);
}

api.view = async options => {
  const call = new Call(options);
  watch(call);
  if (options.audio !== false) call.pc.addTransceiver("audio", {direction: "recvonly"});
  const video = call.pc.addTransceiver("video", {direction: "recvonly"});
  offerOnly(video, options.codec);
  if (options.layers) startDescriptors(video);
  // Chromium decodes stereo only if its own description requests it.
  call.change = stereo;
  await call.post();
  return call.id;
};

// Used with relays that send offers to their subscribers.
api.viewOffered = async options => {
  const call = new Call(options);
  watch(call);
  await call.pc.setRemoteDescription({type: "offer", sdp: rewritten(options.sdp, options.rewrite)});
  const answer = await call.pc.createAnswer();
  await call.pc.setLocalDescription({type: "answer", sdp: stereo(answer.sdp)});
  await waitFor(() => call.pc.iceGatheringState === "complete", call.pc, "icegatheringstatechange", 5000, "gathering");
  return {id: call.id, sdp: call.pc.localDescription.sdp};
};

// Returns the frames since the last call: [[wall clock ms, number, latency ms, source, width, height], ...]
api.frames = ({id}) => {
  const {watcher} = of(id);
  return watcher ? watcher.seen.splice(0) : [];
};
api.first = ({id}) => of(id).watcher?.first ?? null;
api.heard = ({id}) => of(id).listener?.heard() ?? null;
