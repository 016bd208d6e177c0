import MediaBase
import MediaEngine
import SDP
import SessionMedia
import Signaling

extension MediaPlane {
    /// Begins an order that must not be overtaken; nil for other orders.
    func begin(_ order: MediaOrder, session: String) -> EngineCall? {
        switch order {
        case .setMuted(let stream, let kind, let isMuted):
            beginSetMuted(session: session, stream: stream.rawValue, kind: MediaKind(kind), muted: isMuted)
        case .closeStream(let stream): beginCloseStream(session: session, stream: stream.rawValue)
        case .closePeer(let peer, isPlain: true): beginClosePlain(TransportID(peer), session: session)
        case .closePeer(let peer, isPlain: false): beginCloseWebRTC(TransportID(peer), session: session)
        default: nil
        }
    }

    /// Carries out an order that may wait for others.
    func carryOut(_ order: MediaOrder, session: String) async throws(EngineError) -> MediaAnswer {
        switch order {
        case .setMuted, .closeStream, .closePeer: preconditionFailure("orders without waiting are made by `begin`")
        case .openVisitor: preconditionFailure("the caller has the offer of a client without a control connection")
        case .relocate(let locations):
            try await move(
                locations.map { PeerMove(peer: TransportID($0.key), subsession: $0.value.subsessionName) },
                session: session)
        case .openPublisher(_, let peer, let sections):
            let answer = try await openPublisher(
                PublisherRequest(session: session, peer: peer, sections: sections.map(PublishedSection.init)))
            return .publisher(PeerID(answer.id), answer.relay)
        case .updatePublisher(let id, let peer, let sections):
            let answer = try await updatePublisher(
                TransportID(id), session: session, peer: peer, sections: sections.map(PublishedSection.init))
            return .publisher(id, answer.relay)
        case .openSubscriber(_, let isNative):
            let offer = try await openSubscriber(session: session, isNative: isNative)
            return .subscriber(PeerID(offer.id), offer.relay, videoCodecs: offer.videoCodecs)
        case .connect(let id, let peer): try await connectSubscriber(TransportID(id), session: session, peer: peer)
        case .restart(let id, let credentials):
            _ = try await restartICE(TransportID(id), session: session, peer: credentials)
        case .prepareRestart(let id):
            return .credentials(try await prepareRestart(TransportID(id), session: session))
        case .addTracks(let id, let tracks): try await addTracks(TransportID(id), session: session, tracks)
        case .removeTracks(let id, let mids): try await removeTracks(TransportID(id), session: session, mids: mids)
        case .setPreferences(let id, let stream, let preferences):
            try await setPreferences(
                TransportID(id), session: session, stream: stream.rawValue, StreamPreferences(preferences))
        }
        return .done
    }
}

extension TransportID {
    init(_ peer: PeerID) { self.init(rawValue: peer.rawValue) }
}

extension PeerID {
    init(_ transport: TransportID) { self.init(rawValue: transport.rawValue) }
}

extension PublishedSection {
    init(_ section: PublishSection) {
        self.init(
            stream: section.stream.rawValue, track: section.track, startsMuted: section.startsMuted,
            isEncrypted: section.isEncrypted)
    }
}

extension MediaFailure {
    init(_ error: EngineError) {
        let kind: Kind =
            switch error {
            case .unknownSession: .noSession
            case .unknownStream: .noStream
            case .unknownTransport: .noPeer
            case .invalidRequest: .invalid
            case .limitReached(name: "mailbox", _): .busy
            default: .other
            }
        self.init(kind, SignalingError(Problem(error)))
    }
}
