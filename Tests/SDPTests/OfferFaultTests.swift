import MediaBase
import RTP
import SDP
import Testing

@Suite("SDP: offers that cannot be agreed to, and unusual ones that can") struct OfferFaultTests {
    static func offer(_ text: String) throws -> Offer { try Offer(parsing: text.utf8) }

    static let needed: [(String, String)] = [
        ("a=ice-ufrag:kdVJBEjTaShkpcYA\r\n", "a=ice-ufrag"), ("a=setup:actpass\r\n", "a=setup"),
    ]

    @Test(arguments: needed) func whatDescribesTheTransportHasToBeThere(line: String, field: String) throws {
        let text = try Peers.text("pion-view").changing(line, to: "")
        #expect(throws: SDPError.missing(line: 9, field: field)) { try Self.offer(text) }
        #expect(!SDPError.missing(line: 9, field: field).isMalformed)
    }

    static let wrong: [(String, String, String)] = [
        ("a=setup:actpass", "a=setup:holdconn", "a=setup"), ("a=setup:actpass", "a=setup", "a=setup"),
        ("a=ice-ufrag:kdVJBEjTaShkpcYA", "a=ice-ufrag:abc", "a=ice-ufrag"),
        ("a=ice-ufrag:kdVJBEjTaShkpcYA", "a=ice-ufrag:ab cd", "a=ice-ufrag"),
        ("a=fingerprint:sha-256 ", "a=fingerprint:md5 ", "a=fingerprint"),
        ("a=fingerprint:sha-256 ", "a=fingerprint:sha-512 ", "a=fingerprint"), ("a=mid:1", "a=mid", "a=mid"),
    ]

    @Test(arguments: wrong) func andHasToBeRight(old: String, new: String, field: String) throws {
        let text = try Peers.text("pion-view").changing(old, to: new)
        do {
            _ = try Self.offer(text)
            Issue.record("taken")
        } catch SDPError.malformed(let line, let named) {
            #expect(named == field && text.split(separator: "\r\n")[line - 1].hasPrefix(field))
        }
    }

    @Test func twoLiteAgentsCannotMeet() throws {
        let text = try Peers.text("pion-view").withSessionLine("a=ice-lite")
        #expect(throws: SDPError.bothLite) { try Self.offer(text) }
    }

    @Test func identificationsAreUnique() throws {
        let text = try Peers.text("pion-view").changing("a=mid:1", to: "a=mid:0")
        #expect(throws: SDPError.repeated(line: 41, field: "a=mid")) { try Self.offer(text) }
    }

    @Test func aDescriptionWithoutSectionsIsNoOffer() {
        #expect(throws: SDPError.missing(line: 1, field: "m=")) { try Self.offer(SessionDescriptionTests.minimal) }
    }

    @Test func withoutBundleOnlyOneSectionIsTaken() throws {
        let text = try Peers.text("pion-view").changing("a=group:BUNDLE 0 1\r\n", to: "")
        #expect(throws: SDPError.notBundled(line: 37)) { try Self.offer(text).sendable() }
        let single = text.changing("m=audio 9 ", to: "m=audio 0 ")
        #expect(try Self.offer(single).sendable().map(\.kind) == [.video])
    }

    @Test func anAnswerGroupsOnlyWhatTheOfferGrouped() throws {
        let single = try Peers.text("pion-view").changing("a=group:BUNDLE 0 1\r\n", to: "")
            .changing("m=audio 9 ", to: "m=audio 0 ")
        let offer = try Self.offer(single)
        let answer = offer.answer(try Peers.relay, tracks: Peers.send(try offer.sendable()))
        #expect(answer.media.map(\.isRejected) == [false, true])
        #expect(!answer.lines.has("group"))
    }

    @Test(
        "RIDs count only if packets carry them (RFC 8853 section 5.5)",
        arguments: ["chromium-simulcast", "safari-simulcast"])
    func ridsNeedTheirExtension(name: String) throws {
        let with = try Peers.offer(name)
        #expect(try with.receivable().last?.encodings.count == 3)
        let text = try Peers.text(name).changing("sdes:rtp-stream-id", to: "sdes:something-else")
        let without = try Self.offer(text)
        let track = try #require(try without.receivable().last)
        #expect(track.encodings.count == 1 && track.encodings[0].rid == nil)
        let answer = without.answer(try Peers.relay, tracks: Peers.receive(try without.receivable()))
        let video = try #require(answer.media.last)
        #expect(!video.lines.has("simulcast") && !video.lines.has("rid"))
    }

    @Test func aSectionOutsideTheGroupIsNotTaken() throws {
        let text = try Peers.text("pion-view").changing("BUNDLE 0 1", to: "BUNDLE 0")
        #expect(throws: SDPError.notBundled(line: 38)) { try Self.offer(text).sendable() }
    }

    @Test func rtcpSharesThePort() throws {
        let text = try Peers.text("pion-view").changing("a=rtcp-mux\r\n", to: "")
        #expect(throws: SDPError.missing(line: 9, field: "a=rtcp-mux")) { try Self.offer(text).sendable() }
    }

    @Test func aPayloadTypeMeansOneThing() throws {
        let text = try Peers.text("pion-view").changing("111", to: "96")
        #expect(throws: SDPError.sharedPayloadType(line: 38, payloadType: 96)) { try Self.offer(text).sendable() }
    }

