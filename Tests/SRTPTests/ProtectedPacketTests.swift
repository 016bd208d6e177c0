import SRTP
import Testing

@Suite("Packets protected as a whole") struct ProtectedPacketTests {
    private static let rtp: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + (0..<40)
    /// A receiver report without blocks.
    private static let rtcp: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 3]

    @Test("A protected packet is longer by the tag, and the receiver gets the original", arguments: SRTPSuite.allCases)
    func roundTrip(suite: SRTPSuite) throws {
        let key = SRTPKey.random(for: suite)
        let outbound = try SRTPContext(key: key, direction: .outbound)
        let inbound = try SRTPContext(key: key, direction: .inbound)
        var packet = try outbound.protected(Self.rtp)
        #expect(packet.count == Self.rtp.count + suite.tagLength && packet[12..<52] != Self.rtp[12..<52])
        var length = packet.count
        try packet.withUnsafeMutableBytes { try inbound.unprotect(#require($0.baseAddress), length: &length) }
        #expect(Array(packet[..<length]) == Self.rtp)
        var report = try outbound.protectedRTCP(Self.rtcp)
        #expect(report.count == Self.rtcp.count + suite.rtcpOverhead)
        length = report.count
        try report.withUnsafeMutableBytes { try inbound.unprotectRTCP(#require($0.baseAddress), length: &length) }
        #expect(Array(report[..<length]) == Self.rtcp)
    }

    @Test("Bytes that are no packet are refused", arguments: [[], [0x80], [UInt8](repeating: 0x80, count: 7)])
    func malformed(bytes: [UInt8]) throws {
        let context = try SRTPContext(key: .random(for: .aeadAES128GCM), direction: .outbound)
        #expect(throws: SRTPFailure.self) { try context.protected(bytes) }
        #expect(throws: SRTPFailure.self) { try context.protectedRTCP(bytes) }
    }
}
