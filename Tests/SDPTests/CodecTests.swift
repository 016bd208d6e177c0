import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

@Suite("SDP: video codecs") struct CodecTests {
    /// Returns codec, payload types and parameters.
    private static func summary(_ codec: CodecDescription) -> String {
        [
            codec.video?.rawValue ?? "Opus", codec.payloadType.description, codec.rtxPayloadType?.description ?? "-",
            codec.parameters,
        ].joined(separator: " ")
    }

    // MARK: publishers

    /// Offer, allowed codecs, and the codec of the answer; nil: only the audio is accepted.
    static let publishers: [(String, [VideoCodec], String?)] = [
        ("chromium-publish", VideoCodec.allCases, "VP8 96 97 "),
        (
            "chromium-publish", [.h264],
            "H264 102 103 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f"
        ),
        ("chromium-publish", [.vp9], "VP9 98 99 profile-id=0"),
        ("chromium-publish", [.av1], "AV1 45 46 level-idx=5;profile=0;tier=0"),
        // The order of the publisher decides, not that of the allowed codecs.
        ("chromium-simulcast", [.av1, .vp9, .h264, .vp8], "VP8 96 97 "),
        ("firefox-publish", VideoCodec.allCases, "VP8 120 124 "),
        ("firefox-publish", [.av1, .vp9], "VP9 121 125 "),
        ("firefox-publish", [.av1], "AV1 99 100 "),
        ("firefox-publish", [.h264], nil),
        (
            "obs-publish", VideoCodec.allCases,
            "H264 96 - level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
        ),
        ("obs-publish", [.vp8, .vp9, .av1], nil),
        (
            "safari-simulcast", VideoCodec.allCases,
            "H264 96 97 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f"
        ),
        ("safari-simulcast", [.vp8, .vp9], "VP8 100 101 "),
        ("gstreamer-publish", VideoCodec.allCases, "VP8 96 - "),
        (
            "aiortc-publish", [.h264, .av1],
            "H264 99 100 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f"
        ),
    ]

    @Test(
        "A publisher is answered with its first allowed codec and the retransmissions of that codec",
        arguments: publishers)
    func published(name: String, allowed: [VideoCodec], expected: String?) throws {
        let offer = try Peers.offer(name)
        for tracks in [try offer.receivable(allowed), try offer.publishable(allowed)] {
            let video = tracks.first { $0.kind == .video }
            #expect(video.map { $0.codecs.map(Self.summary) } == expected.map { [$0] })
            let answer = offer.answer(try Peers.relay, tracks: Peers.receive(tracks))
            let section = try #require(answer.media.first { $0.media == "video" })
            guard let video else {
                #expect(section.isRejected)
                continue
            }
            #expect(section.formats == [video.payloadType, video.rtxPayloadType].compactMap { $0?.description })
            let read = try Answer(parsing: answer.text.utf8, to: offer.description).tracks.map(\.track)
            #expect(read.first { $0.kind == .video }?.codecs == video.codecs)
        }
    }

    // MARK: subscribers

    @Test("A subscriber of a stream is answered with the codec of the stream alone")
    func subscribed() throws {
        let offer = try Peers.offer("chromium-view")
        for (codec, number) in [(.vp8, 96), (.h264, 102), (.vp9, 98), (.av1, 45)] as [(VideoCodec, UInt8)] {
            let video = try #require(try offer.sendable(stream: codec).last)
            #expect(video.codecs.map(\.video) == [codec] && video.payloadType == PayloadType(number))
            let text = offer.answer(try Peers.relay, tracks: Peers.send([video])).text
            #expect(text.contains(" UDP/TLS/RTP/SAVPF \(number) \(number + 1)\r\n"), "\(text)")
        }
    }

    @Test("If the codec of the stream is not known, all common codecs are answered, in the relay's order")
    func subscribedEarly() throws {
        let offer = try Peers.offer("chromium-view")
        let video = try #require(try offer.sendable([.av1, .vp8, .h264]).last)
        #expect(video.codecs.map(\.payloadType.rawValue) == [45, 96, 102])
        let text = offer.answer(try Peers.relay, tracks: Peers.send([video])).text
        #expect(text.contains(" UDP/TLS/RTP/SAVPF 45 46 96 97 102 103\r\n"), "\(text)")
        #expect(video.limited(to: .vp8).codecs.map(\.video) == [.vp8])
        #expect(video.limited(to: .vp9) == video && video.limited(to: nil) == video)
    }

