import DTLS
package import MediaBase
package import SDP
import Transport

/// Offers and answers.
extension WebRTCEndpoint {
    /// Accepts the relay's answer to the latest offer. The first answer starts the connection.
    package func accept(_ text: some Collection<UInt8>, now: MediaTime) throws(WebRTCEndpointError) {
        guard isOffering, configuration.direction != .receive else { throw .alreadyAnswered }
        let answer: Answer
        do throws(SDPError) {
            answer = try Answer(
                parsing: text, to: offer, isFirst: transport == nil, isNative: configuration.keys != nil)
        } catch { throw .answer(error) }
        for (index, offered) in offered.enumerated() {
            let agreed = answer.tracks.first(where: { $0.track.mid == offered.mid })?.track
            tracks[index] = agreed
            if configuration.direction == .publish {
                prepare(index, offered, agreed)
            } else if let agreed {
                expect(index, agreed)
            }
        }
        isOffering = false
        if let transport {
            guard isRestarting else { return }
            isRestarting = false
            transport.restart(local: credentials, remote: answer.peer.credentials, now: now)
            remoteCredentials = answer.peer.credentials
            for candidate in answer.candidates { transport.add(candidate, now: now) }
            drain(now: now)
        } else {
            var keys: DTLSKeys?
            if let mine = configuration.keys {
                keys = mine.agreed(by: answer.peer.cryptos)
                if keys == nil { throw .unknownKeys }
            }
            try connect(to: answer.peer, answer.candidates, keys: keys, now: now)
        }
    }

    /// Adds tracks to the next offer.
    /// - Parameter tracks: encodings without SSRCs get random ones; sections get new identifications.
    /// - Returns: the indices of their sections.
    package func addTracks(_ tracks: [TrackDescription]) -> [Int] {
        tracks.map { track in
            var track = track
            var number = offered.count
            while offered.contains(where: { $0.mid.rawValue == "\(number)" }) { number += 1 }
            track.mid = MID("\(number)") ?? track.mid
            for index in track.encodings.indices {
                track.encodings[index].ssrc =
                    track.encodings[index].ssrc ?? SSRC(.random(in: 1 ... .max, using: &random))
                guard track.retransmits else { continue }
                track.encodings[index].rtxSSRC =
                    track.encodings[index].rtxSSRC ?? SSRC(.random(in: 1 ... .max, using: &random))
            }
            offered.append(track)
            self.tracks.append(nil)
            outgoing.append([])
            return offered.count - 1
        }
    }

    /// Changes the video codecs of a track, in the order of preference, from the next offer on.
    package func setCodecs(_ codecs: [VideoCodec], track index: Int) {
        guard offered.indices.contains(index), offered[index].kind == .video, !codecs.isEmpty else { return }
        offered[index].codecs =
            TrackDescription.offered(.video, codecs: codecs, retransmits: offered[index].retransmits).codecs
    }

    /// Stops sending a track. The next offer marks its section as inactive.
    package func stopTrack(_ index: Int) {
        guard offered.indices.contains(index) else { return }
        stopped.insert(offered[index].mid)
        outgoing[index] = []
        tracks[index] = nil
    }

    /// Returns an offer of the published tracks; its answer goes to `accept`.
    /// - Parameter restart: new credentials, for an ICE restart (RFC 8445 section 9).
    package func reoffer(restart: ICECredentials? = nil) -> SessionDescription {
        if let restart {
            credentials = restart
            isRestarting = transport != nil
        }
        var maker = OfferMaker(credentials: credentials, fingerprint: configuration.identity.fingerprint)
        maker.cryptos = configuration.keys?.offered ?? []
        maker.cname = configuration.cname
        maker.streamID = configuration.cname
        maker.candidates = configuration.candidates
        version += 1
        isOffering = true
        offer = maker.publish(offered, stopped: stopped, version: version)
        return offer
    }

