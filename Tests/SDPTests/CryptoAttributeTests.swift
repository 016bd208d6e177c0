import MediaBase
import MillraceTestKit
import SDP
import Testing

@Suite("Keys in descriptions (RFC 4568)")
struct CryptoAttributeTests {
    static let key = "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"

    @Test("Valid attributes are read") func good() throws {
        let plain = try #require(CryptoAttribute("1 AES_CM_128_HMAC_SHA1_80 inline:\(Self.key)"))
        #expect(plain.tag == 1 && plain.suite == "AES_CM_128_HMAC_SHA1_80" && plain.key == Self.key)
        let rest = try #require(CryptoAttribute("999999999 X inline:\(Self.key)|2^20 WSH=64 -NEW"))
        #expect(rest.tag == 999_999_999 && rest.key == Self.key + "|2^20")
    }

    @Test(
        "Invalid attributes are refused",
        arguments: [
            "", "1", "1 AES_CM_128_HMAC_SHA1_80", "x AES inline:a", "-1 AES inline:a", "1234567890 AES inline:a",
            "1 AES outline:a", "1 AES inline:", "1 AES inline:a|1:4", "1 AES inline:a;inline:b",
            "1 AES inline:a UNENCRYPTED_SRTP", "1 AES inline:a KDR=1",
            "1 AES inline:" + String(repeating: "a", count: 129),
        ])
    func bad(_ text: String) { #expect(CryptoAttribute(text) == nil) }

    @Test("A key is not printed by string conversion or dump") func secret() throws {
        let one = try #require(CryptoAttribute("1 AES inline:\(Self.key)"))
        var dumped = ""
        dump(one, to: &dumped)
        for text in ["\(one)", String(reflecting: one), dumped] { #expect(!text.contains(Self.key)) }
    }

    // MARK: descriptions

    static let credentials = (
        client: ICECredentials(ufrag: "clie", password: "clientclientclientclient")!,
        relay: ICECredentials(ufrag: "rela", password: "relayrelayrelayrelayrela")!
    )
    static let fingerprint = CertificateFingerprint(.sha256, bytes: [UInt8](repeating: 7, count: 32))!
    static let offered = [
        CryptoAttribute(tag: 1, suite: "AEAD_AES_128_GCM", key: "client1"),
        CryptoAttribute(tag: 2, suite: "AES_CM_128_HMAC_SHA1_80", key: "client2"),
    ]
    static let answered = CryptoAttribute(tag: 2, suite: "AES_CM_128_HMAC_SHA1_80", key: "relay")

    private func offer() -> SessionDescription {
        var maker = OfferMaker(credentials: Self.credentials.client, fingerprint: Self.fingerprint)
        maker.cryptos = Self.offered
        return maker.publish([.offered(.audio, encodings: [.init()]), .offered(.video, encodings: [.init()])])
    }

    private func relay(_ cryptos: [CryptoAttribute]) -> RelayDescription {
        RelayDescription(
            credentials: Self.credentials.relay, fingerprint: Self.fingerprint, cryptos: cryptos, setup: .passive,
            candidates: [])
    }

    @Test("An offer and its answer, with keys instead of fingerprints") func exchange() throws {
        let text = offer().text
        #expect(!text.contains("a=fingerprint") && !text.contains("a=setup") && !text.contains("UDP/TLS"))
        #expect(text.contains("m=audio 9 RTP/SAVPF 111\r\n"))
        let read = try Offer(parsing: Array(text.utf8), takesKeys: true)
        #expect(read.peer.cryptos == Self.offered && read.peer.fingerprints.isEmpty && read.peer.isNative)
        let tracks = try read.publishable()
        #expect(tracks.map(\.kind) == [.audio, .video])
        let answer = read.answer(relay([Self.answered]), tracks: tracks.map { .receive($0) }).text
        #expect(!answer.contains("a=fingerprint") && answer.contains("m=video 9 RTP/SAVPF 96 97\r\n"))
        let agreed = try Answer(parsing: Array(answer.utf8), to: offer(), isNative: true)
        #expect(agreed.peer.cryptos == [Self.answered] && agreed.tracks.count == 2)
        // A DTLS peer accepts no keys, and a peer with keys accepts no DTLS.
        #expect(throws: SDPError.self) { try Answer(parsing: Array(answer.utf8), to: offer()) }
        let shaken = read.answer(relay([]), tracks: tracks.map { .receive($0) }).text
        #expect(throws: SDPError.self) { try Answer(parsing: Array(shaken.utf8), to: offer(), isNative: true) }
    }

    @Test("Keys are refused unless enabled, and never replace a fingerprint") func refused() throws {
        let text = offer().text
        #expect {
            try Offer(parsing: Array(text.utf8))
        } throws: { error in
            guard case .missing(_, let field) = error as? SDPError else { return false }
            return field == "a=fingerprint"
        }
        let both = text.replacing(
            "a=crypto:1 ", with: "a=fingerprint:\(Self.fingerprint)\r\na=setup:actpass\r\na=crypto:1 ")
        let peer = try Offer(parsing: Array(both.utf8), takesKeys: true).peer
        #expect(!peer.isNative && peer.fingerprints == [Self.fingerprint])
        let twice = text.replacing("a=crypto:2 ", with: "a=crypto:1 ")
        #expect(throws: SDPError.self) { try Offer(parsing: Array(twice.utf8), takesKeys: true) }
        let broken = text.replacing("inline:", with: "outline:")
        #expect(throws: SDPError.self) { try Offer(parsing: Array(broken.utf8), takesKeys: true) }
    }

    @Test("The relay's offers contain its keys, and every answer selects the same one") func negotiation() throws {
        var random = SeededGenerator(seed: 1)
        let keys = [
            CryptoAttribute(tag: 1, suite: "AEAD_AES_128_GCM", key: "relay1"),
            CryptoAttribute(tag: 2, suite: "AES_CM_128_HMAC_SHA1_80", key: "relay2"),
        ]
        var negotiation = SubscribeNegotiation(.init(relay: relay(keys)), using: &random)
        func answer(_ offer: SubscribeOffer, _ cryptos: [CryptoAttribute]) throws -> String {
            let read = try Offer(
                SessionDescription(parsing: Array(offer.sdp.utf8)), answererIsLite: false, takesKeys: true)
            #expect(read.peer.cryptos == keys)
            let own = RelayDescription(
                credentials: Self.credentials.client, fingerprint: Self.fingerprint, cryptos: cryptos, setup: .active,
                candidates: [], isLite: false)
            return read.answer(own, tracks: try read.publishable().map { .receive($0) }, keepsOthers: true).text
        }
        let mine = CryptoAttribute(tag: 1, suite: "AEAD_AES_128_GCM", key: "client")
        try negotiation.subscribe("one", kinds: [.audio, .video], now: .zero)
        let one = negotiation.takeOffer(now: .seconds(1))
        let first = try #require(one)
        #expect(!first.sdp.contains("a=fingerprint") && first.sdp.contains(" RTP/SAVPF "))
        #expect(throws: SubscribeNegotiationError.self) {
            try negotiation.accept(answer(first, []), revision: first.revision, now: .seconds(1))
        }
        // Both of them, another tag, another suite, a key that is too short or invalid: the offer stays open.
        for unusable in [
            keys, [CryptoAttribute(tag: 3, suite: mine.suite, key: mine.key)],
            [CryptoAttribute(tag: 2, suite: mine.suite, key: mine.key)],
            [CryptoAttribute(tag: 1, suite: mine.suite, key: "clien")],
            [CryptoAttribute(tag: 1, suite: mine.suite, key: "cl.ent")],
        ] {
            #expect(throws: SubscribeNegotiationError.self) {
                try negotiation.accept(answer(first, unusable), revision: first.revision, now: .seconds(1))
            }
            #expect(negotiation.openOffer == first)
        }
        let agreed = try negotiation.accept(answer(first, [mine]), revision: first.revision, now: .seconds(1))
        #expect(agreed.connects?.cryptos == [mine] && agreed.added.count == 2)
        try negotiation.subscribe("two", kinds: [.audio], now: .seconds(2))
        let two = negotiation.takeOffer(now: .seconds(3))
        let second = try #require(two)
        let other = CryptoAttribute(tag: 1, suite: "AEAD_AES_128_GCM", key: "another")
        #expect(throws: SubscribeNegotiationError.transportChanged) {
            try negotiation.accept(answer(second, [other]), revision: second.revision, now: .seconds(3))
        }
        let more = try negotiation.accept(answer(second, [mine]), revision: second.revision, now: .seconds(3))
        #expect(more.connects == nil && more.added.count == 1)
    }

    @Test("Mutated descriptions are accepted or refused") func mutations() throws {
        let bytes = Array(offer().text.utf8)
        var random = SeededGenerator(seed: 4)
        var taken = 0
        for _ in 0..<20_000 {
            var mutated = bytes
            for _ in 0...Int(random.next() % 4) {
                mutated[Int(random.next() % UInt64(mutated.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if let read = try? Offer(parsing: mutated, takesKeys: true) {
                taken += 1
                #expect(read.peer.cryptos.count <= CryptoAttribute.maximumCount)
            }
        }
        #expect(taken > 100)
    }
}
