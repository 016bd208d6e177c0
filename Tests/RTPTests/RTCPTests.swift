import MediaBase
import MillraceTestKit
import RTP
import Testing

/// Returns the bytes that `write` appends.
func written(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    write(&bytes)
    return bytes
}

/// Reads `bytes` as one packet and hands it to `body`, whose errors are rethrown.
func withPacket<Value>(_ bytes: [UInt8], _ body: (RTCPPacket) throws -> Value) throws -> Value {
    try bytes.withUnsafeBytes { try body(RTCPPacket(parsing: $0)) }
}

@Suite("RTCP reports and descriptions (RFC 3550 section 6)")
struct RTCPTests {
    static let block = ReportBlock(
        source: SSRC(0x0102_0304), fractionLost: 0x80, cumulativeLost: -2, highestSequence: 0x0001_ffff, jitter: 7,
        lastSenderReport: 0xb705_2000, delaySinceLastSenderReport: 0x0005_4000)
    static let blockBytes = TestVector.bytes(
        hexadecimal: "01020304 80fffffe 0001ffff 00000007 b7052000 00054000")

    @Test("Section 6.4.1: sender report") func senderReport() throws {
        let report = SenderReport(
            sender: SSRC(0xcafe_babe), ntpTime: NTPTime(rawValue: 0xb44d_b705_2000_0000),
            rtpTimestamp: RTPTimestamp(0xffff_ffff), packetCount: 3, octetCount: 4_000, blocks: [Self.block])
        let bytes =
            TestVector.bytes(hexadecimal: "81c8000c cafebabe b44db705 20000000 ffffffff 00000003 00000fa0")
            + Self.blockBytes
        #expect(written(report.write) == bytes)
        #expect(try withPacket(bytes) { try SenderReport(parsing: $0) } == report)
    }

    @Test("Section 6.4.2: receiver report, followed by a profile's extension") func receiverReport() throws {
        let report = ReceiverReport(sender: SSRC(1), blocks: [Self.block, Self.block])
        let bytes = TestVector.bytes(hexadecimal: "82c9000d 00000001") + Self.blockBytes + Self.blockBytes
        #expect(written(report.write) == bytes)
        var extended = bytes + [9, 9, 9, 9]
        extended[3] += 1
        #expect(try withPacket(extended) { try ReceiverReport(parsing: $0) } == report)
    }

    @Test(
        "Cumulative loss has 24 bits and a sign",
        arguments: [
            (0, 0), (0x7f_ffff, 0x7f_ffff), (0x80_0000, 0x7f_ffff), (-0x80_0000, -0x80_0000), (.min, -0x80_0000),
        ]
            as [(Int32, Int32)])
    func cumulativeLoss(lost: Int32, expected: Int32) throws {
        var block = Self.block
        block.cumulativeLost = lost
        let bytes = written(ReceiverReport(sender: SSRC(1), blocks: [block]).write)
        #expect(try withPacket(bytes) { try ReceiverReport(parsing: $0) }.blocks[0].cumulativeLost == expected)
    }

    @Test("Section 6.5: descriptions of every length have correct padding", arguments: 0...9)
    func sdes(length: Int) throws {
        let sdes = SDES(chunks: [
            .init(source: SSRC(1), cname: String(repeating: "c", count: length)),
            .init(source: SSRC(2), items: []),
            .init(source: SSRC(3), items: [.init(type: 6, value: [0xff]), .init(type: 15, value: Array("mid".utf8))]),
        ])
        let bytes = written(sdes.write)
        #expect(bytes.count % 4 == 0)
        let read = try withPacket(bytes) { try SDES(parsing: $0) }
        #expect(read == sdes)
        #expect(read.chunks[0].cname?.count == length && read.chunks[1].cname == nil)
    }

    @Test func sdesBytes() {
        let sdes = SDES(chunks: [.init(source: SSRC(0x0102_0304), cname: "ab")])
        #expect(written(sdes.write) == TestVector.bytes(hexadecimal: "81ca0003 01020304 01026162 00000000"))
    }