    /// Accepts an offer of the relay; the first one starts the connection. `tracks` then has the offer's tracks by section index.
    /// - Parameter restart: credentials for the answer to an ICE restart; random if nil.
    /// - Returns: the answer.
    package func answer(_ text: some Collection<UInt8>, restart: ICECredentials? = nil, now: MediaTime)
        throws(WebRTCEndpointError) -> String
    {
        guard configuration.direction == .receive else { throw .unexpectedOffer }
        let offer: Offer
        let agreed: [TrackDescription]
        do throws(SDPError) {
            offer = try Offer(
                SessionDescription(parsing: text, limits: .subscription), answererIsLite: false,
                takesKeys: configuration.keys != nil)
            // The retransmission of lost audio suffices.
            agreed = try offer.subscribable(configuration.videoCodecs).map(\.withoutRED)
        } catch { throw .offer(error) }
        let setup: PeerDescription.Setup = offer.peer.setup == .active ? .passive : .active
        if let transport {
            if offer.peer.credentials != remoteCredentials {
                credentials = restart ?? .random(using: &random)
                remoteCredentials = offer.peer.credentials
                transport.restart(local: credentials, remote: offer.peer.credentials, now: now)
                for candidate in offer.candidates { transport.add(candidate, now: now) }
                drain(now: now)
            }
        } else {
            var peer = offer.peer
            peer.setup = setup == .active ? .passive : .active
            var keys: DTLSKeys?
            if configuration.keys != nil {
                guard let agreed = SignalledKeys.take(peer.cryptos, suites: configuration.suites) else {
                    throw .unknownKeys
                }
                keys = agreed.keys
                answeredKey = agreed.answer
            }
            try connect(to: peer, offer.candidates, keys: keys, now: now)
        }
        expect(agreed, in: offer.description)
        let own = RelayDescription(
            credentials: credentials, fingerprint: configuration.identity.fingerprint,
            cryptos: answeredKey.map { [$0] } ?? [], setup: setup, candidates: configuration.candidates, isLite: false)
        return offer.answer(
            own, tracks: agreed.map { .receive($0) }, keepsOthers: true, configuration.videoCodecs
        ).text
    }

    private func connect(
        to peer: PeerDescription, _ candidates: [ICECandidate], keys: DTLSKeys?, now: MediaTime
    ) throws(WebRTCEndpointError) {
        var options = WebRTCClientTransport.Configuration(
            credentials: credentials, peer: peer, identity: configuration.identity,
            role: peer.setup == .active ? .server : .client)
        options.consentTimeout = configuration.consentTimeout
        options.suites = configuration.suites
        options.keys = keys
        do throws(DTLSFailure) {
            transport = try WebRTCClientTransport(options, random: random, now: now)
        } catch { throw .dtls(error) }
        // Opened now: the relay may send before this side knows that ICE is connected, because the response that says so may be lost.
        if let keys { open(keys) }
        remoteCredentials = peer.credentials
        isRelayLite = peer.isLite
        for candidate in candidates { transport?.add(candidate, now: now) }
        drain(now: now)
    }

    private func prepare(_ index: Int, _ offered: TrackDescription, _ agreed: TrackDescription?) {
        guard let agreed, !stopped.contains(offered.mid) else {
            outgoing[index] = []
            return
        }
        // Existing encodings continue their sequence numbers, also if the codec has changed.
        guard outgoing[index].isEmpty else {
            for encoding in outgoing[index].indices { outgoing[index][encoding].adopt(agreed) }
            return
        }
        var track = agreed
        track.kind = offered.kind
        // Simulcast encodings that the relay refused are not sent.
        let taken = Set(agreed.encodings.compactMap(\.rid))
        let encodings = offered.encodings.filter { taken.isEmpty || $0.rid.map(taken.contains) ?? true }
        outgoing[index] = encodings.map {
            OutgoingEncoding($0, of: track, history: configuration.history, using: &random)
        }
    }

    private func expect(_ index: Int, _ agreed: TrackDescription) {
        for encoding in agreed.encodings {
            guard let ssrc = encoding.ssrc else { continue }
            addStream(ssrc, track: index)
            if let rtx = encoding.rtxSSRC { repairs[rtx] = ssrc }
        }
    }

    /// Updates the incoming streams after an offer: removes those that the offer no longer has and keeps the others.
    private func expect(_ agreed: [TrackDescription], in offer: SessionDescription) {
        let byMID = Dictionary(agreed.map { ($0.mid.rawValue, $0) }) { first, _ in first }
        tracks = offer.media.map { section in section.mid.flatMap { byMID[$0] } }
        let sources = Set(agreed.flatMap { $0.encodings.compactMap(\.ssrc) })
        // A later offer may have fewer sections, although RFC 3264 section 8 forbids it.
        incoming.removeAll { stream in
            !sources.contains(stream.ssrc) || !tracks.indices.contains(stream.track)
                || tracks[stream.track]?.mid != stream.mid
        }
        streamIndices = Dictionary(uniqueKeysWithValues: incoming.enumerated().map { ($1.ssrc, $0) })
        repairs = [:]
        for (index, track) in tracks.enumerated() {
            if let track { expect(index, track) }
        }
    }

    /// - Returns: the stream's index; nil if there are too many streams or the track is unknown.
    @discardableResult
    func addStream(_ ssrc: SSRC, track: Int) -> Int? {
        if let index = streamIndices[ssrc] { return index }
        let limit = configuration.direction == .receive ? Self.streamLimits.offered : Self.streamLimits.other
        guard incoming.count < limit, let description = tracks[track] else { return nil }
        incoming.append(IncomingStream(ssrc: ssrc, track: track, mid: description.mid, kind: description.kind))
        streamIndices[ssrc] = incoming.count - 1
        if incoming.count == 1 { feedback.media = ssrc }
        return incoming.count - 1
    }
}
