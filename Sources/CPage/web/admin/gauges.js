// Rates of the whole relay, from the difference of two readings of its counters.

import {Line} from "../client/statistics.js";
import {Chart} from "../ui/chart.js";
import {bitrate, byID, number} from "../ui/dom.js";

const bytes = value => value == null ? "–" : `${(value / 1048576).toFixed(0)} MiB`;
const each = value => number(value, value < 10 ? 1 : 0, "/s");

/// [name, title, format, minimum of the chart's upper edge]
const SHOWN = [
  ["cost", "CPU per packet", value => value < 10_000 ? number(value, 0, " ns") : number(value / 1000, 0, " µs"), 1000], ["forwarded", "Packets out", each, 100], ["received", "Packets in", each, 100],
  ["rate", "Media out", bitrate, 1e6], ["drops", "Drops", each, 5], ["retransmitted", "Retransmitted", each, 5],
  ["delay", "Delay, 99 of 100", value => number(value, 2, " ms"), 1], ["cpu", "Process CPU", value => number(value, 0, " %"), 20],
  ["memory", "Memory", bytes, 1 << 26], ["transports", "Transports", value => number(value), 4],
];

export class Gauges {
  #before = null; #rows = new Map();

  constructor() {
    for (const [name, title, format, least] of SHOWN) this.#rows.set(name, {line: new Line(), chart: new Chart(title, format, {least})});
    byID("gauges").replaceChildren(...[...this.#rows.values()].map(({chart}) => chart.node));
  }

  /// `values`: the result of `AdminAPI.metrics`.
  read(values) {
    const now = performance.now(), before = this.#before, seconds = before ? (now - before.now) / 1000 : 0;
    this.#before = {now, values};
    const value = name => values.get(`millrace_${name}`) ?? null;
    const grown = name => before ? (values.get(name) ?? 0) - (before.values.get(name) ?? 0) : 0;
    const rate = name => before ? grown(`millrace_${name}`) / seconds : null;
    const causes = [...values].filter(([name]) => name.startsWith("millrace_packets_dropped_total{"));
    const forwarded = grown("millrace_packets_forwarded_total");
    this.#push({
      // CPU time of the media threads only, divided by the packets sent in the same time.
      cost: forwarded > 0 ? 1e9 * grown("millrace_worker_cpu_seconds_total") / forwarded : null,
      forwarded: rate("packets_forwarded_total"), received: rate("packets_received_total"),
      rate: before && 8 * rate("forwarded_bytes_total"), drops: before && causes.reduce((sum, [name]) => sum + grown(name), 0) / seconds,
      retransmitted: rate("packets_retransmitted_total"), delay: 1000 * (values.get('millrace_forward_delay_seconds{quantile="0.99"}') ?? NaN),
      cpu: before && 100 * grown("millrace_process_cpu_seconds_total") / seconds || before && 100 * grown("process_cpu_seconds_total") / seconds,
      memory: values.get("millrace_process_resident_memory_bytes") ?? values.get("process_resident_memory_bytes") ?? null,
      transports: value("transports"),
    });
    const seen = causes.filter(([, count]) => count > 0).map(([name, count]) => `${/cause="([^"]*)"/.exec(name)?.[1]} ${count}`);
    byID("drops").textContent = seen.length ? `Datagrams dropped since the start: ${seen.join(", ")}` : "No datagram was dropped since the start.";
  }

  #push(numbers) {
    for (const [name, {line, chart}] of this.#rows) {
      line.push(Number.isFinite(numbers[name]) ? numbers[name] : null);
      chart.draw(line);
    }
  }
}
