import LoadGenerator
import MediaBase
import RelayServer
import Testing

/// A session into which real pictures (320x180, 15 a second) and a tone are published through a plain transport.
struct MediaFixture {
    let session: String
    let stream: String

    var path: String { "/v1/sessions/\(session)/streams/\(stream)" }
}

/// Runs `body` while media is published into `relay`, from when the relay has the first of it.
func withMedia<R: Sendable>(
    _ relay: Relay, http: RawHTTPClient, _ body: (MediaFixture) async throws -> R
) async throws -> R {
    var plan = LoadPlan(target: .embedded)
    plan.subscribers = 0
    plan.video = try VideoFormat(width: 320, height: 180, framesPerSecond: 15)
    plan.duration = .seconds(60)
    plan.ramp = .zero
    let run = try LoadRun(plan: plan, door: EmbeddedDoor(engine: try #require(relay.engine)))
    let fixture = MediaFixture(session: plan.sessionName(0), stream: plan.streamName(0))
    async let report = run.run { _ in }
    do {
        // Each try is a request of its own, so this turns slowly and needs no pause.
        var isFlowing = false
        while !isFlowing {
            let metrics = try await http.request("GET", "/metrics").text
            isFlowing = !metrics.contains("\nmillrace_packets_received_total 0\n")
        }
        let result = try await body(fixture)
        run.interrupt()
        // A test that stops the relay takes the ground from under the run.
        _ = try? await report
        return result
    } catch {
        run.interrupt()
        _ = try? await report
        throw error
    }
}
