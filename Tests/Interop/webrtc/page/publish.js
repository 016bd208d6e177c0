"use strict";
// A publisher: a moving test video with the bar, and two tones.

class Painter {
  constructor({width = 640, height = 360, fps = 30, source = 1}) {
    Object.assign(this, {width, height, fps, source, number: 0});
    this.canvas = document.createElement("canvas");
    this.canvas.width = width;
    this.canvas.height = height;
    this.context = this.canvas.getContext("2d", {alpha: false});
    this.texture = new OffscreenCanvas(width, height);
    const context = this.texture.getContext("2d"), image = context.createImageData(width, height);
    // Edges and some grain, so that an encoder has work and a drop of bandwidth has an effect.
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = (y * width + x) * 4, grain = (x * 7919 + y * 104729 + x * y) % 37;
        image.data.set([(x >> 4 ^ y >> 4) * 8 % 200 + grain, (x + y) % 200 + grain, y * 200 / height + grain, 255], at);
      }
    }
    context.putImageData(image, 0, 0);
    if (typeof MediaStreamTrackGenerator !== "undefined") {
      this.track = new MediaStreamTrackGenerator({kind: "video"});
      this.writer = this.track.writable.getWriter();
    } else {
      this.stream = this.canvas.captureStream(0);
      this.track = this.stream.getVideoTracks()[0];
    }
    this.next = performance.now();
    this.tick();
  }

  tick() {
    if (this.stopped) return;
    if (!this.isResting) this.draw();
    const now = performance.now();
    this.next = Math.max(this.next + 1000 / this.fps, now - 100);
    setTimeout(() => this.tick(), this.next - now);
  }

  draw() {
    const {context, width, height, texture} = this, shift = this.number * 3 % width;
    context.drawImage(texture, -shift, 0);
    context.drawImage(texture, width - shift, 0);
    drawBar(context, width, height, this.number++, this.source);
    if (this.writer) {
      const frame = new VideoFrame(this.canvas, {timestamp: Math.round(performance.now() * 1000)});
      this.writer.write(frame).catch(() => frame.close());
    } else {
      (this.track.requestFrame ? this.track : this.stream).requestFrame();
    }
  }
}

async function audioTrack(call) {
  if (call.options.voice) {
    call.voice = new Voice(call.options.voice);
    return call.voice.track;
  }
  if (navigator.userAgent.includes("Firefox")) {
    // Without an audio system there is no WebAudio: the fake microphone, a mono tone of 440 Hz.
    return (await navigator.mediaDevices.getUserMedia({audio: true, fake: true})).getAudioTracks()[0];
  }
  return toneTrack();
}

// Lowest first, in the order of the RIDs: l, m, h.
const SIMULCAST = [{rid: "l", scaleResolutionDownBy: 4, maxBitrate: 150000}, {rid: "m", scaleResolutionDownBy: 2, maxBitrate: 500000},
                   {rid: "h", scaleResolutionDownBy: 1, maxBitrate: 1500000}];

// Offers one video codec; with `any` all that the browser has, in its own order.
function offerOnly(transceiver, codec = "VP8") {
  if (codec === "any") return;
  const wanted = [`video/${codec}`, "video/rtx"].map(type => type.toLowerCase());
  transceiver.setCodecPreferences(RTCRtpReceiver.getCapabilities("video").codecs.filter(c => wanted.includes(c.mimeType.toLowerCase())));
}

async function prepare(call) {
  const {options, pc} = call;
  call.painter = new Painter(options);
  if (options.audio !== false) pc.addTransceiver(await audioTrack(call), {direction: "sendonly"});
  // Without a mode, Chromium sends only the smallest of several encodings of VP9 and AV1.
  const mode = options.scalability && {scalabilityMode: options.scalability};
  const encodings = options.simulcast ? SIMULCAST : [{maxBitrate: options.bitrate ?? 1500000}];
  const video = pc.addTransceiver(call.painter.track, {direction: "sendonly", sendEncodings: encodings.map(e => ({...e, ...mode, maxFramerate: 60}))});
  call.sender = video.sender;
  // On a busy machine Chromium would lower the size of the frames, by which subscribers tell encodings and layers.
  if (options.simulcast || options.layers) await call.sender.setParameters({...call.sender.getParameters(), degradationPreference: "maintain-resolution"});
  offerOnly(video, options.codec);
}

api.publish = async options => {
  const call = new Call(options);
  await prepare(call);
  await call.post();
  return call.id;
};

// Used with relays that lack WHIP: the test transports offer and answer itself.
api.publishOffer = async options => {
  const call = new Call(options);
  await prepare(call);
  return {id: call.id, sdp: await call.offer()};
};
api.publishAnswer = ({id, sdp}) => of(id).accept(sdp);
api.painted = ({id}) => of(id).painter.number;
api.stopPainting = ({id}) => { of(id).painter.stopped = true; };
api.speak = ({id, isOn}) => of(id).voice.turn(isOn);
