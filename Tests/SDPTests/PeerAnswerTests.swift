import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing

/// Answers to the relay's offers in the format of other relays, written after their known behaviour.
@Suite("SDP: answers of other relays") struct PeerAnswerTests {
    static let fingerprint = "sha-256 " + (0..<32).map { _ in "AB" }.joined(separator: ":")

    static func offer(publish: Bool) throws -> SessionDescription {
        var random = SeededGenerator(seed: 3)
        let maker = OfferMaker(
            credentials: .random(using: &random),
            fingerprint: try #require(CertificateFingerprint(.sha256, bytes: random.bytes(32))))
        let rids = ["h", "m", "l"].map { TrackDescription.Encoding(rid: RID($0)) }
        return publish
            ? maker.publish([.offered(.audio, encodings: [.init(ssrc: SSRC(1))]), .offered(.video, encodings: rids)])
            : maker.view([.offered(.audio), .offered(.video)])
    }

    static func answer(_ lines: String, publish: Bool) throws -> Answer {
        let text = "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\nt=0 0\n" + lines.changing("FINGERPRINT", to: fingerprint)
        return try Answer(parsing: text.utf8, to: offer(publish: publish))
    }

    /// Credentials in every section, candidates with individual names, RTX answered by number, everything else as offered.
    @Test func fullAgentWithAllInEverySection() throws {
        let section = """
            c=IN IP4 192.0.2.20
            a=ice-ufrag:wZQf
            a=ice-pwd:qLzdiM8hBYaYk0zY4zU9gK
            a=ice-options:trickle
            a=fingerprint:FINGERPRINT
            a=setup:active
            a=rtcp-mux
            a=candidate:1 1 udp 2015363327 192.0.2.20 47812 typ host
            a=candidate:2 1 udp 1015363327 192.0.2.20 47813 typ host
            a=end-of-candidates
            """
        let answer = try Self.answer(
            """
            a=group:BUNDLE 0 1
            a=msid-semantic: WMS *
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            a=recvonly
            a=mid:0
            a=rtpmap:111 opus/48000/2
            a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
            \(section)
            m=video 9 UDP/TLS/RTP/SAVPF 96 97
            a=recvonly
            a=mid:1
            a=rtpmap:96 VP8/90000
            a=rtcp-fb:96 ccm fir
            a=rtcp-fb:96 nack
            a=rtcp-fb:96 nack pli
            a=rtcp-fb:96 transport-cc
            a=rtpmap:97 rtx/90000
            a=fmtp:97 apt=96
            a=extmap:5 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
            a=rid:h recv
            a=rid:m recv
            a=simulcast:recv h;m
            \(section)

            """, publish: true)
        #expect(answer.peer.setup == .active && !answer.peer.isLite && answer.peer.credentials.ufrag == "wZQf")
        #expect(answer.candidates.map(\.port) == [47812, 47813])
        #expect(answer.tracks.map(\.direction) == [.recvonly, .recvonly])
        let video = try #require(answer.tracks.last).track
        #expect(video.payloadType.rawValue == 96 && video.rtxPayloadType?.rawValue == 97)
        #expect(video.feedback == [.fir, .nack, .pli, .transportCC])
        #expect(video.extensions[.transportWideCC] == 5 && video.extensions[.mid] == nil)
        #expect(video.encodings.map { $0.rid?.rawValue } == ["h", "m"])
    }

    /// Transport at the session level, ICE-lite, and a track to receive with its SSRCs.
    @Test func liteAgentWithTheTransportInFront() throws {
        let answer = try Self.answer(
            """
            a=ice-lite
            a=fingerprint:FINGERPRINT
            a=ice-ufrag:0123456789abcdef
            a=ice-pwd:0123456789abcdef0123456789abcdef
            a=setup:passive
            a=group:BUNDLE 0 1
            m=audio 7 UDP/TLS/RTP/SAVPF 111
            a=mid:0
            a=sendonly
            a=rtcp-mux
            a=rtpmap:111 opus/48000/2
            a=ssrc:100 cname:x
            a=candidate:udpcandidate 1 udp 1076302079 192.0.2.30 44444 typ host
            a=candidate:tcpcandidate 1 tcp 1076276479 192.0.2.30 44444 typ host tcptype passive
            m=video 7 UDP/TLS/RTP/SAVPF 96 97
            a=mid:1
            a=sendonly
            a=rtcp-mux
            a=rtpmap:96 VP8/90000
            a=rtpmap:97 rtx/90000
            a=fmtp:97 apt=96
            a=ssrc-group:FID 200 201
            a=ssrc:200 cname:x
            a=ssrc:201 cname:x

            """, publish: false)
        #expect(answer.peer.isLite && answer.peer.setup == .passive)
        #expect(answer.candidates.map(\.transport) == [.udp, .tcp])
        #expect(
            answer.tracks.map(\.track.encodings) == [
                [.init(ssrc: SSRC(100))], [.init(ssrc: SSRC(200), rtxSSRC: SSRC(201))],
            ])
    }

    @Test func rejectedAndForeignSectionsAreLeftOut() throws {
        let answer = try Self.answer(
            """
            a=fingerprint:FINGERPRINT
            m=audio 0 UDP/TLS/RTP/SAVPF 0
            a=mid:0
            m=video 9 UDP/TLS/RTP/SAVPF 96 99
            a=setup:passive
            a=ice-ufrag:abcd
            a=ice-pwd:0123456789abcdef0123456789abcdef
            a=rtpmap:96 VP8/90000
            a=rtpmap:99 rtx/90000
            a=fmtp:99 apt=96

            """, publish: false)
        #expect(answer.tracks.map(\.track.mid.rawValue) == ["1"])
        #expect(answer.tracks.first?.track.rtxPayloadType == nil && answer.tracks.first?.direction == .sendrecv)
    }

    static let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:0\na=rtpmap:111 opus/48000/2\n"
    static let video = "m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=rtpmap:96 VP8/90000\n"
    static let transport =
        "a=fingerprint:FINGERPRINT\na=setup:passive\na=ice-ufrag:abcd\na=ice-pwd:0123456789abcdef0123456789abcdef\n"
    static let broken: [(String, SDPError)] = [
        (transport + audio, .malformed(line: 9, field: "m=")),
        (transport + video + audio, .malformed(line: 9, field: "m=")),
        (
            transport + audio.changing("9 UDP", to: "0 UDP") + video.changing("9 UDP", to: "0 UDP"),
            .noTrack(needed: .sendrecv)
        ),
        (transport + audio.changing("111", to: "100") + video.changing("96", to: "101"), .noTrack(needed: .sendrecv)),
        (transport.changing("a=setup:passive\n", to: "") + audio + video, .missing(line: 8, field: "a=setup")),
        (transport.changing("passive", to: "actpass") + audio + video, .malformed(line: 9, field: "a=setup")),
    ]

    @Test(arguments: broken) func whatDoesNotFitTheOfferIsRefused(lines: String, error: SDPError) {
        #expect(throws: error) { try Self.answer(lines, publish: false) }
    }
}
