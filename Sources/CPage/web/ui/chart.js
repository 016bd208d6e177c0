// Small line charts of the last minute, or of a longer time.

import {drawn, element} from "./dom.js";

const WIDTH = 120, HEIGHT = 32, SAMPLES = 60;

/// One figure with its line chart.
export class Chart {
  #value = element("strong", {}); #area = drawn("path", {class: "chart-area"}); #path = drawn("path", {class: "chart-line"});

  /// `format(number)` returns the text beside the chart. `least`: minimum value of the chart's upper edge. `samples`: values in its width.
  constructor(title, format, {least = 1, samples = SAMPLES} = {}) {
    this.format = format;
    this.least = least;
    this.samples = samples;
    this.node = element("figure", {class: "chart"}, element("figcaption", {}, element("span", {}, title), this.#value),
                        drawn("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true"}, this.#area, this.#path));
  }

  draw(line) {
    this.#value.textContent = this.format(line.last);
    const top = Math.max(this.least, ...line.values.map(value => value ?? 0)), step = WIDTH / (this.samples - 1);
    const first = this.samples - line.values.length;
    const points = line.values.map((value, index) =>
      `${((first + index) * step).toFixed(1)} ${(HEIGHT - 1 - (value ?? 0) / top * (HEIGHT - 3)).toFixed(1)}`);
    if (!points.length) return;
    this.#path.setAttribute("d", `M${points.join("L")}`);
    this.#area.setAttribute("d", `M${(first * step).toFixed(1)} ${HEIGHT}L${points.join("L")}L${WIDTH} ${HEIGHT}Z`);
  }
}
