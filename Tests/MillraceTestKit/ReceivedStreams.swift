import MediaBase
package import RTP
package import SRTP

/// A packet as a subscriber has it after decryption.
package struct ViewedPacket: Sendable {
    package var header: RTPHeader
    /// Payload without padding.
    package var payload: [UInt8]
    /// VP8 only.
    package var descriptor: VP8PayloadDescriptor?
    /// Number of the publisher that made the packet, from its payload.
    package var sourceID: UInt32
    package var index: Int64
    /// Bytes of the whole datagram.
    package var datagramLength: Int
    /// Sequence number, unwrapped next to the newest one of this SSRC.
    package var sequence: Int64
    /// Fixed header and header extension.
    package var head: [UInt8] = []

    /// Returns the values of its header extensions.
    package func extensions(_ map: RTPExtensionMap) -> RTPExtensionValues {
        head.withUnsafeBytes { RTPExtensionValues(header, in: $0, map: map) }
    }

    /// Returns the MID in its header extension.
    package func mid(_ map: RTPExtensionMap) -> String? {
        head.withUnsafeBytes { RTPExtensionValues(header, in: $0, map: map).mid(in: $0)?.rawValue }
    }
}

extension ViewedPacket: CustomStringConvertible {
    package var description: String { "packet \(index) of source \(sourceID) as \(sequence), \(payload.count) bytes" }
}