    @Test func directionsDecide() throws {
        let subscriber = try Peers.offer("pion-view")
        #expect(throws: SDPError.noTrack(needed: .sendonly)) { try subscriber.receivable() }
        let both = try Self.offer(Peers.text("pion-view").changing("a=recvonly\r\n", to: ""))
        #expect(try both.receivable().count == 2)
        #expect(try both.sendable().count == 2)
        let none = try Self.offer(
            Peers.text("pion-view").changing("a=recvonly\r\n", to: "").withSessionLine("a=inactive"))
        #expect(throws: SDPError.noTrack(needed: .recvonly)) { try none.sendable() }
    }

    @Test func payloadTypesThatLookLikeRTCPAreNotTaken() throws {
        let text = try Peers.text("obs-publish").changing("111", to: "72")
        #expect(throws: SDPError.noTrack(needed: .sendonly)) { try Self.offer(text).receivable([.vp8]) }
    }

    static let others: [(String, String)] = [
        ("opus/48000/2", "opus/48000"), ("opus/48000/2", "opus/44100/2"), ("opus/48000/2", "opus"),
        ("opus/48000/2", "multiopus/48000/6"), ("UDP/TLS/RTP/SAVPF", "RTP/AVP"), ("UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP"),
    ]

    @Test(arguments: others) func otherCodecsAndProtocolsAreNotTaken(old: String, new: String) throws {
        let text = try Peers.text("obs-publish").changing(old, to: new)
        #expect(throws: SDPError.noTrack(needed: .sendonly)) { try Self.offer(text).receivable([.vp8]) }
    }

    @Test func numbersOfExtensions() throws {
        let base = try Peers.text("obs-publish").changing("a=mid:0\r\n", to: "a=mid:0\r\n%")
        let mid = RTPExtensionKind.mid.uri
        let level = RTPExtensionKind.audioLevel.uri
        func read(_ lines: String...) throws -> [UInt8?] {
            let text = base.changing("%", to: lines.map { "a=extmap:\($0)\r\n" }.joined())
            let map = try #require(try Self.offer(text).receivable().first).extensions
            return [map[.mid], map[.audioLevel]]
        }
        #expect(try read("1 \(mid)", "14/sendonly \(level) vad=on") == [1, 14])
        #expect(try read("255 \(mid)", "16/sendrecv \(level)") == [255, 16])
        // Reserved, only for offers, none, and already in use.
        #expect(try read("15 \(mid)", "4096 \(level)") == [nil, nil])
        #expect(try read("0 \(mid)", "x \(level)") == [nil, nil])
        #expect(try read("3 \(mid)", "3 \(level)") == [3, nil])
        #expect(try read("3 \(mid)", "4 \(mid)") == [3, nil])
        // An extension that only the relay would send, and one that is inactive.
        #expect(try read("1/recvonly \(mid)", "2/inactive \(level)") == [nil, nil])
    }

    @Test func aNumberThatMeansSomethingElseElsewhereIsLeftOut() throws {
        let mid = RTPExtensionKind.mid.uri
        let text = try Peers.text("libdatachannel-publish")
            .changing("a=mid:0\r\n", to: "a=mid:0\r\na=extmap:3 \(mid)\r\n")
            .changing(
                "a=mid:1\r\n",
                to: "a=mid:1\r\na=extmap:3 \(RTPExtensionKind.absSendTime.uri)\r\na=extmap:4 \(mid)\r\n")
        let tracks = try Self.offer(text).receivable()
        #expect(tracks.map { $0.extensions[.mid] } == [3, 4])
        #expect(tracks.map { $0.extensions[.absSendTime] } == [nil, nil])
    }

    @Test func feedbackByNumbersNeedsTheNumbers() throws {
        let text = try Peers.text("pion-view").changing("a=extmap:4 ", to: "a=extmap:4/sendonly ")
        #expect(try Self.offer(text).sendable().map { $0.feedback.contains(.transportCC) } == [false, false])
        #expect(try Peers.offer("pion-view").sendable().map { $0.feedback.contains(.transportCC) } == [true, true])
    }

    static let simulcastLines: [(String, [String])] = [
        ("a=simulcast:send low;mid;high", ["low", "mid", "high"]),
        ("a=simulcast:recv x send high,low;~mid", ["high", "mid"]), ("a=simulcast:send low;low;unknown;!", ["low"]),
        ("a=simulcast:send", []), ("a=simulcast:recv low", []), ("a=simulcast", []), ("a=x-other", ["low"]),
    ]

    @Test(arguments: simulcastLines) func simulcast(line: String, rids: [String]) throws {
        let text = try Peers.text("safari-simulcast").changing("a=simulcast:send low;mid;high", to: line)
        let track = try #require(try Self.offer(text).receivable().last)
        #expect(track.encodings.map { $0.rid?.rawValue } == (rids.isEmpty ? [nil] : rids))
    }

    @Test func aRidOfAnotherCodecIsNotTaken() throws {
        let text = try Peers.text("safari-simulcast").changing(
            "a=rid:low send", to: "a=rid:low send pt=96,98;max-width=320"
        )
        .changing("a=rid:mid send", to: "a=rid:mid send pt=98,100;max-width=640")
        let offer = try Self.offer(text)
        let tracks = try offer.receivable([.vp8])
        #expect(tracks.last?.encodings.map { $0.rid?.rawValue } == ["mid", "high"])
        let answer = try offer.answer(Peers.relay, tracks: Peers.receive(tracks)).text
        #expect(
            answer.contains("a=rid:mid recv pt=100;max-width=640\r\na=rid:high recv\r\na=simulcast:recv mid;high\r\n"))
    }
}
