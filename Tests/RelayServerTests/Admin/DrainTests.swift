import ControlServer
import Foundation
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import Signaling
import Testing

@testable import RelayServer

@Suite("CON-6 Drain")
struct DrainTests {
    /// Runs a drain service with a test double of the sessions that has `clients` clients.
    private func withDrain(
        clients: Int, grace: Duration, minimum: Duration = .zero,
        _ body: (SessionsDouble, DrainControl, OpenBodies, ServiceGroup) async throws -> Void
    ) async throws -> Duration {
        let double = SessionsDouble()
        double.state.withLockedValue { $0.gauges.users = [.client: clients] }
        let bodies = OpenBodies()
        let control = DrainControl()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let messages = MessageHub(.disabled, statistics: ControlStatistics(), logger: logger)
        let service = DrainService(
            bodies: bodies, sessions: double, messages: messages, control: control, grace: grace, minimum: minimum,
            logger: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        let task = Task { try await group.run() }
        return try await ContinuousClock().measure {
            try await body(double, control, bodies, group)
            try await task.value
            #expect(bodies.isDraining)
            #expect(double.deeds.last == "end all")
        }
    }

    @Test("CON-6 an order is announced to clients, and the relay ends when they have left") func leaves() async throws {
        let took = try await withDrain(clients: 2, grace: .zero) { double, control, bodies, _ in
            control.order(DrainOrder(seconds: 600, url: "wss://b.example"))
            while double.deeds.isEmpty { await Task.yield() }
            #expect(double.deeds == ["drain wss://b.example"])
            // The announced time is the ordered 600 s, although a fraction of a second has passed.
            #expect(double.state.withLockedValue { $0.drainSeconds } == [600])
            #expect(bodies.isDraining)
            double.state.withLockedValue { $0.gauges.users = [.publisher: 1] }
        }
        #expect(took < .seconds(60))
    }

    @Test("CON-6 a drain waits for WebRTC peers without signalling") func peers() async throws {
        let took = try await withDrain(clients: 0, grace: .zero) { double, control, _, _ in
            double.state.withLockedValue { $0.gauges.peers = 1 }
            control.order(DrainOrder(seconds: 1))
        }
        #expect(took >= .milliseconds(900) && took < .seconds(60))
        let left = try await withDrain(clients: 0, grace: .zero) { double, control, _, _ in
            double.state.withLockedValue { $0.gauges.peers = 1 }
            control.order(DrainOrder(seconds: 600))
            while double.deeds.isEmpty { await Task.yield() }
            double.state.withLockedValue { $0.gauges.peers = 0 }
        }
        #expect(left < .seconds(60))
    }

    @Test("CON-6 a drain ends at its deadline even if clients remain") func deadline() async throws {
        let took = try await withDrain(clients: 2, grace: .zero) { _, control, _, _ in
            control.order(DrainOrder(seconds: 1))
        }
        #expect(took >= .milliseconds(900) && took < .seconds(60))
    }

    @Test("CON-6 a later order replaces the earlier one") func later() async throws {
        let took = try await withDrain(clients: 2, grace: .zero) { double, control, _, _ in
            control.order(DrainOrder(seconds: 600, url: "wss://a.example"))
            while double.deeds.isEmpty { await Task.yield() }
            control.order(DrainOrder(seconds: 0, url: "wss://b.example"))
            while double.deeds.count < 2 { await Task.yield() }
            #expect(double.deeds.prefix(2) == ["drain wss://a.example", "drain wss://b.example"])
        }
        #expect(took < .seconds(60))
    }

    @Test("CON-6 a signal gives clients and load balancers their configured times") func signal() async throws {
        let waited = try await withDrain(clients: 1, grace: .seconds(1), minimum: .zero) { _, _, _, group in
            await group.triggerGracefulShutdown()
        }
        #expect(waited >= .milliseconds(900))
        let empty = try await withDrain(clients: 0, grace: .seconds(600), minimum: .seconds(1)) { double, _, _, group in
            await group.triggerGracefulShutdown()
            while double.deeds.isEmpty { await Task.yield() }
            #expect(double.deeds == ["drain -"])
        }
        #expect(empty >= .milliseconds(900) && empty < .seconds(60))
    }

    @Test("CON-6 a signal during an ordered drain does not extend it") func both() async throws {
        let took = try await withDrain(clients: 1, grace: .zero) { double, control, _, group in
            control.order(DrainOrder(seconds: 600))
            while double.deeds.isEmpty { await Task.yield() }
            await group.triggerGracefulShutdown()
        }
        #expect(took < .seconds(60))
    }

    @Test("CON-6 the admin API drains and ends a relay") func whole() async throws {
        try await withRelay({ $0.drainSeconds = 600 }) { relay, http in
            let answer = try await http.request("POST", "/v1/admin/drain", body: #"{"seconds":2}"#)
            #expect(answer.status == 202)
            var ready = try await http.request("GET", "/readyz")
            while ready.status == 200 { ready = try await http.request("GET", "/readyz") }
            #expect(ready.status == 503 && ready.problemCode == "draining")
            try await relay.wait()
            #expect(relay.httpPort == 0)
        }
    }
}
