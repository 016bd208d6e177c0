import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("RTP header (RFC 3550 section 5.1)")
struct RTPHeaderTests {
    static let plain: [UInt8] = [
        0x80, 0xe0, 0x12, 0x34, 0xde, 0xad, 0xbe, 0xef, 0xca, 0xfe, 0xba, 0xbe, 1, 2, 3,
    ]
    /// Two CSRCs, a one-byte extension of two words, 5 bytes of payload, 3 of padding.
    static let everything: [UInt8] = [
        0xb2, 0x6f, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 2,
        0, 0, 0, 10, 0, 0, 0, 11,
        0xbe, 0xde, 0, 2, 0x10, 0xaa, 0x21, 0xbb, 0xcc, 0, 0, 0,
        1, 2, 3, 4, 5, 0, 0, 3,
    ]

    static func parse(_ bytes: [UInt8]) throws -> RTPHeader { try bytes.withUnsafeBytes { try RTPHeader(parsing: $0) } }
    static func failure(_ bytes: [UInt8]) -> RTPError? {
        bytes.withUnsafeBytes { bytes in
            do throws(RTPError) {
                _ = try RTPHeader(parsing: bytes)
                return nil
            } catch { return error }
        }
    }

    @Test func readsTheFixedFields() throws {
        let header = try Self.parse(Self.plain)
        #expect(header.marker)
        #expect(header.payloadType == PayloadType(96))
        #expect(header.sequenceNumber == SequenceNumber(0x1234))
        #expect(header.timestamp == RTPTimestamp(0xdead_beef))
        #expect(header.ssrc == SSRC(0xcafe_babe))
        #expect(!header.hasExtension && header.csrcCount == 0 && header.paddingLength == 0)
        #expect(header.payloadOffset == 12 && header.payloadLength == 3)
    }

    @Test func findsThePartsBehindThem() throws {
        let header = try Self.parse(Self.everything)
        #expect(!header.marker && header.payloadType.rawValue == 111)
        #expect(header.csrcCount == 2)
        #expect(header.hasExtension && header.extensionProfile == 0xbede)
        #expect(header.extensionOffset == 24 && header.extensionLength == 8)
        #expect(header.payloadOffset == 32 && header.payloadLength == 5 && header.paddingLength == 3)
        #expect(header.headerLength == 32 && header.packetLength == Self.everything.count)
    }

    @Test func leavesPaddingOfAProtectedPacketAlone() throws {
        let header = try Self.everything.withUnsafeBytes { try RTPHeader(parsingProtected: $0) }
        #expect(header.payloadLength == 8 && header.paddingLength == 0)
    }

    @Test("Limits of the sequence number", arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func sequenceEdges(number: UInt16) throws {
        var header = RTPHeader(
            payloadType: PayloadType(127), sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(.max),
            ssrc: SSRC(0), marker: true)
        header.csrcCount = 15
        var bytes = [UInt8](repeating: 0, count: header.headerLength)
        bytes.withUnsafeMutableBytes { _ = header.write(into: $0) }
        let read = try Self.parse(bytes)
        #expect(read.sequenceNumber.rawValue == number)
        #expect(read.csrcCount == 15 && read.payloadOffset == 72 && read.payloadLength == 0)
    }

    @Test func writesWhatItRead() throws {
        let header = try Self.parse(Self.everything)
        var bytes = Self.everything
        for index in Array(0..<12) + Array(20..<24) { bytes[index] = 0x55 }
        let length = bytes.withUnsafeMutableBytes { header.write(into: $0) }
        #expect(length == 32)
        #expect(bytes == Self.everything)
    }

    @Test func makesAPacketWithAPayload() throws {
        let header = try Self.parse(Self.plain)
        #expect(Self.plain.withUnsafeBytes { header.packet(UnsafeRawBufferPointer(rebasing: $0[12...])) } == Self.plain)
        #expect(header.packet(UnsafeRawBufferPointer(start: nil, count: 0)) == Array(Self.plain[..<12]))
    }

    @Test func refusesWhatIsCutShort() {
        for length in 0..<12 { #expect(Self.failure(Array(Self.everything[..<length])) == .truncated(.fixedHeader)) }
        for length in 12..<20 { #expect(Self.failure(Array(Self.everything[..<length])) == .truncated(.csrcList)) }
        for length in 20..<32 {
            #expect(Self.failure(Array(Self.everything[..<length])) == .truncated(.headerExtension))
        }
        #expect(Self.failure(Array(Self.everything[..<32])) == .truncated(.padding))
    }

    @Test("Other versions are refused", arguments: [0x00, 0x40, 0xc0] as [UInt8])
    func refusesOtherVersions(first: UInt8) {
        #expect(Self.failure([first] + Self.plain[1...]) == .unsupportedVersion(.fixedHeader))
    }

    @Test("Invalid padding is refused", arguments: [0, 9, 255] as [UInt8])
    func refusesImpossiblePadding(count: UInt8) {
        #expect(Self.failure(Self.everything.dropLast() + [count]) == .invalid(.padding))
    }

    @Test func allowsNothingButPadding() throws {
        let header = try Self.parse(Self.everything.dropLast() + [8])
        #expect(header.payloadLength == 0 && header.paddingLength == 8)
    }

    @Test("Packets recorded from other programs", arguments: ["ffmpeg-5.1-vp8", "gstreamer-1.22-vp8"])
    func capturedPackets(name: String) throws {
        let headers = try TestVector.datagrams("captures/\(name).hex", "rtp").map(Self.parse)
        #expect(headers.count >= 3)
        for (before, after) in zip(headers, headers.dropFirst()) {
            #expect(after.sequenceNumber.distance(from: before.sequenceNumber) == 1)
            #expect(after.timestamp.distance(from: before.timestamp) == 18_000)
            #expect(after.ssrc == before.ssrc && after.marker && after.payloadType.rawValue == 96)
        }
    }
}
