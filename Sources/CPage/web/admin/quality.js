// Charts of one participant's quality over the last ten minutes.

import {Chart} from "../ui/chart.js";
import {bitrate, element, number} from "../ui/dom.js";
import {attempt} from "../ui/notices.js";

const SECONDS = 600;
/// Seconds over which the loss is averaged, because receiver reports do not arrive every second.
const LOSS_WINDOW = 5;

/// [title, value of a point, format, minimum of the chart's upper edge]
const FIGURES = [
  ["Bit rate", point => point.bitrate, bitrate, 100_000],
  ["Loss", point => point.loss, value => number(value, 1, " %"), 5],
  ["Round trip", point => point.roundTrip, value => number(value, 0, " ms"), 100],
  ["Estimate", point => point.availableBitrate, bitrate, 100_000],
  ["Lowest video", point => point.height, value => number(value, 0, " lines"), 360],
  ["Frozen videos", point => point.frozen, value => number(value), 1],
];
/// The relay measures neither for a publisher.
const RECEIVED_ONLY = new Set(["Round trip", "Estimate"]);

/// Returns the points with `loss`, in percent of the packets of the last `LOSS_WINDOW` seconds.
export function withLoss(points) {
  return points.map((point, index) => {
    const near = points.slice(0, index + 1).slice(-LOSS_WINDOW).filter(({at}) => point.at - at < 1000 * LOSS_WINDOW);
    const packets = near.reduce((sum, {packets}) => sum + packets, 0), lost = near.reduce((sum, {lost}) => sum + lost, 0);
    return {...point, loss: packets + lost ? Math.min(100, 100 * lost / Math.max(packets, lost)) : null};
  });
}

/// Returns a value for each of the last `SECONDS` seconds before `end`; null without a point.
export function perSecond(points, value, end) {
  const values = new Array(SECONDS).fill(null);
  for (const point of points) {
    const index = SECONDS - 1 - Math.round((end - point.at) / 1000);
    if (index >= 0 && index < SECONDS) values[index] = value(point) ?? null;
  }
  return values;
}

export class QualityPanel {
  #api; #session; #user; #sections = {}; #charts = {};

  constructor(api, session, user) {
    this.#api = api;
    this.#session = session;
    this.#user = user;
    for (const [direction, title] of [["published", "Sends"], ["subscribed", "Receives"]]) {
      const charts = FIGURES.filter(([title]) => direction === "subscribed" || !RECEIVED_ONLY.has(title))
        .map(([title, value, format, least]) => ({value, chart: new Chart(title, format, {least, samples: SECONDS})}));
      this.#charts[direction] = charts;
      this.#sections[direction] = element("section", {data: {direction}, "aria-label": title}, element("h4", {}, title),
                                        element("div", {class: "gauges"}, ...charts.map(({chart}) => chart.node)));
    }
    this.#sections.empty = element("p", {class: "empty", hidden: true}, "No media was measured.");
    this.node = element("section", {class: "quality", data: {quality: user.id}, "aria-label": `Quality of ${user.name}`},
                        element("header", {}, element("h4", {}, `Last ten minutes of ${user.name}`), element("span", {class: "spring"}),
                                element("button", {type: "button", data: {action: "save-quality"}, onclick: () => this.#save()}, "Save as CSV")),
                        this.#sections.empty, this.#sections.published, this.#sections.subscribed);
  }

  get user() { return this.#user.id; }

  async refresh() {
    const quality = await this.#api.quality(this.#session, this.#user.id);
    const end = Math.max(...[...quality.published, ...quality.subscribed].map(({at}) => at));
    for (const direction of ["published", "subscribed"]) {
      const points = withLoss(quality[direction]);
      this.#sections[direction].hidden = !points.length;
      for (const {value, chart} of this.#charts[direction]) {
        const values = perSecond(points, value, end);
        chart.draw({values, last: values.at(-1)});
      }
    }
    this.#sections.empty.hidden = quality.published.length + quality.subscribed.length > 0;
  }

  #save() {
    return attempt(async () => {
      const url = URL.createObjectURL(await this.#api.qualityTable(this.#session, this.#user.id));
      element("a", {href: url, download: `quality-${this.#user.id}.csv`}).click();
      // The browser has started the download by then.
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
  }
}
