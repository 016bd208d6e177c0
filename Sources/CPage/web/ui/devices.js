// The choice of camera, microphone, speaker and video codec, with a preview, before joining and during the session. The browser's storage keeps it.

import * as sources from "../client/sources.js";
import {show} from "./dialogs.js";
import {element} from "./dom.js";
import {stored, store} from "./storage.js";
import {codecName, explained} from "./words.js";

const KEY = "millrace.devices";
/// Emits `change` when the user has chosen devices.
export const choices = new EventTarget();

/// Returns `{camera, microphone, speaker, codec, isMirrored}`: device ids, or "" if the browser chooses; the codec of published video.
export function preferences() {
  try {
    const {camera = "", microphone = "", speaker = "", codec = "VP8", isMirrored = true} = JSON.parse(stored(KEY) ?? "{}") ?? {};
    return {camera: String(camera), microphone: String(microphone), speaker: String(speaker), codec: String(codec), isMirrored: isMirrored !== false};
  } catch {
    return {camera: "", microphone: "", speaker: "", codec: "VP8", isMirrored: true};
  }
}

const KINDS = [
  {name: "camera", kind: "video", device: "videoinput", label: "Camera"},
  {name: "microphone", kind: "audio", device: "audioinput", label: "Microphone"},
  {name: "speaker", device: "audiooutput", label: "Speaker"},
];

/// Shows the preview. Resolves with `{tracks, isStart}`, or null if the user cancels. The tracks of the chosen devices then belong to the
/// caller. With `hasStart` the dialog also asks whether to publish after joining; the answer is `isStart`. `codecs`: video codecs to choose from.
export async function chooseDevices({hasStart = false, isStart = true, codecs = []} = {}) {
  const preview = new Preview(hasStart, isStart, codecs);
  const answer = await show("Camera and microphone", preview.body, [
    element("button", {type: "button", onclick: event => event.target.closest("dialog").close("")}, "Cancel"),
    element("button", {value: "yes", class: "primary"}, "Use these"),
  ], {onOpen: () => preview.start(), wide: true});
  return preview.end(answer === "yes");
}

class Preview {
  #media = new MediaStream(); #video; #selects = new Map(); #error; #meter; #mirror; #start; #codec; #context = null; #timer = 0; #isOver = false; #turn = 0;

