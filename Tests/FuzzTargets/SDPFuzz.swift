import MediaBase
import SDP

/// Texts, read as each kind of description that a peer can send: an offer with and without keys, an answer, a fragment.
enum SDPFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        try readDescription(bytes)
        for takesKeys in [false, true] {
            guard let offer = try? Offer(parsing: bytes, takesKeys: takesKeys) else { continue }
            try answer(offer)
        }
        try readFragment(bytes)
        try answerSubscription(String(decoding: bytes, as: UTF8.self))
    }

    /// Prints the description and reads it again; the result must be equal.
    private static func readDescription(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        do {
            let description = try SessionDescription(parsing: bytes)
            let text = description.text
            // Bytes that are not UTF-8 get longer.
            guard text.utf8.count <= SessionDescription.maximumLength else { return }
            let again = try? SessionDescription(parsing: text)
            try require(again?.text == text, "a printed description is read as \(String(describing: again))")
        } catch let error as SDPError {
            try require(!error.description.isEmpty, "an error without text")
        } catch let error as FuzzViolation {
            throw error
        } catch {}
    }

    private static func answer(_ offer: Offer) throws(FuzzViolation) {
        guard let relay = FuzzPeer.relay else { throw FuzzViolation("the relay has no description") }
        try require(offer.candidates.count <= ICECandidate.maximumCount, "\(offer.candidates.count) candidates")
        for candidate in offer.candidates {
            try require(
                ICECandidate(candidate.description) == candidate, "the candidate \(candidate) is read as another")
            _ = candidate.address
        }
        for crypto in offer.peer.cryptos {
            let text = "\(crypto.tag) \(crypto.suite) inline:\(crypto.key)"
            try require(CryptoAttribute(text) == crypto, "the key line \(text) is read as another")
        }
        _ = try? offer.publishable()
        var agreements: [[AnsweredTrack]] = [[]]
        if let tracks = try? offer.receivable() { agreements.append(tracks.map { .receive($0) }) }
        if let tracks = try? offer.sendable() { agreements.append(FuzzPeer.send(tracks)) }
        for codec in VideoCodec.allCases {
            for tracks in [try? offer.receivable([codec]), try? offer.sendable(stream: codec)].compactMap(\.self) {
                try require(
                    tracks.allSatisfy { $0.kind == .audio || $0.codecs.map(\.video) == [codec] },
                    "\(codec) is not the only codec: \(tracks)")
            }
        }
        for tracks in agreements {
            let answer = offer.answer(relay, tracks: tracks)
            guard let again = try? SessionDescription(parsing: Array(answer.text.utf8), limits: .subscription) else {
                throw FuzzViolation("an answer of the relay is not read: \(answer.text)")
            }
            try require(
                again.media.count == offer.description.media.count, "an answer with \(again.media.count) sections")
            _ = try? Answer(again, to: offer.description)
        }
    }

    private static func readFragment(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard let fragment = try? TrickleFragment(parsing: bytes) else { return }
        _ = fragment.candidates
        let text = fragment.text
        guard !text.isEmpty, text.utf8.count <= SessionDescription.maximumLength else { return }
        let again = try? TrickleFragment(parsing: text)
        try require(again == fragment, "\(fragment) is read as \(String(describing: again))")
    }

    /// Reads the text as the answer to an offer of the relay.
    private static func answerSubscription(_ text: String) throws(FuzzViolation) {
        guard let relay = FuzzPeer.relay else { return }
        var random = FuzzRandom(state: 1)
        var negotiation = SubscribeNegotiation(.init(relay: relay), using: &random)
        try? negotiation.subscribe("camera", kinds: [.audio, .video], now: .zero)
        guard let offer = negotiation.takeOffer(now: .seconds(1)) else { throw FuzzViolation("there is no offer") }
        guard let agreement = try? negotiation.accept(text, revision: offer.revision, now: .seconds(2)) else { return }
        try require(agreement.added.count <= 2, "\(agreement.added.count) tracks were taken of 2")
        _ = try? negotiation.unsubscribe("camera", now: .seconds(3))
        if let next = negotiation.takeOffer(now: .seconds(4)) {
            let read = try? SessionDescription(parsing: Array(next.sdp.utf8), limits: .subscription)
            try require(read != nil, "an offer of the relay is not read: \(next.sdp)")
        }
    }
}
