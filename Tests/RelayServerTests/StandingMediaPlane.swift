import ControlServer
import NIOConcurrencyHelpers
import SDP

@testable import MediaEngine

/// The engine, which answers a publisher only after `goOn` was called, although its transport is open.
final class StandingMediaPlane: WebRTCMediaPlane {
    private let engine: MediaEngine
    private let gate = AsyncStream<Void>.makeStream()
    private let publishers = NIOLockedValueBox<[TransportID]>([])

    /// Transports of publishers, in the order in which they were opened.
    var opened: [TransportID] { publishers.withLockedValue { $0 } }

    init(_ engine: MediaEngine) { self.engine = engine }

    /// Lets all publishers be answered.
    func goOn() { gate.continuation.finish() }

    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer {
        let answer = try await engine.openWebRTC(request)
        guard request.direction == .publish else { return answer }
        publishers.withLockedValue { $0.append(answer.id) }
        for await _ in gate.stream {}
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