    @Test("A subscriber that does not accept the stream's codec is refused, or gets the audio alone if that is allowed")
    func mismatch() throws {
        let offer = try Peers.offer("firefox-view")
        let error = SDPError.codecMismatch(offered: [.vp8, .vp9, .av1], stream: .h264)
        #expect(throws: error) { try offer.sendable(stream: .h264) }
        #expect(!error.isMalformed && error.description.contains("VP8, VP9, AV1"))
        #expect(try offer.sendable(stream: .h264, allowsAudioAlone: true).map(\.kind) == [.audio])
        // Audio alone is all that this offer asks for.
        let text = try Peers.text("firefox-view").changing("m=video 9 ", to: "m=video 0 ")
        #expect(try Offer(parsing: text.utf8).sendable(stream: .h264).map(\.kind) == [.audio])
    }

    // MARK: the relay's offers

    private static func agreement(
        _ client: SubscribingClient, _ codecs: [VideoCodec] = VideoCodec.allCases,
        _ change: (String) -> String = { $0 }
    ) throws -> SubscribeAgreement {
        var negotiation = try SubscribeNegotiationTests.negotiation { $0.videoCodecs = codecs }
        try negotiation.subscribe("a", kinds: [.audio, .video], now: .zero)
        let offer = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
        return try negotiation.accept(change(client.answer(offer.sdp)), revision: 1, now: .seconds(1))
    }

