// The panel of statistics: four charts, and a card for each track.

import {Chart} from "./chart.js";
import {bitrate, byID, element, number} from "./dom.js";

export class Numbers {
  #panel = byID("panel-statistics"); #session; #charts; #cards = new Map(); #tracks = element("div", {class: "tracks"}); #facts = element("p", {class: "hint"});

  constructor(session) {
    this.#session = session;
    this.#charts = {
      received: new Chart("Received", bitrate, {least: 100_000}), sent: new Chart("Sent", bitrate, {least: 100_000}),
      loss: new Chart("Loss", value => number(value, 1, " %"), {least: 5}), roundTrip: new Chart("Round trip", value => number(value, 0, " ms"), {least: 50}),
    };
    this.#panel.replaceChildren(element("div", {class: "charts"}, ...Object.values(this.#charts).map(chart => chart.node)), this.#facts, this.#tracks);
  }

  /// Draws a sample, if the panel is visible.
  render(statistics) {
    if (this.#panel.hidden || this.#panel.offsetParent === null) return;
    for (const [name, chart] of Object.entries(this.#charts)) chart.draw(statistics[name]);
    const signalling = this.#session.signalingRoundTrip;
    this.#facts.textContent = [statistics.available && `path carries about ${bitrate(statistics.available)}`, signalling && `signalling ${Math.round(signalling)} ms`]
      .filter(Boolean).join(" · ");
    for (const [key, card] of this.#cards) {
      if (statistics.tracks.has(key)) continue;
      card.node.remove();
      this.#cards.delete(key);
    }
    for (const [key, track] of statistics.tracks) {
      if (!this.#cards.has(key)) this.#cards.set(key, this.#card(track));
      this.#fill(this.#cards.get(key), track);
    }
  }

  /// Returns the line of figures in a tile.
  static facts(track) {
    const parts = [track.height ? `${track.width}×${track.height}` : null, track.fps.last != null ? `${Math.round(track.fps.last)} fps` : null,
      track.relay?.isPaused ? "paused" : null];
    return parts.filter(Boolean).join(" · ");
  }

  #card(track) {
    const chart = new Chart(track.kind, bitrate, {least: track.kind === "audio" ? 40_000 : 100_000}), title = element("h3"), list = element("dl");
    const node = element("article", {class: "track", data: {stream: track.stream, kind: track.kind, direction: track.direction}}, title, chart.node, list);
    this.#tracks.append(node);
    return {node, title, chart, list};
  }

  #fill({title, chart, list}, track) {
    const {state} = this.#session, stream = state.streams.get(track.stream), user = state.users.get(stream?.connection ?? state.self);
    title.textContent = `${track.direction === "out" ? "To" : "From"} ${track.direction === "out" ? "the relay" : user?.name ?? "?"}${stream?.videoType === "screen" ? ", screen" : ""}`;
    chart.draw(track.bitrate);
    const rows = [["Loss", number(track.loss.last, 1, " %")]];
    if (track.kind === "video") {
      rows.push(["Size", track.height ? `${track.width}×${track.height}` : "–"], ["Rate", number(track.fps.last, 0, " fps")]);
      if (encoding(track)) rows.push(["Quality", encoding(track)]);
    } else if (track.direction === "in") {
      rows.push(["Jitter", number(track.jitter, 1, " ms")]);
    }
    if (track.layers?.length) rows.push(["Sizes sent", track.layers.map(one => `${one.height}p ${bitrate(one.bitrate)}`).join(", ")]);
    list.replaceChildren(...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }
}

const ENCODINGS = {l: "low", m: "medium", h: "high"};

/// Returns a description of the forwarded encoding, such as "high, temporal layer 2".
function encoding({relay}) {
  if (!relay) return null;
  if (relay.isPaused) return "paused";
  return [ENCODINGS[relay.encoding] ?? relay.encoding, relay.temporalLayer == null ? null : `temporal layer ${relay.temporalLayer}`]
    .filter(part => part != null).join(", ");
}
