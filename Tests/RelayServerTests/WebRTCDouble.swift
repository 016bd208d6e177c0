import ControlServer
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Synchronization

/// A test double of the media engine for WHIP and WHEP: records requests, and fails or waits as configured.
final class WebRTCDouble: WebRTCMediaPlane {
    struct Transport: Sendable {
        var session: String
        var snapshot: WebRTCSnapshot
        var layer: LayerChoice?
    }

    struct State: Sendable {
        var transports: [TransportID: Transport] = [:]
        /// Streams in order of publication.
        var streams: [(session: String, name: String)] = []
        var random = SeededGenerator(seed: 9)
        var opened: [WebRTCRequest] = []
        var attempts = 0
        /// Error of the next `openWebRTC`.
        var failure: EngineError?
        /// Error of `setLayer`.
        var layerFailure: EngineError?
        /// `openWebRTC` waits for this before it returns.
        var openGate: AsyncStream<Void>?
        /// `restartICE` waits for this.
        var restartGate: AsyncStream<Void>?
        var restarts = 0
    }

    let state = Mutex(State())
    private let events = AsyncStream<StreamEvent>.makeStream()

    func observeStreams() -> AsyncStream<StreamEvent> { events.stream }

    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer {
        let result = state.withLock { state -> Result<WebRTCAnswer, EngineError> in
            state.attempts += 1
            if let failure = state.failure { return .failure(failure) }
            do throws(EngineError) { return .success(try open(request, &state)) } catch { return .failure(error) }
        }
        let answer = try result.get()
        if let gate = state.withLock({ $0.openGate }) { for await _ in gate { break } }
        if request.direction == .publish {
            events.continuation.yield(.published(session: answer.session, transport: answer.id, stream: answer.stream))
        }
        return answer
    }

    private func open(_ request: WebRTCRequest, _ state: inout State) throws(EngineError) -> WebRTCAnswer {
        let name: String
        let there = state.streams.filter { $0.session == request.session }.map(\.name)
        switch request.direction {
        case .publish:
            name = request.stream ?? "stream-\(state.streams.count)"
            guard !there.contains(name) else { throw .streamExists(name) }
            state.streams.append((request.session, name))
        case .subscribe:
            guard let newest = there.last else { throw .unknownSession(request.session) }
            name = request.stream ?? newest
            guard there.contains(name) else { throw .unknownStream(name) }
        }
        state.opened.append(request)
        let id = TransportID(rawValue: String(state.random.next(), radix: 16))
        let candidates = [
            ICECandidate(foundation: "1", transport: .udp, priority: 2_130_706_431, host: "192.0.2.9", port: 7882)
        ]
        let credentials = ICECredentials.random(using: &state.random)
        state.transports[id] = Transport(
            session: request.session,
            snapshot: WebRTCSnapshot(
                stream: name, direction: request.direction, credentials: credentials, peer: request.peer.credentials,
                candidates: candidates))
        guard let fingerprint = CertificateFingerprint(.sha256, bytes: state.random.bytes(32)) else { throw .stopped }
        return WebRTCAnswer(
            id: id, session: request.session, stream: name, direction: request.direction, credentials: credentials,
            fingerprint: fingerprint, setup: request.peer.setup.answered, candidates: candidates,
            sources: request.direction == .publish
                ? []
                : request.tracks.enumerated().map { index, track in
                    WebRTCAnswer.Source(
                        mid: track.mid, kind: track.kind, ssrc: SSRC(UInt32(100 + index)),
                        rtxSSRC: track.rtxPayloadType == nil ? nil : SSRC(UInt32(200 + index)))
                })
    }

    func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError) {
        guard drop(id) else { throw .unknownTransport(id.rawValue) }
    }

    /// Removes a transport, as if the peer's consent had expired.
    @discardableResult
    func drop(_ id: TransportID) -> Bool {
        state.withLock { state in
            guard let transport = state.transports.removeValue(forKey: id) else { return false }
            if transport.snapshot.direction == .publish {
                state.streams.removeAll { $0 == (transport.session, transport.snapshot.stream) }
            }
            return true
        }
    }

    func restartICE(
        _ id: TransportID, session: String, peer: ICECredentials
    ) async throws(EngineError) -> ICECredentials {
        if let gate = state.withLock({ $0.restartGate }) { for await _ in gate { break } }
        let credentials = state.withLock { state -> ICECredentials? in
            guard state.transports[id] != nil else { return nil }
            state.restarts += 1
            let credentials = ICECredentials.random(using: &state.random)
            state.transports[id]?.snapshot.credentials = credentials
            state.transports[id]?.snapshot.peer = peer
            return credentials
        }
        guard let credentials else { throw .unknownTransport(id.rawValue) }
        return credentials
    }

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError) {
        if let failure = state.withLock({ $0.layerFailure }) { throw failure }
        state.withLock { $0.transports[id]?.layer = choice }
    }

    /// Always throws: the double has no media.
    func streams(session: String) async throws(EngineError) -> [StreamSnapshot] { throw .unknownSession(session) }

    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot {
        guard let transport = state.withLock({ $0.transports[id] }), transport.session == session else {
            throw .unknownTransport(id.rawValue)
        }
        return transport.snapshot
    }
}