/// Fault in a packet that a subscriber received.
package struct SubscriberFault: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// The RTP streams under one key as a subscriber receives them: decrypted by libsrtp2 and parsed.
package final class ReceivedStreams {
    private let context: SRTPContext
    /// Packets in order of arrival, by SSRC; repeated packets are not included.
    package private(set) var packets: [UInt32: [ViewedPacket]] = [:]
    /// SSRC and packet index of each datagram, with its bytes: a second one must be equal byte by byte, or a keystream was used twice.
    private var datagrams: [UInt64: [UInt8]] = [:]
    /// Datagrams that arrived repeatedly.
    package private(set) var repeated: [ViewedPacket] = []
    /// Numbers of media packets that contained only padding.
    package private(set) var fillers: [UInt32: [Int64]] = [:]
    private var unwrappers: [UInt32: SequenceUnwrapper] = [:]
    package private(set) var datagramCount = 0
    /// Bytes before the identity in payloads of video; nil: a VP8 payload descriptor and the first byte of the frame.
    package var payloadHeader: Int?
    /// Whether payloads are not looked into. Packets have no identity then.
    package var isOpaque = false

    private let audioPayloadType: UInt8
    private let suite: SRTPSuite
    /// SSRC of each RTX stream, and of the media that it retransmits.
    package var rtx: [UInt32: UInt32] = [:]
    /// Packets of RTX streams, under the media's SSRC and first sequence number, in order of arrival; `head` is the RTX packet's.
    package private(set) var retransmitted: [UInt32: [ViewedPacket]] = [:]
    /// Headers of packets that contained only padding, and their datagrams' lengths.
    package private(set) var padding: [(header: RTPHeader, head: [UInt8], datagramLength: Int)] = []

    package init(key: SRTPKey, audioPayloadType: UInt8 = 111) throws {
        context = try SRTPContext(key: key, direction: .inbound)
        self.audioPayloadType = audioPayloadType
        suite = key.suite
    }

    /// Packets of the only stream.
    package var received: [ViewedPacket] {
        precondition(packets.count <= 1)
        return packets.values.first ?? []
    }

    /// Returns the packets that a publisher made.
    package func packets(from source: UInt32) -> [ViewedPacket] {
        for stream in packets.values {
            if stream[0].sourceID == source, stream[stream.count - 1].sourceID == source { return stream }
            let own = stream.filter { $0.sourceID == source }
            if !own.isEmpty { return own }
        }
        return []
    }

    package func receive(_ datagram: [UInt8]) throws {
        datagramCount += 1
        let protected = try datagram.withUnsafeBytes { try RTPHeader(parsingProtected: $0) }
        let ssrc = protected.ssrc.rawValue
        let sequence = unwrappers[ssrc, default: SequenceUnwrapper()].unwrap(protected.sequenceNumber)
        let key = UInt64(ssrc) << 32 | UInt64(truncatingIfNeeded: sequence & 0xffff_ffff)
        if let earlier = datagrams[key] {
            guard isSame(earlier, datagram) else {
                throw SubscriberFault("two packets under one index \(sequence) of SSRC \(ssrc)")
            }
            guard let first = packets[ssrc]?.last(where: { $0.sequence == sequence }) else { return }
            repeated.append(first)
            return
        }
        datagrams[key] = datagram
        var bytes = datagram
        var length = bytes.count
        try bytes.withUnsafeMutableBytes { try context.unprotect($0.baseAddress!, length: &length) }
        if let media = rtx[ssrc] {
            try receive(Array(bytes[..<length]), datagram.count, sequence, repeating: media)
            return
        }
        let header = try bytes.withUnsafeBytes {
            try RTPHeader(parsing: UnsafeRawBufferPointer(rebasing: $0[..<length]))
        }
        if header.payloadLength == 0 {
            fillers[ssrc, default: []].append(sequence)
            return
        }
        let packet = try bytes.withUnsafeBytes { raw in
            try takeApart(UnsafeRawBufferPointer(rebasing: raw[0..<length]), datagram.count, sequence)
        }
        packets[ssrc, default: []].append(packet)
    }

    /// Receives a packet of an RTX stream: the original sequence number precedes the payload (RFC 4588 section 4).
    private func receive(_ packet: [UInt8], _ datagramLength: Int, _ sequence: Int64, repeating media: UInt32) throws {
        let header = try packet.withUnsafeBytes { try RTPHeader(parsing: $0) }
        let head = Array(packet[..<header.payloadOffset])
        guard header.payloadLength > 0 else {
            padding.append((header, head, datagramLength))
            return
        }
        guard header.payloadLength >= 2, let unwrapper = unwrappers[media] else {
            throw SubscriberFault("a retransmission of nothing")
        }
        let original = SequenceNumber(
            UInt16(packet[header.payloadOffset]) << 8 | UInt16(packet[header.payloadOffset + 1]))
        if header.payloadLength == 2 {
            fillers[media, default: []].append(unwrapper.peek(original))
            return
        }
        var repeated = Array(packet[..<12]) + packet[(header.payloadOffset + 2)...]
        repeated[0] &= 0xef
        let payloadType = packets[media]?.first?.header.payloadType.rawValue ?? audioPayloadType
        repeated[1] = repeated[1] & 0x80 | payloadType
        repeated[2] = UInt8(original.rawValue >> 8)
        repeated[3] = UInt8(original.rawValue & 0xff)
        for i in 0..<4 { repeated[8 + i] = UInt8(truncatingIfNeeded: media >> UInt32(24 - 8 * i)) }
        var viewed = try repeated.withUnsafeBytes { try takeApart($0, datagramLength, unwrapper.peek(original)) }
        if let first = packets[media]?.last(where: { $0.sequence == viewed.sequence }) {
            guard first.payload == viewed.payload, first.header.marker == viewed.header.marker,
                first.header.timestamp == viewed.header.timestamp
            else { throw SubscriberFault("a retransmission of \(viewed.sequence) that is another packet") }
        }
        viewed.head = head
        retransmitted[media, default: []].append(viewed)
    }

    /// Compares two datagrams with one index. The header extension may differ only if the keystream depends on the payload alone.
    private func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        if a == b { return true }
        guard !suite.isAEAD, a.count == b.count, a[..<12] == b[..<12],
            let header = try? a.withUnsafeBytes({ try RTPHeader(parsingProtected: $0) })
        else { return false }
        let media = header.payloadOffset..<(a.count - suite.tagLength)
        return a[media] == b[media]
    }

    private func takeApart(
        _ packet: UnsafeRawBufferPointer, _ datagramLength: Int, _ sequence: Int64
    ) throws -> ViewedPacket {
        let header = try RTPHeader(parsing: packet)
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        guard !isOpaque else {
            return ViewedPacket(
                header: header, payload: Array(payload), sourceID: 0, index: 0, datagramLength: datagramLength,
                sequence: sequence, head: Array(packet[..<header.payloadOffset]))
        }
        var descriptor: VP8PayloadDescriptor?
        var start = 0
        if let payloadHeader {
            start = payloadHeader
        } else if header.payloadType.rawValue != audioPayloadType {
            let parsed = try VP8PayloadDescriptor(parsing: payload)
            descriptor = parsed
            start = parsed.headerLength + 1
        }
        guard payload.count >= start + SyntheticSource.identityLength else {
            throw SubscriberFault("a payload without identity")
        }
        func number(_ at: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 << 8 | UInt64(payload[start + at + $1]) }
        }
        guard number(0, 4) == 0x4d49_4c4c else { throw SubscriberFault("a payload of nobody's") }
        guard number(16, 8) == UInt64(payload.count) else { throw SubscriberFault("padding counted as payload") }
        return ViewedPacket(
            header: header, payload: Array(payload), descriptor: descriptor, sourceID: UInt32(number(4, 4)),
            index: Int64(bitPattern: number(8, 8)), datagramLength: datagramLength, sequence: sequence,
            head: Array(packet[..<header.payloadOffset]))
    }
}
