import MediaEngine
import SDP

extension EmbeddedRelay: WebRTCRelay {
    package func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer {
        let parsed: Offer
        let tracks: [TrackDescription]
        do throws(SDPError) {
            parsed = try Offer(parsing: Array(offer.sdp.utf8))
            tracks = offer.direction == .publish ? try parsed.receivable() : try parsed.sendable()
        } catch { throw .refused(status: 0, code: "unusableSDP", detail: "\(error)") }
        let request = WebRTCRequest(
            direction: offer.direction == .publish ? .publish : .subscribe, session: offer.session,
            stream: offer.stream, peer: parsed.peer, tracks: tracks)
        let answer: WebRTCAnswer
        do { answer = try await engine.openWebRTC(request) } catch {
            throw .refused(status: 0, code: error.code, detail: error.description)
        }
        let answered = tracks.compactMap { track -> AnsweredTrack? in
            guard offer.direction == .view else { return .receive(track) }
            return answer.sources.first { $0.mid == track.mid }.map {
                .send(
                    track, ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC, cname: "millrace", streamID: answer.stream,
                    trackID: track.kind.rawValue)
            }
        }
        let relay = RelayDescription(
            credentials: answer.credentials, fingerprint: answer.fingerprint, setup: answer.setup,
            candidates: answer.candidates)
        return ConnectionAnswer(
            sdp: parsed.answer(relay, tracks: answered).text,
            resource: .transport(answer.id, session: answer.session))
    }

    package func close(_ resource: ConnectionResource) async {
        guard case .transport(let id, let session) = resource else { return }
        try? await engine.closeWebRTC(id, session: session)
    }
}
