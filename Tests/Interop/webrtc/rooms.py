"""Cases of the page at `/`."""

UNITS = 13


def modules(bench, name):
    """The page's client modules against a relay that is played in the browser."""
    server = bench.relay()
    client = bench.client("chromium")
    results = client.call("units", timeout=60, base=f"{server.url}/page")
    bench.reporter.check(name, "all of them ran", len(results) >= UNITS, units=len(results))
    for result in results:
        bench.reporter.check(name, result["name"], not result["error"], **({"error": result["error"]} if result["error"] else {}))


ALL = [
    ("page: modules", modules),
]
LONG = []
