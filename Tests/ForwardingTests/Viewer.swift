import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

/// A packet as a viewer has it after decryption.
struct ViewedPacket {
    var header: RTPHeader
    /// Padding removed.
    var payload: [UInt8]
    /// VP8 only.
    var descriptor: VP8PayloadDescriptor?
    /// Which publisher's packet it is, by its payload.
    var sourceID: UInt32
    var index: Int64
    /// Whole datagram.
    var datagramLength: Int
    /// Unwrapped next to the newest one of this SSRC.
    var sequence: Int64
}

/// What one subscription's address gets, decrypted by libsrtp2 and taken apart.
final class Viewer {
    let path: Int
    let suite: SRTPSuite
    let leg: UnsafeMutablePointer<EgressLeg>
    private let context: SRTPContext
    /// In order of arrival, by SSRC; a packet that came again is not repeated here.
    private(set) var packets: [UInt32: [ViewedPacket]] = [:]
    /// SSRC and packet index of everything that came, with the datagram: a second one must be the same to the byte, or a
    /// keystream was used twice.
    private var datagrams: [UInt64: [UInt8]] = [:]
    /// Datagrams that came again.
    private(set) var repeated: [ViewedPacket] = []
    private var unwrappers: [UInt32: SequenceUnwrapper] = [:]
    private(set) var datagramCount = 0

    init(path: Int, key: SRTPKey, leg: UnsafeMutablePointer<EgressLeg>) throws {
        self.path = path
        self.leg = leg
        suite = key.suite
        context = try SRTPContext(key: key, direction: .inbound)
    }

    var received: [ViewedPacket] {
        precondition(packets.count <= 1)
        return packets.values.first ?? []
    }

    func receive(_ datagram: [UInt8]) throws {
        datagramCount += 1
        let protected = try datagram.withUnsafeBytes { try RTPHeader(parsingProtected: $0) }
        let ssrc = protected.ssrc.rawValue
        let sequence = unwrappers[ssrc, default: SequenceUnwrapper()].unwrap(protected.sequenceNumber)
        let key = UInt64(ssrc) << 32 | UInt64(truncatingIfNeeded: sequence & 0xffff_ffff)
        if let earlier = datagrams[key] {
            try #require(earlier == datagram, "two packets under one index \(sequence) of SSRC \(ssrc)")
            repeated.append(try #require(packets[ssrc]?.last { $0.sequence == sequence }))
            return
        }
        datagrams[key] = datagram
        var bytes = datagram
        var length = bytes.count
        try bytes.withUnsafeMutableBytes { try context.unprotect($0.baseAddress!, length: &length) }
        try bytes.withUnsafeBytes { raw in
            let packet = UnsafeRawBufferPointer(rebasing: raw[0..<length])
            let header = try RTPHeader(parsing: packet)
            let payload = UnsafeRawBufferPointer(
                rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
            var descriptor: VP8PayloadDescriptor?
            var start = 0
            if header.payloadType.rawValue != 111 {
                let parsed = try VP8PayloadDescriptor(parsing: payload)
                descriptor = parsed
                start = parsed.headerLength + 1
            }
            try #require(payload.count >= start + SyntheticSource.identityLength)
            func number(_ at: Int, _ count: Int) -> UInt64 {
                (0..<count).reduce(0) { $0 << 8 | UInt64(payload[start + at + $1]) }
            }
            try #require(number(0, 4) == 0x4d49_4c4c)
            try #require(number(16, 8) == UInt64(payload.count), "padding is not part of the payload")
            packets[ssrc, default: []].append(
                ViewedPacket(
                    header: header, payload: Array(payload), descriptor: descriptor,
                    sourceID: UInt32(number(4, 4)), index: Int64(bitPattern: number(8, 8)),
                    datagramLength: datagram.count, sequence: sequence))
        }
    }
}
