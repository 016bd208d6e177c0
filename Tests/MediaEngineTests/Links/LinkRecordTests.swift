import MediaBase
import RTP
import Testing

@testable import MediaEngine

@Suite("Records of links between workers")
struct LinkRecordTests {
    private let bytes: [UInt8] = [1, 2, 3, 4, 5]

    private func packet(_ descriptorLength: UInt16) -> (header: RTPHeader, payload: [UInt8], descriptor: [UInt8]?)? {
        var record = LinkRecord(kind: .packet, track: 1, arrival: 0)
        (record.payloadType, record.sequence, record.timestamp, record.ssrc) = (96, 65_535, 90_000, 7)
        record.marker = true
        record.descriptorLength = descriptorLength
        return bytes.withUnsafeBytes { bytes in
            record.packet(bytes).map { ($0.header, Array($0.payload), $0.descriptor.map { Array($0) }) }
        }
    }

    @Test("A packet is read as it was written, with the dependency descriptor after its payload")
    func packets() throws {
        let plain = try #require(packet(0))
        #expect(plain.payload == bytes && plain.descriptor == nil)
        let header = plain.header
        #expect(header.payloadType == PayloadType(96) && header.sequenceNumber == SequenceNumber(65_535))
        #expect(header.timestamp == RTPTimestamp(90_000) && header.ssrc == SSRC(7) && header.marker)
        let described = try #require(packet(2))
        #expect(described.payload == [1, 2, 3] && described.descriptor == [4, 5])
        #expect(described.header.payloadLength == 3)
        #expect(packet(5)?.payload == [])
    }

    @Test("A descriptor that is longer than the record is no packet") func longDescriptor() {
        #expect(packet(6) == nil && packet(.max) == nil)
    }
}
