// Sources of media: camera and microphone, screen, and a generated test video with a tone that needs no device.

const RATE = 20;

/// Returns the hue of a name, 0...359 degrees.
export function hue(name) {
  let hash = 2166136261;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619) >>> 0;
  return hash % 360;
}

/// Captures camera and microphone; with `video` false only the microphone. `camera` and `microphone` are device ids; if one of these
/// devices is gone, the browser chooses.
export async function camera({audio = true, video = true, camera: cameraID = "", microphone: microphoneID = ""} = {}) {
  // The id has to be exact: an ideal one has the same weight as the size, so the browser could choose another camera.
  const exact = id => id && {deviceId: {exact: id}};
  const capture = (cameraID, microphoneID) => navigator.mediaDevices.getUserMedia({
    audio: audio && {echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...exact(microphoneID)},
    video: video && {width: {ideal: 1280}, height: {ideal: 720}, frameRate: {ideal: 30}, ...exact(cameraID)},
  });
  try {
    return await capture(cameraID, microphoneID);
  } catch (error) {
    if (!["OverconstrainedError", "NotFoundError"].includes(error.name) || !(cameraID || microphoneID)) throw error;
    return capture("", "");
  }
}

export function screen() {
  return navigator.mediaDevices.getDisplayMedia({video: {frameRate: {ideal: 15, max: 30}}, audio: true});
}

/// Generates a moving test video with a counter, and a quiet tone whose pitch depends on the name.
export function testVideo(name, {width = 640, height = 360} = {}) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width, height});
  const painter = new Painter(canvas, name), media = canvas.captureStream(RATE), video = media.getVideoTracks()[0];
  painter.draw();
  const timer = setInterval(() => painter.draw(), 1000 / RATE);
  const audio = tone(name);
  if (audio) media.addTrack(audio.track);
  const stop = video.stop.bind(video);
  video.stop = () => {
    clearInterval(timer);
    audio?.stop();
    stop();
  };
  // Some browsers omit the size in the settings of canvas tracks.
  const settings = video.getSettings.bind(video);
  video.getSettings = () => ({width, height, ...settings()});
  return media;
}

class Painter {
  number = 0;

  constructor(canvas, name) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", {alpha: false});
    this.name = name;
    this.hue = hue(name);
  }

  draw() {
    const {context, canvas: {width, height}} = this, turn = this.number / RATE, unit = height / 12;
    context.fillStyle = `hsl(${this.hue} 62% 42%)`;
    context.fillRect(0, 0, width, height);
    // Slowly moving diagonal bands give the encoder motion to encode.
    context.fillStyle = `hsl(${this.hue} 62% 47%)`;
    const band = width / 6, shift = (turn * 30) % (2 * band);
    for (let x = -height - 2 * band; x < width; x += 2 * band) {
      context.beginPath();
      context.moveTo(x + shift, height);
      context.lineTo(x + shift + band, height);
      context.lineTo(x + shift + band + height, 0);
      context.lineTo(x + shift + height, 0);
      context.fill();
    }
    this.#hand(width - 2.6 * unit, 2.6 * unit, 1.7 * unit, turn);
    context.fillStyle = "white";
    context.textBaseline = "alphabetic";
    context.font = `700 ${2.6 * unit}px system-ui, sans-serif`;
    context.fillText(this.name, unit, height - 4.6 * unit, width - 2 * unit);
    context.font = `500 ${1.5 * unit}px ui-monospace, monospace`;
    context.fillText(`${new Date().toISOString().slice(11, 21)}  #${this.number}`, unit, height - 2.6 * unit, width - 2 * unit);
    this.number += 1;
  }

  #hand(x, y, radius, turn) {
    const {context} = this;
    context.strokeStyle = context.fillStyle = "white";
    context.lineWidth = radius / 9;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, radius * 0.78, -Math.PI / 2, -Math.PI / 2 + (turn % 4) / 4 * 2 * Math.PI);
    context.fill();
  }
}

/// Generates the tone; null if the browser has no audio output.
function tone(name) {
  let context;
  try {
    context = new AudioContext({sampleRate: 48000});
  } catch {
    return null;
  }
  const destination = context.createMediaStreamDestination(), gain = context.createGain(), swell = context.createOscillator(), depth = context.createGain();
  const oscillator = context.createOscillator();
  // Pitches of a pentatonic scale, so that several tones are consonant.
  oscillator.frequency.value = 220 * 2 ** ([0, 2, 4, 7, 9][hue(name) % 5] / 12 + (hue(name) >> 3) % 2);
  gain.gain.value = 0.06;
  swell.frequency.value = 0.5;
  depth.gain.value = 0.04;
  swell.connect(depth).connect(gain.gain);
  oscillator.connect(gain).connect(destination);
  for (const source of [oscillator, swell]) source.start();
  context.resume().catch(() => {});
  return {track: destination.stream.getAudioTracks()[0], stop: () => context.close().catch(() => {})};
}
