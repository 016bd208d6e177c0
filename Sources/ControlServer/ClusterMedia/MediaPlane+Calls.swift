import MediaEngine
import SessionMedia

extension MediaPlane {
    /// Begins a call that must not be overtaken; nil for other calls.
    func begin(_ call: MediaCall, session: String) -> EngineCall? {
        guard case .order(let order) = call else { return nil }
        return begin(order, session: session)
    }

    /// Carries out a call that may wait for others.
    func carryOut(_ call: MediaCall, session: String) async throws(EngineError) -> MediaCallAnswer {
        switch call {
        case .order(let order): return .media(try await carryOut(order, session: session))
        case .openWebRTC(var request):
            request.session = session
            return .opened(try await openWebRTC(request))
        case .openPlain(var request):
            request.session = session
            return .openedPlain(try await openPlain(request))
        case .requestKeyFrame(let peer): try await requestKeyFrame(TransportID(peer), session: session)
        case .restartICE(let peer, let credentials):
            let own = try await restartICE(TransportID(peer), session: session, peer: credentials)
            return .media(.credentials(own))
        case .setLayer(let peer, let choice):
            guard choice.isValid else { throw .invalidRequest(field: "layer", reason: "is out of range") }
            try await setLayer(TransportID(peer), session: session, choice)
        case .openPipeReceiver(let keys): return .pipe(try await openPipeReceiver(session: session, keys))
        case .openPipeSender(let keys, let receiver):
            return .pipe(try await openPipeSender(session: session, keys, to: receiver))
        case .describe: return .description(try await pipeDescription(session: session))
        case .mirror(let description, let pipe, let sender):
            return .tracks(try await mirror(description, pipe, session: session, from: sender))
        case .withhold(let streams, let pipe): try await withholdMirrors(streams, pipe, session: session)
        case .send(let tracks, let pipe): try await sendThroughPipe(tracks, pipe, session: session)
        case .closePipe(let pipe): try await closePipe(pipe, session: session)
        case .inventory, .negotiated:
            throw .invalidRequest(field: "call", reason: "an engine has no negotiations")
        case .state(let peers): return .state(try await state(of: peers, session: session))
        case .webRTC(let peer): return .webRTC(try await webRTC(TransportID(peer), session: session))
        case .subscriberCounts:
            let streams = try await streams(session: session)
            return .subscriberCounts(
                Dictionary(streams.map { ($0.name, $0.subscribers) }) { first, _ in first })
        case .statistics(let peer):
            return .statistics(try await peerStatistics(TransportID(peer), session: session))
        case .quality(let peer): return .quality(try await peerQuality(TransportID(peer), session: session))
        case .trace(let peer): return .trace(try await peerTrace(TransportID(peer), session: session))
        }
        return .done
    }
}

extension LayerChoice {
    /// Whether the numbers are those that a client may choose.
    fileprivate var isValid: Bool {
        switch self {
        case .automatic: true
        case .upTo(let spatial, let temporal):
            (0...Int(UInt8.max)).contains(spatial ?? 0) && Self.temporalLayers.contains(temporal ?? 0)
        case .encoding(_, let temporal): Self.temporalLayers.contains(temporal ?? 0)
        }
    }

    private static let temporalLayers = 0...3
}
