import ControlServer
import Dispatch
import NIOConcurrencyHelpers
import SDP

@testable import MediaEngine

/// The engine with a worker that blocks after each publisher's transport was opened until `goOn` is called. It blocks for at most 30 s, so that a
/// failed test ends.
final class StandingMediaPlane: WebRTCMediaPlane {
    private let engine: MediaEngine
    private let gate = DispatchSemaphore(value: 0)
    private let publishers = NIOLockedValueBox<[TransportID]>([])

    /// Transports of publishers, in the order in which they were opened.
    var opened: [TransportID] { publishers.withLockedValue { $0 } }

    init(_ engine: MediaEngine) { self.engine = engine }

    /// Unblocks the worker. Call it once for each opened publisher.
    func goOn() { gate.signal() }

    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer {
        let answer = try await engine.openWebRTC(request)
        guard request.direction == .publish else { return answer }
        publishers.withLockedValue { $0.append(answer.id) }
        let gate = gate
        _ = engine.begin(.home(session: request.session)) { _, _ in _ = gate.wait(timeout: .now() + 30) }
        return answer
    }

    func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError) {
        try await engine.closeWebRTC(id, session: session)
    }

    func restartICE(
        _ id: TransportID, session: String, peer: ICECredentials
    ) async throws(EngineError) -> ICECredentials {
        try await engine.restartICE(id, session: session, peer: peer)
    }

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError) {
        try await engine.setLayer(id, session: session, choice)
    }

    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot {
        try await engine.webRTC(id, session: session)
    }

    func streams(session: String) async throws(EngineError) -> [StreamSnapshot] {
        try await engine.streams(session: session)
    }

    func observeStreams() -> AsyncStream<StreamEvent> { engine.observeStreams() }
}
