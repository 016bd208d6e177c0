import NIOCore
import RelayServer
import Testing

@Suite("A relay starts and stops")
struct RelayLifecycleTests {
    @Test func portsAreFreeAgainAfterStop() async throws {
        var port = 0
        try await withRelay { relay, _ in port = relay.httpPort }
        #expect(port > 0)
        try await withRelay({ $0.httpPort = port }) { relay, http in
            #expect(relay.httpPort == port)
            let answer = try await http.request("GET", "/healthz")
            #expect(answer.status == 200)
        }
    }

    @Test func aPortInUseIsATypedError() async throws {
        try await withRelay { relay, _ in
            var configuration = RelayConfiguration()
            configuration.httpPort = relay.httpPort
            configuration.mediaPort = 0
            configuration.webRTCPort = 0
            configuration.logLevel = "critical"
            let second = Relay(configuration: configuration)
            let error = await #expect(throws: RelayError.self) { try await second.start() }
            guard case .http(let address, let port, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(address == "127.0.0.1" && port == relay.httpPort)
            #expect(second.httpPort == 0)
        }
    }

    @Test func aRelayRunsOnce() async throws {
        try await withRelay { relay, _ in
            await #expect(throws: RelayError.alreadyStarted) { try await relay.start() }
        }
        let never = Relay(configuration: RelayConfiguration())
        await never.stop()
        #expect(never.httpPort == 0)
    }

    @Test func aBadConfigurationIsATypedError() async {
        var configuration = RelayConfiguration()
        configuration.mediaWorkers = 0
        let relay = Relay(configuration: configuration)
        await #expect(
            throws: RelayError.configuration(
                .badValue(key: "media.workers", value: "0", allowed: "1 to 64", source: .code))
        ) { try await relay.start() }
    }

    @Test func stopIsQuickWithIdleConnectionsOpen() async throws {
        try await withRelay { relay, http in
            // The connection stays open until the relay closes it.
            async let open = http.exchange("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await http.until("millrace_http_responses_total{status=\"404\"}", isAtLeast: 1)
            let took = await ContinuousClock().measure { await relay.stop() }
            #expect(took < .seconds(8))
            let kept = try await open
            #expect(kept.status == 404)
        }
    }

    @Test func anUnfinishedRequestHoldsTheStopForSecondsOnly() async throws {
        let clock = ContinuousClock()
        try await withRelay { relay, http in
            async let half = http.exchange(
                "POST /v1/sessions/a/plain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            try await http.until("millrace_http_connections", isAtLeast: 2)
            let took = await clock.measure { await relay.stop() }
            #expect(took < .seconds(8))
            _ = try? await half
        }
    }

    @Test func whileDrainingNothingNewIsOpened() async throws {
        try await withRelay {
            $0.drainSeconds = 2
            $0.drainMinimumSeconds = 2
        } _: { relay, http in
            async let stopped: Void = relay.stop()
            // The drain has started once `readyz` fails; each iteration makes an HTTP request.
            var ready = try await http.request("GET", "/readyz")
            while ready.status == 200 { ready = try await http.request("GET", "/readyz") }
            #expect(ready.status == 503 && ready.problemCode == "draining")
            #expect(ready.fields["retry-after"] != nil)
            #expect(try await http.request("GET", "/healthz").status == 200)
            let open = try await http.request("POST", "/v1/sessions/a/plain", body: #"{"direction":"publish"}"#)
            #expect(open.status == 503 && open.problemCode == "draining")
            await stopped
        }
    }
}
