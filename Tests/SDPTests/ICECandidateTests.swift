import SDP
import Testing

@Suite("SDP: candidates") struct ICECandidateTests {
    /// The first two are the examples of RFC 8839 section 5.1, the third that of RFC 6544 section 4.5; the others are in the format of
    /// Firefox, Chromium and Pion.
    static let lines: [(String, ICECandidate)] = [
        (
            "1 1 UDP 1694498815 192.0.2.3 45664 typ srflx raddr 203.0.113.141 rport 8998",
            ICECandidate(
                foundation: "1", transport: .udp, priority: 1_694_498_815, host: "192.0.2.3", port: 45664,
                kind: .serverReflexive)
        ),
        (
            "1 2 UDP 2130706431 2001:db8::a 8998 typ host",
            ICECandidate(
                foundation: "1", component: 2, transport: .udp, priority: 2_130_706_431, host: "2001:db8::a",
                port: 8998)
        ),
        (
            "1 1 TCP 2128609279 10.0.1.1 9 typ host tcptype active",
            ICECandidate(
                foundation: "1", transport: .tcp, priority: 2_128_609_279, host: "10.0.1.1", port: 9, tcpType: .active)
        ),
        (
            "candidate:0 1 UDP 2122187007 b173dc57-2232-4280-81bb-6425b26e2916.local 40061 typ host",
            ICECandidate(
                foundation: "0", transport: .udp, priority: 2_122_187_007,
                host: "b173dc57-2232-4280-81bb-6425b26e2916.local", port: 40061)
        ),
        (
            "516071877 1 tcp 1518154495 fd00::2 9 typ host tcptype passive generation 0 network-id 2",
            ICECandidate(
                foundation: "516071877", transport: .tcp, priority: 1_518_154_495, host: "fd00::2", port: 9,
                tcpType: .passive)
        ),
        (
            "a+/b 1 udp 4294967295 192.0.2.1 65535 typ relay raddr :: rport 0 ufrag x tcptype",
            ICECandidate(
                foundation: "a+/b", transport: .udp, priority: .max, host: "192.0.2.1", port: 65535, kind: .relayed)
        ),
    ]

    @Test(arguments: lines) func areReadAndPrinted(text: String, candidate: ICECandidate) {
        #expect(ICECandidate(text) == candidate)
        #expect(ICECandidate(candidate.description) == candidate)
        #expect(ICECandidate("candidate:" + candidate.description) == candidate)
    }

    @Test func aRelatedAddressIsPrintedWithoutTellingIt() {
        var candidate = ICECandidate(
            foundation: "1", transport: .udp, priority: 1, host: "192.0.2.3", port: 1, kind: .serverReflexive)
        #expect(candidate.description == "1 1 udp 1 192.0.2.3 1 typ srflx raddr 0.0.0.0 rport 0")
        candidate.host = "2001:db8::3"
        #expect(candidate.description == "1 1 udp 1 2001:db8::3 1 typ srflx raddr :: rport 0")
    }

    @Test func namesHaveNoAddress() {
        #expect(ICECandidate("1 1 udp 1 a.local 1 typ host")?.address == nil)
        #expect(ICECandidate("1 1 udp 1 ::1 7 typ host")?.address?.description == "[::1]:7")
    }

    @Test(arguments: [
        "", "candidate:", "1 1 udp 1 192.0.2.1 1 typ", "1 1 udp 1 192.0.2.1 1 host typ",
        "1 0 udp 1 192.0.2.1 1 typ host",
        "1 257 udp 1 192.0.2.1 1 typ host", "1 1 sctp 1 192.0.2.1 1 typ host",
        "1 1 udp 4294967296 192.0.2.1 1 typ host",
        "1 1 udp -1 192.0.2.1 1 typ host", "1 1 udp 1 192.0.2.1 65536 typ host", "1 1 udp 1 192.0.2.1 1 typ other",
        "1 1 tcp 1 192.0.2.1 1 typ host", "1 1 tcp 1 192.0.2.1 1 typ host tcptype none",
        "1 1 udp 1 192.0.2.1 1 typ host tcptype active",
        "123456789012345678901234567890123 1 udp 1 192.0.2.1 1 typ host",
        "1 1 udp 1 \u{e9}.local 1 typ host",
    ]) func whatIsNoneIsPassedOver(text: String) { #expect(ICECandidate(text) == nil) }
}
