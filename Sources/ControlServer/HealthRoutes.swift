import Hummingbird

/// `/healthz`: the process answers. `/readyz`: the relay accepts new work.
struct HealthRoutes {
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("healthz", [.get: { _, _ in .text("ok\n") }])
        table.add(
            "readyz",
            [
                .get: { _, _ in
                    guard !bodies.isDraining else {
                        throw Problem(.draining, "the relay is shutting down", retryAfter: 5)
                    }
                    return .text("ready\n")
                }
            ])
    }
}