    @Test("The relay offers all allowed codecs in its order, VP8 under the same numbers as ever")
    func offered() throws {
        var negotiation = try SubscribeNegotiationTests.negotiation()
        try negotiation.subscribe("a", kinds: [.video], now: .zero)
        let text = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1)).sdp
        #expect(text.contains(" UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 102 103\r\n"))
        for line in [
            "rtpmap:96 VP8/90000", "fmtp:97 apt=96", "rtpmap:98 H264/90000",
            "fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", "fmtp:99 apt=98",
            "rtpmap:100 VP9/90000", "fmtp:100 profile-id=0", "rtpmap:102 AV1/90000",
            "fmtp:102 level-idx=5;profile=0;tier=0", "rtcp-fb:102 nack pli",
        ] { #expect(text.contains("a=\(line)\r\n"), "\(line)") }
        var other = try SubscribeNegotiationTests.negotiation { $0.videoCodecs = [.av1, .vp8] }
        try other.subscribe("a", kinds: [.video], now: .zero)
        #expect(
            try SubscribeNegotiationTests.take(&other, at: .seconds(1)).sdp.contains("SAVPF 102 103 96 97\r\n"))
    }

    static let accepted: [(Set<String>, [VideoCodec], hasRTX: Bool)] = [
        (["96", "97"], [.vp8], true), (["98", "99", "102"], [.h264, .av1], true), (["100"], [.vp9], false),
        (["96", "97", "98", "99", "100", "101", "102", "103"], VideoCodec.allCases, true), (["97", "99"], [], false),
    ]

    @Test("A section keeps all codecs that the client accepts", arguments: accepted)
    func answered(payloadTypes: Set<String>, codecs: [VideoCodec], hasRTX: Bool) throws {
        var client = SubscribingClient()
        client.payloadTypes = payloadTypes.union(["111"])
        let agreement = try Self.agreement(client)
        #expect(agreement.added.first?.track.codecs.map(\.video) == [nil])
        let video = agreement.added.first { $0.track.kind == .video }
        #expect(video?.track.codecs.compactMap(\.video) ?? [] == codecs)
        #expect((video?.rtxSSRC != nil) == hasRTX)
        #expect(agreement.refused.map(\.kind) == (codecs.isEmpty ? [.video] : []))
    }

    @Test(
        "Answers of real clients name all codecs that they accept",
        arguments: [
            ("chromium", VideoCodec.allCases), ("firefox", [.vp8, .vp9, .av1]), ("aiortc", [.vp8]),
        ] as [(String, [VideoCodec])])
    func realClients(name: String, codecs: [VideoCodec]) throws {
        var negotiation = try SubscribeNegotiationTests.negotiation()
        try negotiation.subscribe("a", kinds: [.audio, .video], now: .zero)
        _ = try SubscribeNegotiationTests.take(&negotiation, at: .seconds(1))
        // That of aiortc answers an offer with VP8 alone.
        let vector = codecs.count == 1 ? "subscribe" : "subscribe-codecs"
        let agreement = try negotiation.accept(
            TestVector.text("sdp/\(name)-\(vector).sdp"), revision: 1, now: .seconds(1))
        let video = try #require(agreement.added.last).track
        #expect(agreement.added.count == 2 && video.codecs.map(\.video) == codecs)
        #expect(video.codecs.allSatisfy { $0.rtxPayloadType?.rawValue == $0.payloadType.rawValue + 1 })
        #expect(video.codecs.allSatisfy { $0.feedback.isSuperset(of: [.nack, .pli]) })
    }

    @Test("An answer may state another level, but not another profile or another codec for a payload type")
    func answeredOtherwise() throws {
        func codecs(_ old: String, _ new: String) throws -> [VideoCodec] {
            let added = try Self.agreement(SubscribingClient()) { $0.changing(old, to: new) }.added
            return added.last?.track.codecs.compactMap(\.video) ?? []
        }
        #expect(try codecs("profile-level-id=42e01f", "profile-level-id=42c028") == VideoCodec.allCases)
        #expect(try codecs("profile-level-id=42e01f", "profile-level-id=4de01f") == VideoCodec.allCases)
        #expect(try codecs("profile-level-id=42e01f", "profile-level-id=64001f") == [.vp8, .vp9, .av1])
        #expect(try codecs("packetization-mode=1", "packetization-mode=0") == [.vp8, .vp9, .av1])
        #expect(try codecs("a=rtpmap:98 H264", "a=rtpmap:98 VP9") == [.vp8, .vp9, .av1])
        #expect(try codecs("profile-id=0", "profile-id=2") == [.vp8, .h264, .av1])
        #expect(try codecs("profile=0", "profile=1") == [.vp8, .h264, .vp9])
    }

    @Test("An own offer with all codecs is read as it was meant")
    func own() throws {
        var random = SystemRandomNumberGenerator()
        let maker = OfferMaker(credentials: .random(using: &random), fingerprint: try Peers.relay.fingerprint)
        let track = TrackDescription.offered(.video, codecs: VideoCodec.allCases)
        let offer = try Offer(parsing: maker.view([track]).text.utf8)
        #expect(try offer.sendable() == [track])
        #expect(try offer.sendable(stream: .vp9) == [track.limited(to: .vp9)])
    }

    // MARK: parameters

    static let profiles: [(String, String, isSame: Bool)] = [
        // Table 5 of RFC 6184: constrained baseline, baseline, main, extended.
        ("42e01f", "42c01f", true), ("42e01f", "42e034", true), ("42e01f", "42401f", true),
        ("42e01f", "4d801f", true), ("42e01f", "4de01f", true), ("42e01f", "58c01f", true),
        ("42e01f", "42f00b", true), ("42001f", "42801f", true), ("42001f", "58801f", true),
        ("42001f", "58b01f", true), ("4d001f", "4d401f", true), ("4d001f", "4d501f", true),
        ("58001f", "58301f", true), ("64001f", "640034", true), ("640c1f", "640C1F", true), ("42E01F", "42e01f", true),
        ("42e01f", "42001f", false), ("42e01f", "4d001f", false), ("42e01f", "58801f", false),
        ("42e01f", "64001f", false), ("42001f", "58001f", false), ("4d001f", "58001f", false),
        ("4d001f", "4d201f", false), ("64001f", "640c1f", false), ("64001f", "6e001f", false),
        ("6e001f", "6e101f", false), ("42e01f", "42e11f", false), ("000000", "ffffff", false),
    ]

    @Test(
        "H.264 profiles are compared by profile and constraint flags (RFC 6184 section 8.1, table 5)",
        arguments: profiles)
    func profile(one: String, other: String, isSame: Bool) throws {
        let profiles = (try #require(H264Profile(levelID: one)), try #require(H264Profile(levelID: other)))
        #expect((profiles.0 == profiles.1) == isSame, "\(profiles)")
        #expect(H264Profile(levelID: nil) == .baseline)
    }

    static let hostile = [
        "", "a", "42e01", "42e01f0", "42e01g", "+2e01f", "-00001", "0x42e0", "42 e01f", "4\u{b2}e01f", "\u{ff14}2e01f",
        String(repeating: "4", count: 60_000),
    ]

    @Test("A malformed profile-level-id is not accepted", arguments: hostile)
    func hostileLevels(value: String) throws {
        #expect(H264Profile(levelID: value) == nil)
        let text = try Peers.text("obs-publish").changing("profile-level-id=42e01f", to: "profile-level-id=" + value)
        guard let offer = try? Offer(parsing: text.utf8) else { return }
        #expect(try offer.receivable().map(\.kind) == [.audio])
    }

    static let formats: [(String, String)] = [
        ("packetization-mode=1", "packetization-mode=0"), ("packetization-mode=1", "packetization-mode=2"),
        ("packetization-mode=1", "packetization-mode=01"), ("packetization-mode=1;", ""),
        ("H264/90000", "H264/48000"), ("H264/90000", "H265/90000"), ("H264/90000", "H264"),
    ]

    @Test("Formats that the relay cannot forward are not accepted", arguments: formats)
    func unusable(old: String, new: String) throws {
        let text = try Peers.text("obs-publish").changing(old, to: new)
        #expect(try Offer(parsing: text.utf8).receivable().map(\.kind) == [.audio])
    }

    @Test("Parameter sets of a publisher's description are kept if they are usable, and not repeated in the answer")
    func parameterSets() throws {
        func codec(_ value: String, in name: String = "obs-publish") throws -> CodecDescription? {
            let text = try Peers.text(name).changing(
                "packetization-mode=1", to: "packetization-mode=1;sprop-parameter-sets=" + value)
            let offer = try Offer(parsing: text.utf8)
            let tracks = try offer.receivable([.h264])
            let answer = offer.answer(try Peers.relay, tracks: Peers.receive(tracks))
            #expect(!answer.text.contains("sprop-parameter-sets"))
            return tracks.first { $0.kind == .video }?.codecs.first
        }
        let value = "Z0LAC9oLE7ARAAADAAEAAAMAMg8UKqA=,aM48gA=="
        let usable = try codec(value)
        #expect(usable?.parameterSets?.text == value)
        for value in ["", "Z0LgH9oF", "Z0LgH9oF,aM48gA==\u{1}", String(repeating: "A", count: 50_000)] {
            let other = try codec(value)
            #expect(other?.video == .h264 && other?.parameterSets == nil, "\(value.prefix(20))")
        }
        #expect(try Peers.offer("obs-publish").receivable().allSatisfy { $0.codecs[0].parameterSets == nil })
    }

    @Test("The answer repeats no other parameters of an offer, and no values that are malformed")
    func answeredParameters() throws {
        func answer(_ parameters: String) throws -> String? {
            let text = try Peers.text("obs-publish").changing(
                "profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1", to: parameters)
            let offer = try Offer(parsing: text.utf8)
            let answer = offer.answer(try Peers.relay, tracks: Peers.receive(try offer.receivable()))
            return answer.media.last?.lines.value("fmtp")
        }
        #expect(try answer("packetization-mode=1") == "96 packetization-mode=1")
        #expect(
            try answer("Profile-Level-Id=4D0032; Packetization-Mode=1; sprop-parameter-sets=Z0LgH9oF,aM48gA==")
                == "96 packetization-mode=1;profile-level-id=4D0032")
        for value in ["1\u{1}", "yes", "\"", String(repeating: "1", count: 50_000)] {
            #expect(
                try answer("packetization-mode=1;level-asymmetry-allowed=" + value) == "96 packetization-mode=1")
        }
    }
}