  constructor(hasStart, isStart, codecs) {
    const chosen = preferences();
    this.#video = element("video", {autoplay: true, playsinline: true, "aria-label": "Preview of your camera"});
    this.#video.muted = true;
    this.#video.srcObject = this.#media;
    this.#error = element("p", {class: "error", role: "alert"});
    this.#meter = element("meter", {min: 0, max: 1, "aria-label": "Level of your microphone"});
    this.#mirror = element("input", {type: "checkbox", name: "mirror", onchange: () => this.#turnOver()});
    this.#mirror.checked = chosen.isMirrored;
    this.#start = element("input", {type: "checkbox", name: "start"});
    this.#start.checked = isStart;
    this.#codec = element("select", {name: "codec"}, ...codecs.map(codec => element("option", {value: codec}, codecName(codec))));
    this.#codec.value = codecs.includes(chosen.codec) ? chosen.codec : codecs.includes("VP8") ? "VP8" : codecs[0] ?? "";
    for (const {name, kind} of KINDS) {
      const select = element("select", {name, onchange: () => kind && this.#capture([kind])});
      select.append(element("option", {value: ""}, "Chosen by the browser"));
      select.dataset.wanted = chosen[name];
      this.#selects.set(name, select);
    }
    const fields = KINDS.map(({name, label}) => element("label", {class: "field", data: {device: name}}, label, this.#selects.get(name)));
    fields[1].append(this.#meter);
    // Browsers without `setSinkId` cannot choose a speaker.
    fields[2].hidden = !HTMLMediaElement.prototype.setSinkId;
    this.body = [
      element("div", {class: "preview"}, this.#video), this.#error, ...fields,
      codecs.length > 1 ? element("label", {class: "field", data: {device: "codec"}}, "Video codec", this.#codec,
                                  element("small", {}, "For the next camera or screen that you start.")) : null,
      element("label", {class: "check"}, this.#mirror, "Mirror my own video (others see it as it is)"),
      hasStart ? element("label", {class: "check"}, this.#start, "Turn camera and microphone on when I join") : null,
    ].filter(Boolean);
    this.#turnOver();
  }

  async start() {
    await this.#capture(["audio", "video"]);
    if (!this.#isOver) this.#timer = setInterval(() => this.#measure(), 100);
  }

  /// Ends the preview, and stores the choice if it was accepted.
  end(isTaken) {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#context?.close().catch(() => {});
    this.#video.srcObject = null;
    const tracks = this.#media.getTracks();
    if (!isTaken) {
      for (const track of tracks) track.stop();
      return null;
    }
    const chosen = Object.fromEntries([...this.#selects].map(([name, select]) => [name, select.value]));
    // Without a choice the stored codec stays.
    const codec = this.#codec.length > 1 ? this.#codec.value : preferences().codec;
    store(KEY, JSON.stringify({...chosen, codec, isMirrored: this.#mirror.checked}));
    choices.dispatchEvent(new CustomEvent("change"));
    return {tracks, isStart: this.#start.checked};
  }

  #turnOver() { this.#video.classList.toggle("is-mirrored", this.#mirror.checked); }

  /// Captures the given kinds again: together, so that the browser asks once; if that fails, one by one, so that one may succeed.
  async #capture(kinds) {
    const turn = ++this.#turn, failures = [], wanted = name => this.#selects.get(name).value || this.#selects.get(name).dataset.wanted;
    for (const track of this.#media.getTracks().filter(one => kinds.includes(one.kind))) {
      track.stop();
      this.#media.removeTrack(track);
    }
    const capture = async some => {
      const captured = await sources.camera({audio: some.includes("audio"), video: some.includes("video"), camera: wanted("camera"), microphone: wanted("microphone")});
      for (const track of captured.getTracks()) {
        // The dialog was closed or another device was chosen during the browser's permission prompt.
        if (this.#isOver || turn !== this.#turn) track.stop();
        else this.#media.addTrack(track);
      }
    };
    await capture(kinds).catch(async error => {
      const name = kind => kind === "audio" ? "Microphone" : "Camera";
      if (kinds.length === 1) return failures.push(`${name(kinds[0])}: ${explained(error)}`);
      for (const kind of kinds) await capture([kind]).catch(failure => failures.push(`${name(kind)}: ${explained(failure)}`));
    });
    if (this.#isOver || turn !== this.#turn) return;
    this.#error.textContent = failures.join(" ");
    if (kinds.includes("audio")) this.#listen();
    await this.#list();
  }

  /// Lists the devices. Browsers reveal their names only after access to one of them was granted.
  async #list() {
    const all = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    for (const {name, kind, device} of KINDS) {
      const select = this.#selects.get(name), used = this.#media.getTracks().find(one => one.kind === kind)?.getSettings().deviceId;
      const found = all.filter(one => one.kind === device && one.deviceId);
      const options = found.map((one, index) => element("option", {value: one.deviceId}, one.label || `${KINDS.find(k => k.name === name).label} ${index + 1}`));
      const wanted = select.value || select.dataset.wanted;
      select.replaceChildren(element("option", {value: ""}, "Chosen by the browser"), ...options);
      select.value = found.some(one => one.deviceId === used) ? used : found.some(one => one.deviceId === wanted) ? wanted : "";
    }
  }

  #listen() {
    this.#context?.close().catch(() => {});
    this.#context = null;
    const track = this.#media.getAudioTracks()[0];
    if (!track) return;
    try {
      this.#context = new AudioContext();
      this.analyser = this.#context.createAnalyser();
      this.#context.createMediaStreamSource(new MediaStream([track])).connect(this.analyser);
    } catch {
      // There is no audio output: the meter stays at zero.
      this.#context = null;
    }
  }

  #measure() {
    if (!this.#context) return;
    const samples = new Float32Array(this.analyser.fftSize);
    this.analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, one) => sum + one * one, 0) / samples.length;
    // The scale is -60 dB to 0 dB.
    this.#meter.value = Math.max(0, Math.min(1, 1 + Math.log10(power + 1e-9) / 6));
  }
}
