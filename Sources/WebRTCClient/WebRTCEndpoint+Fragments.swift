package import MediaBase
package import SDP

/// Candidates and ICE restarts by fragments of descriptions, after an offer of this side and its answer (RFC 9725 section 4.3).
extension WebRTCEndpoint {
    /// UDP addresses of the relay's candidates; empty before its answer.
    package var relayCandidates: [SocketAddress] { transport?.candidates ?? [] }

    /// Returns all candidates of this side for the current ICE session.
    package func fragment(_ candidates: [ICECandidate]) -> TrickleFragment { fragment(candidates, credentials) }

    /// Begins an ICE restart with new credentials; `resume` takes the relay's answer. Until then the connection continues with the
    /// current ones.
    /// - Parameter candidates: all candidates of this side after the restart.
    package func offerRestart(_ candidates: [ICECandidate]) -> TrickleFragment {
        let restart = ICECredentials.random(using: &random)
        restartCredentials = restart
        return fragment(candidates, restart)
    }

    /// Discards the credentials of `offerRestart`.
    package func abandonRestart() { restartCredentials = nil }

    /// Takes the relay's answer to `offerRestart`: all candidates are checked with the new credentials of both sides. Keys and streams
    /// continue, and media is sent to the previous address until another one is selected.
    package func resume(_ text: some Collection<UInt8>, now: MediaTime) throws(WebRTCEndpointError) {
        guard let local = restartCredentials, let transport else { throw .alreadyAnswered }
        let fragment = try parse(text)
        guard let remote = fragment.credentials else { throw .answer(.missing(line: 1, field: "a=ice-ufrag")) }
        restartCredentials = nil
        credentials = local
        remoteCredentials = remote
        let candidates = fragment.candidates
        // A relay may leave out candidates that did not change.
        transport.restart(local: local, remote: remote, keeping: candidates.isEmpty ? nil : candidates, now: now)
        add(candidates, now: now)
    }

    /// Adds the candidates of a fragment, unless it is of another ICE session.
    package func add(_ text: some Collection<UInt8>, now: MediaTime) throws(WebRTCEndpointError) {
        let fragment = try parse(text)
        guard fragment.credentials == nil || fragment.credentials == remoteCredentials else { return }
        add(fragment.candidates, now: now)
    }

    private func add(_ candidates: [ICECandidate], now: MediaTime) {
        for candidate in candidates { transport?.add(candidate, now: now) }
        drain(now: now)
    }

    private func parse(_ text: some Collection<UInt8>) throws(WebRTCEndpointError) -> TrickleFragment {
        do throws(SDPError) {
            return try TrickleFragment(parsing: text)
        } catch { throw .answer(error) }
    }

    private func fragment(_ candidates: [ICECandidate], _ credentials: ICECredentials) -> TrickleFragment {
        TrickleFragment(
            credentials: credentials, options: OfferMaker.iceOptions, bundle: offered.map(\.mid),
            sections: offered.prefix(1).map {
                TrickleFragment.Section(
                    mid: $0.mid, kind: $0.kind, candidates: candidates, endOfCandidates: true)
            })
    }
}
