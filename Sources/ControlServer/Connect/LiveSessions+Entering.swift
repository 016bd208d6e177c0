import MediaBase
import MediaEngine
import NIOConcurrencyHelpers
import SessionMedia
import Signaling

/// Entry of clients without a control connection (WHIP, WHEP, plain SRTP) into their session.
extension LiveSessions {
    /// - Parameters:
    ///   - stream: name of the stream; nil: a random one.
    ///   - elsewhere: returns the request that opens the transport at another relay, for a stream of this name; nil: it opens here.
    ///   - open: opens the transport here, for a stream of this name, with kinds that start muted.
    func publish<Answer: Sendable>(
        _ visitor: Visitor, stream: StreamName?, kinds: Set<MediaKind>, isPlain: Bool,
        elsewhere: ((String) -> RemoteOpening<Answer>)? = nil,
        open: @escaping @Sendable (String, Set<TrackKind>) async throws(EngineError) -> OpenedTransport<Answer>
    ) async throws -> Answer {
        let name = stream?.rawValue ?? Secret.id().lowercased()
        for _ in 0..<Self.attempts {
            let answer = try await enter(
                try await enter(visitor.key).liveSession, visitor, .publish(StreamID(rawValue: name), kinds),
                isPlain: isPlain, elsewhere?(name)
            ) { (startsMuted) async throws(EngineError) in try await open(name, startsMuted) }
            if let answer { return answer }
        }
        throw SignalingError(.sessionEnded)
    }

    /// - Parameters:
    ///   - elsewhere: the request that opens the transport at another relay; nil: it opens here.
    ///   - open: opens the transport here.
    ///   - close: closes a transport that was opened before its session began.
    func view<Answer: Sendable>(
        _ visitor: Visitor, isPlain: Bool, elsewhere: RemoteOpening<Answer>? = nil,
        open: @escaping @Sendable () async throws(EngineError) -> OpenedTransport<Answer>,
        close: (TransportID) async throws -> Void
    ) async throws -> Answer {
        for _ in 0..<Self.attempts {
            guard let liveSession = liveSession(visitor.key) else {
                // The engine's error names what is missing. If there is none, the session has begun since, and its rules decide.
                try await close(try await open().id)
                continue
            }
            let answer = try await enter(liveSession, visitor, .subscribe, isPlain: isPlain, elsewhere) {
                (_) async throws(EngineError) in try await open()
            }
            if let answer { return answer }
        }
        throw EngineError.unknownSession(engineName(of: visitor.key))
    }

    /// - Returns: nil if the session was over before the client was admitted.
    private func enter<Answer: Sendable>(
        _ liveSession: LiveSession, _ visitor: Visitor, _ purpose: MediaVisitor.Purpose, isPlain: Bool,
        _ elsewhere: RemoteOpening<Answer>?,
        _ open: @escaping @Sendable (Set<TrackKind>) async throws(EngineError) -> OpenedTransport<Answer>
    ) async throws -> Answer? {
        let answer = NIOLockedValueBox<Answer?>(nil)
        let media = MediaVisitor(
            connection: ConnectionID(rawValue: Secret.id()), purpose: purpose,
            wanted: purpose == .subscribe ? elsewhere?.stream.map { StreamID(rawValue: $0) } : nil,
            isPlain: isPlain)
        let offer = elsewhere.map { elsewhere in
            VisitorOffer(call: elsewhere.call) { received in
                guard let transport = elsewhere.convert(received) else { return nil }
                answer.withLockedValue { $0 = transport.answer }
                return .visitor(PeerID(transport.id), videoCodec: transport.codec, kinds: transport.kinds)
            }
        }
        let visit = Visit(visitor: visitor, media: media, offer: offer) { (startsMuted) async throws(EngineError) in
            let transport = try await open(startsMuted)
            answer.withLockedValue { $0 = transport.answer }
            return .visitor(PeerID(transport.id), videoCodec: transport.codec, kinds: transport.kinds)
        }
        return try await liveSession.enter(visit) ? answer.withLockedValue { $0 } : nil
    }
}
