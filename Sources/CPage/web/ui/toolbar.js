// The row of buttons: what is published, mute, moderation, leaving.

import * as sources from "../client/sources.js";
import {ask, tell} from "./dialogs.js";
import {byID, element, icon} from "./dom.js";
import {menuButton} from "./menu.js";
import {sessionMenu} from "./moderation.js";
import {attempt} from "./notices.js";

export class Toolbar {
  #place = byID("toolbar"); #session; #buttons = new Map(); #starting = false; #news = 0;

  constructor(session, {onPanel}) {
    this.#session = session;
    this.#place.replaceChildren();
    this.#add("audio", "mic", () => this.#toggle("audio"));
    this.#add("video", "camera", () => this.#toggle("video"));
    this.#group();
    this.#add("camera", "camera", () => this.#publish("camera"));
    this.#add("microphone", "mic", () => this.#publish("microphone"));
    this.#add("picture", "picture", () => this.#publish("picture"));
    this.#add("screen", "screen", () => this.#share());
    this.#group();
    menuButton(this.#add("session", "shield", () => {}), () => sessionMenu(session));
    this.#add("panel", "panel", onPanel);
    this.#add("report", "flag", () => this.#report());
    this.#add("leave", "leave", () => session.leave()).classList.add("danger");
    for (const type of ["change", "published", "status"]) session.addEventListener(type, () => this.render());
    // The row outlives the session: the next one's buttons have one listener again.
    this.#place.onkeydown = event => this.#onKey(event);
    this.render();
  }

  render() {
    const session = this.#session, {state, status} = session, {may} = state;
    const camera = session.publication("camera"), share = session.publication("screen"), isConnected = status === "connected";
    for (const [kind, on, off] of [["audio", "Mute", "Unmute"], ["video", "Stop video", "Start video"]]) {
      const has = !!camera?.track(kind), isMuted = has && session.isMuted(camera, kind);
      this.#set(kind, {hidden: !has, text: isMuted ? off : on, glyph: `${kind === "audio" ? "mic" : "camera"}${isMuted ? "Off" : ""}`, isPressed: isMuted});
    }
    const isPicture = camera?.name === "test picture", hasDevices = !!navigator.mediaDevices?.getUserMedia;
    const free = may.publish && !camera;
    this.#set("camera", {hidden: !((free && hasDevices) || (camera && !isPicture && camera.track("video"))), text: camera ? "Stop camera" : "Camera",
                         isPressed: !!camera});
    this.#set("microphone", {hidden: !((free && hasDevices) || (camera && !isPicture && !camera.track("video"))),
                             text: camera ? "Stop microphone" : "Microphone only", isPressed: !!camera});
    this.#set("picture", {hidden: !(free || (camera && isPicture)), text: camera ? "Stop test picture" : "Test picture", isPressed: !!camera});
    this.#set("screen", {hidden: !share && (!may.publish || !navigator.mediaDevices?.getDisplayMedia), text: share ? "Stop sharing" : "Share screen",
                         isPressed: !!share, isDisabled: !share && !may.share});
    this.#set("session", {hidden: !(may.moderate || may.forceMute), text: "Moderate"});
    this.#set("panel", {text: "Panel", spoken: this.#news ? `Panel, ${this.#news} new` : "Panel"});
    this.#set("report", {text: "Report a problem", isDisabled: !isConnected});
    this.#set("leave", {text: "Leave"});
  }

  /// Shows at the panel's button that there is something new behind it.
  mark(name, count) {
    this.#news = count;
    this.#buttons.get(name).button.classList.toggle("has-news", count > 0);
    this.render();
  }

  #add(name, glyph, run) {
    const label = element("span", {class: "label"});
    const button = element("button", {type: "button", data: {action: name}, onclick: run}, icon(glyph), label);
    this.#buttons.set(name, {button, label, glyph});
    this.#place.append(button);
    return button;
  }

  #group() { this.#place.append(element("span", {class: "gap", "aria-hidden": "true"})); }

  #set(name, {hidden = false, text, spoken = text, glyph, isPressed, isDisabled = false}) {
    const entry = this.#buttons.get(name), {button, label} = entry;
    button.hidden = hidden;
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

  #toggle(kind) {
    const session = this.#session, camera = session.publication("camera");
    if (!camera) return;
    attempt(async () => {
      await session.setMuted(camera, kind, !session.isMuted(camera, kind));
      this.render();
    });
  }

  #publish(what) {
    const session = this.#session, camera = session.publication("camera");
    if (this.#starting) return;
    attempt(async () => {
      if (camera) return session.unpublish(camera);
      this.#starting = true;
      try {
        const me = session.state.me?.name ?? "";
        const media = what === "picture" ? sources.testPicture(me) : await sources.camera({video: what === "camera"});
        await this.#begin({name: what === "picture" ? "test picture" : what, videoType: "camera", media});
      } finally {
        this.#starting = false;
      }
    });
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
      await this.#session.publish(options);
    } catch (error) {
      for (const track of options.media.getTracks()) track.stop();
      throw error;
    }
  }

  #report() {
    attempt(async () => {
      const note = await ask("Report a problem", "What went wrong? The relay keeps this with what it knows of your connection.",
                             {action: "Report", maximum: 2000, lines: 4});
      if (note === null) return;
      const {issue} = await this.#session.request("reportIssue", note ? {note} : {});
      await tell("Reported", "Give this id to whoever runs the relay:", issue);
    });
  }

  /// Arrow keys go along the toolbar.
  #onKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const buttons = [...this.#place.querySelectorAll("button:not([hidden]):not(:disabled)")], at = buttons.indexOf(document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  }
}
