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
        case .openPipeReceiver(let keys): return .pipe(try await openPipeReceiver(session: session, keys))
        case .openPipeSender(let keys, let receiver):
            return .pipe(try await openPipeSender(session: session, keys, to: receiver))
        case .describe: return .description(try await pipeDescription(session: session))
        case .mirror(let description, let pipe, let sender):
            return .tracks(try await mirror(description, pipe, session: session, from: sender))
        case .withhold(let streams, let pipe): try await withholdMirrors(streams, pipe, session: session)
        case .send(let tracks, let pipe): try await sendThroughPipe(tracks, pipe, session: session)
        case .closePipe(let pipe): try await closePipe(pipe, session: session)
        case .state(let peers): return .state(try await state(of: peers, session: session))
        case .statistics(let peer):
            return .statistics(try await peerStatistics(TransportID(peer), session: session))
        case .quality(let peer): return .quality(try await peerQuality(TransportID(peer), session: session))
        case .trace(let peer): return .trace(try await peerTrace(TransportID(peer), session: session))
        }
        return .done
    }
}
