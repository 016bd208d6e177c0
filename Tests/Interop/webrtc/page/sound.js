"use strict";
// Sends and measures tones.

const LEFT_HZ = 440, RIGHT_HZ = 660;

function toneTrack() {
  const context = new AudioContext({sampleRate: 48000}), merger = context.createChannelMerger(2);
  [LEFT_HZ, RIGHT_HZ].forEach((frequency, side) => {
    const oscillator = context.createOscillator(), gain = context.createGain();
    oscillator.frequency.value = frequency;
    gain.gain.value = 0.3;
    oscillator.connect(gain).connect(merger, 0, side);
    oscillator.start();
  });
  const destination = new MediaStreamAudioDestinationNode(context, {channelCount: 2});
  merger.connect(destination);
  return destination.stream.getAudioTracks()[0];
}

// A tone that begins and ends on request.
class Voice {
  constructor(hertz) {
    this.context = new AudioContext({sampleRate: 48000});
    const oscillator = this.context.createOscillator(), destination = this.context.createMediaStreamDestination();
    oscillator.frequency.value = hertz;
    this.gain = this.context.createGain();
    this.gain.gain.value = 0;
    oscillator.connect(this.gain).connect(destination);
    oscillator.start();
    this.track = destination.stream.getAudioTracks()[0];
  }

  // Returns the wall clock at which the tone begins or ends, in milliseconds.
  turn(isOn) {
    const delay = 0.2;
    this.gain.gain.setValueAtTime(isOn ? 0.3 : 0, this.context.currentTime + delay);
    return Date.now() + delay * 1000;
  }
}

// Returns the share of one frequency in the power of samples (a pure tone: 1).
function share(samples, hertz, rate) {
  const factor = 2 * Math.cos(2 * Math.PI * hertz / rate);
  let before = 0, last = 0, whole = 0;
  for (const value of samples) {
    [before, last] = [last, value + factor * last - before];
    whole += value * value;
  }
  return whole > 0 ? 2 * (last * last + before * before - factor * last * before) / (samples.length * whole) : 0;
}

// Keeps the last 200 ms of each side of a track.
class Listener {
  constructor(track) {
    this.sides = [[], []];
    this.rate = 48000;
    this.loudest = 0;
    if (typeof MediaStreamTrackProcessor !== "undefined") this.run(track);
  }

  async run(track) {
    const reader = new MediaStreamTrackProcessor({track}).readable.getReader();
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      this.rate = value.sampleRate;
      this.channels = value.numberOfChannels;
      for (let side = 0; side < 2; side++) {
        const samples = new Float32Array(value.numberOfFrames);
        value.copyTo(samples, {planeIndex: Math.min(side, value.numberOfChannels - 1), format: "f32-planar"});
        this.sides[side].push(samples);
        while (this.sides[side].length * value.numberOfFrames > this.rate / 5) this.sides[side].shift();
      }
      value.close();
    }
  }

  heard() {
    const [left, right] = this.sides.map(pieces => {
      const all = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
      let at = 0;
      for (const piece of pieces) { all.set(piece, at); at += piece.length; }
      return all;
    });
    if (left.length < this.rate / 10) return null;
    const power = samples => Math.sqrt(samples.reduce((sum, v) => sum + v * v, 0) / samples.length);
    return {left: share(left, LEFT_HZ, this.rate), right: share(right, RIGHT_HZ, this.rate), channels: this.channels,
            level: Math.min(power(left), power(right))};
  }
}
