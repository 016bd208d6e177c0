import MediaBase
import MillraceTestKit
import SDP
import Testing

@testable import MediaEngine

/// Offers of WHIP and WHEP clients, which the home relay of their session sends to the relays that they asked, and the answers.
@Suite("JSON of WHIP and WHEP between relays")
struct WebRTCJSONTests {
    private static let credentials = ICECredentials(ufrag: "abcd+/12", password: "abcdefghijklmnopqrstuvwx")!
    private static let fingerprint = CertificateFingerprint(.sha256, bytes: Array(0..<32))!
    private static let candidate = ICECandidate(
        foundation: "1", transport: .udp, priority: .max, host: "2001:db8::1", port: 65_535)

    private static func track(_ mid: String, _ video: VideoCodec?) -> TrackDescription {
        TrackDescription(
            mid: MID(mid)!, codecs: [CodecDescription(video: video, payloadType: PayloadType(video == nil ? 111 : 96))])
    }

    private static func request(_ tracks: [TrackDescription]) -> WebRTCRequest {
        WebRTCRequest(
            direction: .subscribe, session: "room", stream: "camera",
            peer: PeerDescription(credentials: credentials, fingerprints: [fingerprint], setup: .actpass),
            tracks: tracks)
    }

    private static var answer: WebRTCAnswer {
        var answer = WebRTCAnswer(
            id: TransportID(rawValue: "00abcdef"), session: "room", stream: "camera", direction: .subscribe,
            credentials: credentials, fingerprint: fingerprint, setup: .passive, candidates: [candidate],
            sources: [.init(mid: MID("0")!, kind: .video, ssrc: SSRC(1), rtxSSRC: SSRC(2))])
        answer.codec = .vp8
        return answer
    }

    @Test("An offer is the same after a way through JSON") func offer() throws {
        try JSONFaults.check(
            Self.request([Self.track("0", nil), Self.track("1", .vp8)]),
            optional: ["startsMuted", "stream"],
            refusing: 21)
    }

    @Test("An offer has at most one track of each kind") func tracks() {
        for tracks in [[Self.track("0", nil), Self.track("1", nil)], [Self.track("0", nil), Self.track("0", .vp8)]] {
            #expect(throws: DecodingError.self) { try JSONFaults.decoded(Self.request(tracks)) }
        }
    }

    @Test("An answer is the same after a way through JSON") func wholeAnswer() throws {
        try JSONFaults.check(Self.answer, optional: ["codec", "sources.0.rtxSSRC"], refusing: 21)
    }

    @Test(
        "An answer whose id cannot be part of a path is refused",
        arguments: ["", "a/b", "a b", "a\r\nX: y", "é", String(repeating: "f", count: 65)])
    func ids(_ id: String) {
        var answer = Self.answer
        answer.id = TransportID(rawValue: id)
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(answer) }
    }

    @Test("An answer does not have too many of anything") func answerRules() {
        var answer = Self.answer
        answer.candidates = Array(repeating: Self.candidate, count: 101)
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(answer) }
        answer = Self.answer
        answer.sources += answer.sources
        #expect(throws: DecodingError.self) { try JSONFaults.decoded(answer) }
    }

    @Test("The state of a resource is the same after a way through JSON") func snapshot() throws {
        try JSONFaults.check(
            WebRTCSnapshot(
                stream: "camera", direction: .publish, credentials: Self.credentials, peer: Self.credentials,
                candidates: [Self.candidate]), refusing: 21)
    }

    @Test("A choice of layers is the same after a way through JSON") func layers() throws {
        try JSONFaults.check(LayerChoice.automatic)
        try JSONFaults.check(
            LayerChoice.upTo(spatial: 2, temporal: 3), optional: ["upTo.spatial", "upTo.temporal"])
        try JSONFaults.check(LayerChoice.encoding(try #require(RID("h")), temporal: 0), optional: ["encoding.temporal"])
    }
}
