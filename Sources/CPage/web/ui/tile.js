// A tile of the stage: one stream, or one user without streams.

import {hue} from "../client/sources.js";
import {preferences} from "./devices.js";
import {element, icon} from "./dom.js";
import {menuButton} from "./menu.js";
import {codecName} from "./words.js";

/// Milliseconds without a new frame after which video counts as frozen.
const FROZEN = 2500;
const ROLES = {host: "Host", manager: "Manager"};

export class Tile {
  /// `actions`: the callbacks `{pin(tile), menu(tile)}`.
  constructor(key, actions) {
    this.key = key;
    this.isOwn = false;
    this.stream = null;
    this.hasVideo = this.paused = this.isFrozen = false;
    this.frames = {count: null, at: 0};
    this.video = element("video", {autoplay: true, playsinline: true});
    this.avatar = element("span", {class: "avatar", "aria-hidden": "true"});
    this.name = element("span", {class: "name"});
    this.role = element("span", {class: "badge", hidden: true});
    this.muted = element("span", {class: "mark", title: "Muted", hidden: true}, icon("micOff"), element("span", {class: "unseen"}, "muted"));
    this.hand = element("span", {class: "mark hand", title: "Hand raised", hidden: true}, icon("hand"), element("span", {class: "unseen"}, "hand raised"));
    this.note = element("span", {class: "note", hidden: true});
    this.facts = element("span", {class: "facts"});
    this.pinButton = element("button", {type: "button", class: "round", data: {action: "pin"}, "aria-pressed": "false",
                                        onclick: () => actions.pin(this)}, icon("pin"));
    this.menu = menuButton(element("button", {type: "button", class: "round", data: {action: "menu"}}, icon("more")), () => actions.menu(this));
    this.node = element("article", {class: "tile", data: {key}}, this.avatar, this.video, this.note,
                        element("div", {class: "tile-tools"}, this.pinButton, this.menu),
                        element("div", {class: "caption"}, this.muted, this.hand, this.name, this.role, this.facts));
    // A double click on a button does not pin the tile.
    this.node.addEventListener("dblclick", ({target}) => { if (!target.closest("button")) actions.pin(this); });
  }

  /// Updates the tile. `media` is set only if it differs, which avoids flicker. `isHidden`: this user has switched the video off.
  /// `isUndecodable`: this browser does not accept the codec of the video.
  update({user, stream, media, isOwn, isPinned, isHidden = false, isUndecodable = false, isRaised = false}) {
    Object.assign(this, {user, stream, isOwn, isUndecodable});
    this.hand.hidden = !isRaised;
    const name = user?.name ?? "Unknown", isScreen = stream?.videoType === "screen";
    const label = isScreen ? `${name}: screen` : name;
    this.name.textContent = isOwn && !isScreen ? `${label} (you)` : label;
    this.role.textContent = ROLES[user?.role] ?? "";
    this.role.hidden = !ROLES[user?.role];
    this.node.setAttribute("aria-label", this.#spoken(label));
    this.node.dataset.stream = stream?.id ?? "";
    this.node.dataset.user = user?.id ?? "";
    this.node.classList.toggle("is-screen", isScreen);
    // Only the own front camera is mirrored: test videos contain text, and screens and rear cameras do not act as mirrors.
    const facing = media?.getVideoTracks()[0]?.getSettings().facingMode;
    this.video.classList.toggle("is-mirrored", isOwn && !isScreen && stream?.name !== "test video" && facing !== "environment" &&
                                preferences().isMirrored);
    this.#avatar(name);
    this.#media(isUndecodable && media ? this.#audioOf(media) : media, isOwn);
    const isMuted = !!stream && !!(stream.isAudioMuted || (!stream.hasAudio && !isScreen));
    this.muted.hidden = !isMuted;
    this.node.dataset.muted = String(isMuted);
    this.hasVideo = !isHidden && !isUndecodable && !!media?.getVideoTracks().length && !!stream && stream.hasVideo && !stream.isVideoMuted;
    this.#remark();
    this.pinButton.setAttribute("aria-pressed", String(isPinned));
    this.pinButton.setAttribute("aria-label", isPinned ? `Unpin ${label}` : `Pin ${label}`);
    this.menu.setAttribute("aria-label", `More for ${label}`);
  }

  /// Shows that the relay sends no video: for lack of bandwidth, or because this user or the publisher switched it off.
  setPaused(isPaused, reason) {
    this.paused = isPaused;
    this.pausedFor = reason;
    this.#remark();
  }

  /// Dims frozen video, so that it is not mistaken for live. `count`: frames of a camera decoded so far; `now`: time in milliseconds.
  countFrames(count, now) {
    const isExpected = this.hasVideo && !this.paused && !this.isOwn && this.stream?.videoType !== "screen" && !document.hidden;
    if (!isExpected || count !== this.frames.count) this.frames = {count, at: now};
    const isFrozen = isExpected && count > 0 && now - this.frames.at >= FROZEN;
    if (isFrozen === this.isFrozen) return;
    this.isFrozen = isFrozen;
    this.#remark();
  }

  speak(isSpeaking) { this.node.classList.toggle("is-speaking", isSpeaking); }

  showFacts(text) { this.facts.textContent = text; }

  end() {
    this.video.srcObject = null;
    this.node.remove();
  }

  #spoken(label) {
    const parts = [label, ROLES[this.user?.role], this.stream?.isAudioMuted ? "muted" : null, this.stream?.isDropped ? "connection lost" : null];
    return parts.filter(Boolean).join(", ");
  }

  #avatar(name) {
    this.avatar.textContent = [...name.trim()][0]?.toUpperCase() ?? "?";
    this.avatar.style.background = `hsl(${hue(name)} 45% 36%)`;
  }

  /// Returns the audio of a stream alone: an element that waits for the first frame of its video plays no audio.
  #audioOf(media) {
    if (this.audio?.source !== media) this.audio = {source: media, media: new MediaStream(media.getAudioTracks())};
    return this.audio.media;
  }

  #media(media, isOwn) {
    this.video.muted = isOwn;
    if (this.video.srcObject === media || (!media && !this.video.srcObject)) return;
    this.video.srcObject = media ?? null;
    if (media) this.video.play().catch(error => { if (error.name === "NotAllowedError") this.node.dispatchEvent(new CustomEvent("silent", {bubbles: true})); });
  }

  #remark() {
    const dropped = this.stream?.isDropped || this.user?.isConnected === false;
    const text = dropped ? "Connection lost" : this.isUndecodable ? `This browser cannot play this video (${codecName(this.stream?.codec)})` : this.paused && this.pausedFor === "quality" ? "Video paused: the network is too slow" :
      this.isFrozen ? "No new video arrives" : "";
    this.node.classList.toggle("has-video", this.hasVideo && !this.paused);
    this.note.textContent = text;
    this.note.hidden = !text;
    this.node.classList.toggle("is-dropped", !!dropped);
    this.node.classList.toggle("is-frozen", this.isFrozen);
  }
}