    @Test("Section 6.6: goodbye") func bye() throws {
        let bye = BYE(sources: [SSRC(1), SSRC(2)], reason: "so long")
        let bytes = TestVector.bytes(hexadecimal: "82cb0004 00000001 00000002 07736f20 6c6f6e67")
        #expect(written(bye.write) == bytes)
        #expect(try withPacket(bytes) { try BYE(parsing: $0) } == bye)
        let silent = BYE(sources: [])
        #expect(written(silent.write) == [0x80, 0xcb, 0, 0])
        #expect(try withPacket([0x80, 0xcb, 0, 0]) { try BYE(parsing: $0) } == silent)
        #expect(throws: RTPError.truncated(.byeSources)) {
            try withPacket([0x81, 0xcb, 0, 0]) { try BYE(parsing: $0) }
        }
    }

    @Test("RFC 3611: extended reports are recognized, so that a compound that has one is read to its end")
    func extendedReport() throws {
        let bytes = TestVector.bytes(
            hexadecimal: "80cf0004 00000009 04000002 0102030405060708 80cb0000")
        let kinds = try bytes.withUnsafeBytes { try RTCPCompound(parsing: $0).map(\.kind) }
        #expect(kinds == [.xr, .bye])
    }

    @Test func kindsAreToldApart() throws {
        let remb = written(REMB(sender: SSRC(1), bitrate: .kilobits(1), sources: []).write)
        var other = remb
        other[12] = 0x58
        let expected: [(RTCPKind, [UInt8])] = [
            (.remb, remb), (.other, other), (.pli, written(PLI(sender: SSRC(1), media: SSRC(2)).write)),
            (.other, [0x80, 204, 0, 0]), (.other, [0x9f, 205, 0, 0]), (.bye, [0x80, 203, 0, 0]),
        ]
        for (kind, bytes) in expected { #expect(try withPacket(bytes) { $0.kind } == kind) }
        #expect(throws: RTPError.unexpected(.rtcpPacketType)) { try withPacket(other) { try REMB(parsing: $0) } }
    }
}

@Suite("RTCP datagrams (RFC 3550 section 6.1, RFC 5506)")
struct RTCPCompoundTests {
    static func kinds(_ bytes: [UInt8]) throws -> [RTCPKind] {
        try bytes.withUnsafeBytes { try RTCPCompound(parsing: $0).map(\.kind) }
    }

    @Test func walksAllPackets() throws {
        var bytes = written(ReceiverReport(sender: SSRC(1)).write)
        SDES(chunks: [.init(source: SSRC(1), cname: "x")]).write(into: &bytes)
        PLI(sender: SSRC(1), media: SSRC(2)).write(into: &bytes)
        #expect(try Self.kinds(bytes) == [.receiverReport, .sdes, .pli])
    }

    @Test("A datagram may start with any packet (RFC 5506)") func reducedSize() throws {
        #expect(try Self.kinds(written(PLI(sender: SSRC(1), media: SSRC(2)).write)) == [.pli])
    }

    @Test func onlyTheLastPacketIsPadded() throws {
        let padded: [UInt8] = [0xa0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4]
        let plain: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 1]
        #expect(try Self.kinds(plain + padded) == [.receiverReport, .receiverReport])
        let bodies = try (plain + padded).withUnsafeBytes { try RTCPCompound(parsing: $0).map(\.body.count) }
        #expect(bodies == [4, 4])
        #expect(throws: RTPError.invalid(.rtcpPadding)) { try Self.kinds(padded + plain) }
        for count in [0, 9, 255] as [UInt8] {
            #expect(throws: RTPError.invalid(.rtcpPadding)) { try Self.kinds(padded.dropLast() + [count]) }
        }
    }

    @Test func refusesWhatCannotBe() {
        #expect(throws: RTPError.truncated(.rtcpHeader)) { try Self.kinds([]) }
        #expect(throws: RTPError.truncated(.rtcpHeader)) { try Self.kinds([0x80, 201, 0, 0, 0x80]) }
        #expect(throws: RTPError.truncated(.rtcpLength)) { try Self.kinds([0x80, 201, 0, 1]) }
        #expect(throws: RTPError.truncated(.rtcpLength)) { try Self.kinds([0x80, 201, 0xff, 0xff]) }
        #expect(throws: RTPError.unsupportedVersion(.rtcpHeader)) { try Self.kinds([0x40, 201, 0, 0]) }
    }

    @Test("Datagrams recorded from other programs", arguments: ["ffmpeg-5.1-vp8", "gstreamer-1.22-vp8"])
    func captured(name: String) throws {
        let media = try RTPHeaderTests.parse(TestVector.datagrams("captures/\(name).hex", "rtp")[0]).ssrc
        let datagrams = try TestVector.datagrams("captures/\(name).hex", "rtcp")
        #expect(datagrams.count == 2)
        for datagram in datagrams {
            try datagram.withUnsafeBytes { bytes in
                for packet in try RTCPCompound(parsing: bytes) {
                    switch packet.kind {
                    case .senderReport:
                        let report = try SenderReport(parsing: packet)
                        #expect(report.sender == media)
                        // November 2026.
                        #expect(report.ntpTime.unixNanoseconds / 1_000_000_000 / 86_400 / 365 == 56)
                    case .sdes: #expect(try SDES(parsing: packet).chunks[0].cname?.isEmpty == false)
                    case .bye: #expect(try BYE(parsing: packet).sources == [media])
                    default: Issue.record("unexpected packet")
                    }
                }
            }
        }
    }
}
