import MediaBase
import SDP
import Testing

@Suite("SDP: fragments that trickle") struct TrickleFragmentTests {
    /// The example of RFC 8840 section 9, with a generation that ends.
    static let candidates = """
        a=ice-ufrag:ysXw
        a=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k
        m=audio 9 RTP/AVP 0
        a=mid:0
        a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
        a=candidate:3471623853 1 udp 2122194687 198.51.100.2 61765 typ host generation 0 ufrag EsAw network-id 2
        a=candidate:344579997 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0 ufrag EsAw network-id 1
        a=end-of-candidates

        """

    @Test func candidatesBySection() throws {
        let fragment = try TrickleFragment(parsing: Self.candidates)
        #expect(fragment.credentials == ICECredentials(ufrag: "ysXw", password: "vw5LmwG4y/e6dPP/zAP9Gp5k"))
        #expect(!fragment.isLite && !fragment.endOfCandidates)
        let section = try #require(fragment.sections.first)
        #expect(fragment.sections.count == 1 && section.mid == MID("0") && section.endOfCandidates)
        #expect(section.candidates.map(\.port) == [61764, 61765, 9])
        #expect(fragment.candidates == section.candidates)
        #expect(try TrickleFragment(parsing: fragment.text) == fragment)
    }

    @Test func credentialsMayStandInASection() throws {
        let fragment = try TrickleFragment(
            parsing: "a=group:BUNDLE 0 1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ice-ufrag:abcd\r\n"
                + "a=ice-pwd:0123456789012345678901\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\n")
        #expect(fragment.credentials?.ufrag == "abcd")
        #expect(fragment.sections.map(\.kind) == [.audio, .video])
        #expect(fragment.candidates.isEmpty && fragment.bundle.map(\.rawValue) == ["0", "1"])
        #expect(try TrickleFragment(parsing: fragment.text) == fragment)
    }

    @Test func theBundleKeepsSectionsThatTheFragmentLacks() throws {
        let mids = ["0", "1"].compactMap { MID($0) }
        let fragment = TrickleFragment(credentials: nil, bundle: mids, sections: [.init(mid: mids[0], kind: .audio)])
        #expect(fragment.text.hasPrefix("a=group:BUNDLE 0 1\r\nm=audio"))
        #expect(try TrickleFragment(parsing: fragment.text) == fragment)
    }

    @Test func anEndMayStandForAll() throws {
        let fragment = try TrickleFragment(parsing: "a=end-of-candidates\n")
        #expect(fragment.endOfCandidates && fragment.credentials == nil && fragment.sections.isEmpty)
    }

    @Test func theAnswerToARestartIsReadAgain() throws {
        let relay = try Peers.relay
        let fragment = TrickleFragment(
            credentials: relay.credentials, isLite: true, options: ["trickle", "ice2"],
            sections: [
                .init(
                    mid: try #require(MID("audio1")), kind: .audio, candidates: relay.candidates, endOfCandidates: true),
                .init(mid: try #require(MID("video0")), kind: .video),
            ])
        #expect(try TrickleFragment(parsing: fragment.text) == fragment)
        #expect(
            fragment.text.hasPrefix(
                "a=ice-lite\r\na=ice-options:trickle ice2\r\na=ice-ufrag:\(relay.credentials.ufrag)\r\n"))
    }

    static let broken: [(String, SDPError)] = [
        ("", .missing(line: 1, field: "m=")),
        ("a=ice-ufrag:abcd\n", .malformed(line: 1, field: "a=ice-ufrag")),
        ("a=ice-pwd:0123456789012345678901\n", .malformed(line: 1, field: "a=ice-pwd")),
        ("a=ice-ufrag:a\na=ice-pwd:0123456789012345678901\n", .malformed(line: 1, field: "a=ice-ufrag")),
        ("m=audio 9 RTP/AVP 0\n", .missing(line: 1, field: "a=mid")),
        ("m=audio 9 RTP/AVP 0\na=mid:\n", .malformed(line: 2, field: "a=mid")),
        ("m=audio 9 RTP/AVP 0\na=mid:12345678901234567\n", .malformed(line: 2, field: "a=mid")),
        ("m=audio 9 RTP/AVP 0\na=mid:0\nm=audio 9 RTP/AVP 0\na=mid:0\n", .repeated(line: 4, field: "a=mid")),
        ("candidate\n", .malformed(line: 1, field: "line")),
    ]

    @Test(arguments: broken) func brokenOnesAreRefused(text: String, error: SDPError) {
        #expect(throws: error) { try TrickleFragment(parsing: text) }
    }
}
