import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

/// Descriptions that relays of a cluster send each other.
@Suite("SDP: JSON of what was negotiated")
struct JSONTests {
    private static let credentials = ICECredentials(ufrag: "abcd+/12", password: "abcdefghijklmnopqrstuvwx")!
    private static let fingerprints = [
        CertificateFingerprint(.sha256, bytes: Array(0..<32))!, CertificateFingerprint(.sha1, bytes: Array(7..<27))!,
    ]
    private static let keys = [
        CryptoAttribute(tag: 1, suite: "AEAD_AES_128_GCM", key: "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubG=="),
        CryptoAttribute(
            tag: 999_999_999, suite: "AES_CM_128_HMAC_SHA1_80", key: "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20"),
    ]
    private static let candidates = [
        ICECandidate(foundation: "1", transport: .udp, priority: .max, host: "2001:db8::1", port: 65_535),
        ICECandidate(
            foundation: "t+2", component: 256, transport: .tcp, priority: 0, host: "a.local", port: 0,
            kind: .serverReflexive, tcpType: .simultaneousOpen),
    ]
    private static let peers = [
        PeerDescription(
            credentials: credentials, isLite: true, fingerprints: fingerprints, setup: .passive,
            reducedSizeRTCP: false),
        PeerDescription(credentials: credentials, fingerprints: [], cryptos: keys, setup: .actpass),
    ]
    private static let relay = RelayDescription(
        credentials: credentials, fingerprint: fingerprints[0], cryptos: keys, setup: .active, candidates: candidates,
        isLite: false)

    private static func track(_ encodings: [TrackDescription.Encoding] = []) -> TrackDescription {
        var extensions = RTPExtensionMap()
        extensions[.mid] = 1
        extensions[.transportWideCC] = 200
        let codecs = [
            CodecDescription(
                video: .h264, payloadType: PayloadType(127), rtxPayloadType: PayloadType(0),
                parameters: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
                feedback: [.nack, .pli, .transportCC]),
            CodecDescription(video: .vp8, payloadType: PayloadType(96)),
        ]
        return TrackDescription(mid: MID("video!")!, codecs: codecs, extensions: extensions, encodings: encodings)
    }

    private static let encodings = [
        TrackDescription.Encoding(rid: RID("h"), ssrc: SSRC(1), rtxSSRC: SSRC(.max)), .init(rid: RID("l")),
    ]

    @Test("A peer's description is the same after a way through JSON", arguments: peers)
    func peer(_ peer: PeerDescription) throws { try JSONFaults.check(peer, refusing: 21) }

    @Test("The relay's description is the same after a way through JSON") func relayDescription() throws {
        try JSONFaults.check(Self.relay, refusing: 21)
    }

