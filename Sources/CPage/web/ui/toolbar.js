// The toolbar: publishing, mute, raised hand, moderation, leaving. Buttons that do not fit become entries of the menu "More".

import * as sources from "../client/sources.js";
import {chooseDevices, preferences} from "./devices.js";
import {ask, tell} from "./dialogs.js";
import {byID, element, icon} from "./dom.js";
import {menuButton} from "./menu.js";
import {sessionMenu} from "./moderation.js";
import {attempt} from "./notices.js";

/// Buttons that move into the menu if the toolbar is too narrow, in this order. The others always stay.
const MOVABLE = ["test-video", "microphone", "session", "screen", "camera", "hand"];

export class Toolbar {
  #toolbar = byID("toolbar"); #session; #hands; #buttons = new Map(); #starting = false; #news = 0; #over = new Set(); #observer; #entries;

  /// `onPanel()` opens or closes the side panel. `entries()` returns further entries of the menu "More".
  constructor(session, {hands, onPanel, entries}) {
    this.#session = session;
    this.#hands = hands;
    this.#entries = entries;
    this.#toolbar.replaceChildren();
    this.#add("audio", "mic", () => this.toggle("audio"));
    this.#add("video", "camera", () => this.toggle("video"));
    this.#group();
    this.#add("camera", "camera", () => this.publish("camera"));
    this.#add("microphone", "mic", () => this.publish("microphone"));
    this.#add("test-video", "image", () => this.publish("test-video"));
    this.#add("screen", "screen", () => this.#share());
    this.#add("hand", "hand", () => this.raise());
    this.#group();
    menuButton(this.#add("session", "shield", () => {}), () => sessionMenu(session));
    this.#add("panel", "panel", onPanel);
    menuButton(this.#add("more", "more", () => {}), () => this.#more());
    this.#add("leave", "leave", () => session.leave()).classList.add("danger");
    for (const type of ["change", "published", "status"]) session.addEventListener(type, () => this.render());
    hands.addEventListener("change", () => this.render());
    // Assigned, not added: the element is reused by the next session, which must not add a second listener.
    this.#toolbar.onkeydown = event => this.#onKey(event);
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(this.#toolbar);
    this.render();
  }

  end() { this.#observer.disconnect(); }

  render() {
    const session = this.#session, {state} = session, {may} = state;
    const camera = session.publication("camera"), share = session.publication("screen");
    for (const [kind, on, off] of [["audio", "Mute", "Unmute"], ["video", "Stop video", "Start video"]]) {
      const has = !!camera?.track(kind), isMuted = has && session.isMuted(camera, kind);
      this.#set(kind, {hidden: !has, text: isMuted ? off : on, glyph: `${kind === "audio" ? "mic" : "camera"}${isMuted ? "Off" : ""}`, isPressed: isMuted});
    }
    const isTestVideo = camera?.name === "test video", hasDevices = !!navigator.mediaDevices?.getUserMedia;
    const free = may.publish && !camera;
    // The icon of a running camera means "end the stream" and differs from that for mute.
    this.#set("camera", {hidden: !((free && hasDevices) || (camera && !isTestVideo && camera.track("video"))), text: camera ? "End camera" : "Camera",
                         glyph: camera ? "end" : "camera", isPressed: !!camera});
    this.#set("microphone", {hidden: !((free && hasDevices) || (camera && !isTestVideo && !camera.track("video"))), glyph: camera ? "end" : "mic",
                             text: camera ? "End microphone" : "Microphone only", isPressed: !!camera});
    this.#set("test-video", {hidden: !(free || (camera && isTestVideo)), text: camera ? "End test video" : "Test video", glyph: camera ? "end" : "image",
                          isPressed: !!camera});
    this.#set("screen", {hidden: !share && (!may.publish || !navigator.mediaDevices?.getDisplayMedia), text: share ? "Stop sharing" : "Share screen",
                         isPressed: !!share, isDisabled: !share && !may.share});
    this.#set("hand", {text: this.#hands.isRaised ? "Lower hand" : "Raise hand", isPressed: this.#hands.isRaised});
    this.#set("session", {hidden: !(may.moderate || may.forceMute), text: "Moderate"});
    this.#set("panel", {text: "Panel", spoken: this.#news ? `Panel, ${this.#news} new` : "Panel"});
    this.#set("more", {text: "More"});
    this.#set("leave", {text: "Leave"});
    this.#fit();
  }

  /// Marks a button that has new items in its panel.
  mark(name, count) {
    this.#news = count;
    this.#buttons.get(name).button.classList.toggle("has-news", count > 0);
    this.render();
  }

  /// Mutes or unmutes a kind of the own camera stream, if it has such a track.
  toggle(kind) {
    const session = this.#session, camera = session.publication("camera");
    if (!camera?.track(kind)) return;
    attempt(async () => {
      await session.setMuted(camera, kind, !session.isMuted(camera, kind));
      this.render();
    });
  }

  raise() { attempt(() => this.#hands.set(!this.#hands.isRaised)); }

  publish(what) {
    const session = this.#session, camera = session.publication("camera");
    if (this.#starting) return;
    attempt(async () => {
      if (camera) return session.unpublish(camera);
      this.#starting = true;
      try {
        const me = session.state.me?.name ?? "";
        const media = what === "test-video" ? sources.testVideo(me) : await sources.camera({video: what === "camera", ...preferences()});
        await this.#begin({name: what === "test-video" ? "test video" : what, videoType: "camera", media});
      } finally {
        this.#starting = false;
      }
    });
  }

  #add(name, glyph, run) {
    const label = element("span", {class: "label"});
    const button = element("button", {type: "button", data: {action: name}, onclick: run}, icon(glyph), label);
    this.#buttons.set(name, {button, label, glyph, run, isHidden: false});
    this.#toolbar.append(button);
    return button;
  }

  #group() { this.#toolbar.append(element("span", {class: "gap", "aria-hidden": "true"})); }

  #set(name, {hidden = false, text, spoken = text, glyph, isPressed, isDisabled = false}) {
    const entry = this.#buttons.get(name), {button, label} = entry;
    entry.isHidden = hidden;
    button.hidden = hidden || this.#over.has(name);
    button.disabled = isDisabled;
    if (label.textContent !== text) label.textContent = text;
    button.setAttribute("aria-label", spoken);
    button.title = spoken;
    if (isPressed !== undefined) button.classList.toggle("is-on", isPressed);
    if (glyph && glyph !== entry.glyph) {
      button.replaceChild(icon(glyph), button.firstChild);
      entry.glyph = glyph;
    }
  }

  /// Moves buttons into the menu until the row fits, down to a width of 320 px.
  #fit() {
    const focused = document.activeElement, toolbar = this.#toolbar;
    const before = this.#over;
    this.#over = new Set();
    for (const {button, isHidden} of this.#buttons.values()) button.hidden = isHidden;
    for (const name of MOVABLE) {
      if (toolbar.scrollWidth <= toolbar.clientWidth) break;
      const {button, isHidden} = this.#buttons.get(name);
      if (isHidden) continue;
      this.#over.add(name);
      button.hidden = true;
    }
    // If the focused button moved into the menu, the menu's button gets the focus.
    if (focused?.hidden && this.#buttons.get(focused.dataset.action)?.button === focused && !before.has(focused.dataset.action)) {
      this.#buttons.get("more").button.focus();
    }
  }

  /// Returns the entries of the menu "More": the buttons that do not fit, and rarely used actions.
  #more() {
    const session = this.#session, items = [];
    for (const name of this.#over) {
      const {button, label, run} = this.#buttons.get(name);
      if (button.disabled) continue;
      if (name === "session") items.push(...sessionMenu(session));
      else items.push({name, text: label.textContent, run});
    }
    if (items.length) items.push(null);
    if (navigator.mediaDevices?.getUserMedia) items.push({name: "devices", text: "Camera and microphone…", run: () => attempt(() => this.#devices())});
    items.push(...this.#entries());
    if (session.status === "connected") items.push({name: "report", text: "Report a problem…", run: () => this.#report()});
    return items;
  }

  /// Lets the user choose devices, and replaces the tracks of a published camera.
  async #devices() {
    const session = this.#session, camera = session.publication("camera"), isDevice = camera && camera.name !== "test video";
    const chosen = await chooseDevices({codecs: session.codecs});
    if (!chosen) return;
    for (const track of chosen.tracks) {
      const isSent = isDevice && session.publication("camera") === camera && camera.track(track.kind);
      if (isSent) await session.replaceTrack(camera, track);
      else track.stop();
    }
  }

  #share() {
    const session = this.#session, share = session.publication("screen");
    attempt(async () => {
      if (share) return session.unpublish(share);
      await this.#begin({name: "screen", videoType: "screen", media: await sources.screen()});
    });
  }

  async #begin(options) {
    try {
      await this.#session.publish({...options, codec: preferences().codec});
    } catch (error) {
      for (const track of options.media.getTracks()) track.stop();
      throw error;
    }
  }

  #report() {
    attempt(async () => {
      const note = await ask("Report a problem", "What went wrong? The relay stores this with data about your connection.",
                             {action: "Report", maximum: 2000, lines: 4});
      if (note === null) return;
      const {issue} = await this.#session.request("reportIssue", note ? {note} : {});
      await tell("Reported", "Give this id to the operator of the relay:", issue);
    });
  }

  /// Moves the focus along the toolbar with the arrow keys.
  #onKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const buttons = [...this.#toolbar.querySelectorAll("button:not([hidden]):not(:disabled)")], at = buttons.indexOf(document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  }
}
