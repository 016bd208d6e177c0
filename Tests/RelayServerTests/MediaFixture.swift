import LoadGenerator
import MediaBase
import RelayServer
import TestMedia
import Testing

/// A session with a stream of real video (320x180, 15 frames a second) and a test tone from a plain transport.
struct MediaFixture {
    let session: String
    let stream: String

    var path: String { "/v1/sessions/\(session)/streams/\(stream)" }
}

/// Publishes media into `relay` and runs `body` once the relay has received the first packets.
func withMedia<R: Sendable>(
    _ relay: Relay, http: RawHTTPClient, _ body: (MediaFixture) async throws -> R
) async throws -> R {
    var plan = LoadPlan(target: .embedded)
    plan.subscribers = 0
    plan.video = try VideoFormat(width: 320, height: 180, framesPerSecond: 15)
    plan.duration = .seconds(60)
    plan.ramp = .zero
    let run = try LoadRun(plan: plan, relay: EmbeddedRelay(engine: try #require(relay.engine)))
    let fixture = MediaFixture(session: plan.sessionName(0), stream: plan.stream(ofPublisher: 0))
    async let report = run.run { _ in }
    do {
        // Each iteration makes an HTTP request, so the loop needs no pause.
        var isFlowing = false
        while !isFlowing {
            let metrics = try await http.request("GET", "/metrics").text
            isFlowing = !metrics.contains("\nmillrace_packets_received_total 0\n")
        }
        let result = try await body(fixture)
        run.interrupt()
        // The run fails if the test stops the relay.
        _ = try? await report
        return result
    } catch {
        run.interrupt()
        _ = try? await report
        throw error
    }
}
