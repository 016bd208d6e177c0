"""The files that `millrace load` writes: its timeline, and its report in a browser."""

import json
import re

import clients

PLOTS = """[...document.querySelectorAll('svg.plot')].map(plot => ({label: plot.getAttribute('aria-label'),
    width: plot.getBoundingClientRect().width, lines: [...plot.querySelectorAll('.line')].map(line => line.getTotalLength())}))"""
COLOURS = """[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
    ...[...document.querySelectorAll('svg.plot .line')].map(line => getComputedStyle(line).stroke)]"""


def contrast(one, other):
    """Returns the contrast of two colours in CSS notation (WCAG 2.1)."""
    def luminance(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def report(bench, name):
    """A full mesh that an interrupt ends: both files are written, and the report has plots, in light and dark and on a phone."""
    check = bench.reporter.check
    html, timeline = bench.current / "load.html", bench.current / "load.json"
    load = bench.keep(clients.Process("millrace load", [
        bench.binary, "load", "--embedded", "--transport", "webrtc", "--participants", 3, "--full-mesh", "--video", "320x180@15",
        "--duration", 600, "--report", html, "--timeline", timeline], bench.current / "load.log"))
    clients.wait_until(lambda: load.log.read_text().count(" joined ") >= 6 or not load.running, 60, "six lines of progress")
    load.stop(patience=30)
    check(name, "an interrupted run ends well", load.process.returncode == 0, said=load.tail(2))
    rows = json.loads(timeline.read_text())["points"]
    check(name, "the timeline has a row a second, of six subscriptions",
          len(rows) >= 6 and rows[-1]["connected"] == 6 and all(row["receivedPacketsPerSecond"] > 0 for row in rows[2:-1]), rows=len(rows))
    check(name, "with the latency of decoded frames", all("latencyMilliseconds" in row for row in rows[3:-1]))

    page = bench.visit("chromium", html.as_uri())
    for dark in (False, True):
        scheme = "dark" if dark else "light"
        page.size(1000, 800, dark=dark)
        back, text, *lines = page.evaluate(COLOURS)
        check(name, f"{scheme}: text and lines stand out", contrast(back, text) >= 4.5 and min(contrast(back, line) for line in lines) >= 3,
              back=back, text=text, lines=sorted(set(lines)))
    page.screenshot(bench.current / "load.png")
    plots = page.evaluate(PLOTS)
    check(name, "eight plots are shown, each with a name and lines",
          len(plots) == 8 and all(plot["label"] and plot["width"] > 400 and min(plot["lines"]) > 200 for plot in plots), plots=plots)
    check(name, "nothing is loaded", page.evaluate("performance.getEntriesByType('resource').length + document.scripts.length") == 0)
    page.size(390, 844, touch=True)
    check(name, "it fits a phone", page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


ALL = [("load report", report)]
LONG = []