    @Test("A track is the same after a way through JSON") func wholeTrack() throws {
        try JSONFaults.check(
            Self.track(Self.encodings),
            optional: [
                "codecs.0.rtxPayloadType", "encodings.0.rid", "encodings.0.ssrc", "encodings.0.rtxSSRC",
                "encodings.1.rid", "extensions.\(RTPExtensionKind.mid.uri)",
                "extensions.\(RTPExtensionKind.transportWideCC.uri)",
            ], refusing: 21
        ) { _ = ($0.payloadType, $0.rtxPayloadType, $0.videoCodec, $0.feedback, $0.limited(to: .vp8)) }
        let opus = CodecDescription(video: nil, payloadType: PayloadType(111), redPayloadType: PayloadType(63))
        let audio = TrackDescription(mid: try #require(MID("0")), codecs: [opus])
        try JSONFaults.check(audio, optional: ["codecs.0.redPayloadType"], refusing: 21)
    }

    @Test("A track that a subscriber gets is the same after a way through JSON") func subscriberTrack() throws {
        let track = SubscriberTrack(stream: "camera", track: Self.track(), ssrc: SSRC(5), rtxSSRC: SSRC(6))
        #expect(try JSONFaults.decoded(track) == track)
        let faults = try JSONFaults(of: track)
        #expect(faults.strange.isEmpty && faults.optional.contains("rtxSSRC") && !faults.optional.contains("ssrc"))
    }

    @Test("A track has one kind, one to 16 codecs and up to four encodings, whose names differ") func trackRules()
        throws
    {
        func refuses(_ change: (inout TrackDescription) -> Void) -> Bool {
            var track = Self.track()
            change(&track)
            do {
                _ = try JSONFaults.decoded(track)
                return false
            } catch { return error is DecodingError }
        }
        #expect(!refuses { _ in })
        #expect(refuses { $0.codecs = [] })
        #expect(refuses { $0.codecs[1].video = nil })
        #expect(refuses { $0.codecs[1].payloadType = $0.codecs[0].payloadType })
        #expect(refuses { $0.codecs[1].payloadType = PayloadType(0) }, "the number of retransmissions")
        #expect(refuses { $0.codecs[0].rtxPayloadType = $0.codecs[0].payloadType })
        #expect(refuses { $0.codecs[0].payloadType = PayloadType(72) }, "RTCP")
        #expect(refuses { $0.codecs[1].redPayloadType = PayloadType(63) }, "video has no redundant audio")
        for (number, isRefused) in [(63, false), (64, true), (111, true)] as [(UInt8, Bool)] {
            let opus = CodecDescription(
                video: nil, payloadType: PayloadType(111), redPayloadType: PayloadType(number))
            #expect(refuses { $0 = TrackDescription(mid: $0.mid, codecs: [opus]) } == isRefused)
        }
        #expect(refuses { $0.codecs[0].parameters = "a\nb" })
        #expect(refuses { $0.codecs[0].parameters = String(repeating: "a", count: 129) })
        #expect(
            refuses {
                $0.codecs = (0..<17).map { CodecDescription(video: .vp8, payloadType: PayloadType(96 + $0)) }
            })
        #expect(!refuses { $0.encodings = Array(repeating: .init(), count: 4) })
        #expect(refuses { $0.encodings = Array(repeating: .init(), count: 5) })
        #expect(refuses { $0.encodings = Array(repeating: .init(rid: RID("h")), count: 2) })
        #expect(throws: DecodingError.self) { try JSONFaults.decode(PayloadType.self, "200") }
    }

    @Test("A description has either fingerprints or keys, and not too many of anything") func descriptionRules() throws
    {
        let (dtls, native) = (Self.peers[0], Self.peers[1])
        var wrong: [PeerDescription] = [dtls, dtls, dtls, native, native]
        wrong[0].fingerprints = []
        wrong[1].fingerprints = Array(repeating: dtls.fingerprints[0], count: 9)
        wrong[2].cryptos = native.cryptos
        wrong[3].cryptos = (1...9).map { CryptoAttribute(tag: $0, suite: "S", key: "AAAA") }
        wrong[4].cryptos[1].tag = 1
        for description in wrong {
            #expect(throws: DecodingError.self, "\(description)") { try JSONFaults.decoded(description) }
        }
        var relay = Self.relay
        relay.candidates = Array(repeating: Self.candidates[0], count: 101)
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(relay) }
        relay = Self.relay
        relay.cryptos = wrong[3].cryptos
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(relay) }
    }

    @Test(
        "Text with a line break, which would add lines to a client's SDP, is refused",
        arguments: [
            "1 AEAD_AES_128_GCM inline:AAAA\\na=x", "1 AEAD\\r inline:AAAA", "1\\n AEAD inline:AAAA", "1 AEAD AAAA",
        ])
    func lines(_ crypto: String) {
        let error = #expect(throws: DecodingError.self) { try JSONFaults.decode(CryptoAttribute.self, "\"\(crypto)\"") }
        #expect(error.map { !"\($0)".contains("AAAA") } == true, "no error repeats a key")
        let candidates = [
            "1 1 udp 1 a\\nb 1 typ host", "1\\n 1 udp 1 a 1 typ host", "1 1 udp 1 a 1 typ host\\na=x", "",
            "1 1 tcp 1 a 1 typ host",
        ]
        for text in candidates {
            #expect(throws: DecodingError.self, "\(text)") { try JSONFaults.decode(ICECandidate.self, "\"\(text)\"") }
        }
        for (ufrag, password) in [
            ("abc", "abcdefghijklmnopqrstuvwx"), ("ab\\ncd", "abcdefghijklmnopqrstuvwx"), ("abcd", "short"),
        ] {
            #expect(throws: DecodingError.self) {
                try JSONFaults.decode(
                    ICECredentials.self, "{\"ufrag\": \"\(ufrag)\", \"password\": \"\(password)\"}")
            }
        }
    }
}
