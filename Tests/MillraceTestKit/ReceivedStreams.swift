package import RTP
package import SRTP

/// A packet as a viewer has it after decryption.
package struct ViewedPacket: Sendable {
    package var header: RTPHeader
    /// Padding removed.
    package var payload: [UInt8]
    /// VP8 only.
    package var descriptor: VP8PayloadDescriptor?
    /// Which publisher's packet it is, by its payload.
    package var sourceID: UInt32
    package var index: Int64
    /// Whole datagram.
    package var datagramLength: Int
    /// Unwrapped next to the newest one of this SSRC.
    package var sequence: Int64
}

extension ViewedPacket: CustomStringConvertible {
    package var description: String { "packet \(index) of source \(sourceID) as \(sequence), \(payload.count) bytes" }
}

/// What went wrong with a packet that a viewer got.
package struct ViewerFault: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// The RTP streams under one key as a viewer gets them: decrypted by libsrtp2 and taken apart.
package final class ReceivedStreams {
    private let context: SRTPContext
    /// In order of arrival, by SSRC; a packet that came again is not repeated here.
    package private(set) var packets: [UInt32: [ViewedPacket]] = [:]
    /// SSRC and packet index of everything that came, with the datagram: a second one must be the same to the byte, or a
    /// keystream was used twice.
    private var datagrams: [UInt64: [UInt8]] = [:]
    /// Datagrams that came again.
    package private(set) var repeated: [ViewedPacket] = []
    private var unwrappers: [UInt32: SequenceUnwrapper] = [:]
    package private(set) var datagramCount = 0

    private let soundPayloadType: UInt8

    package init(key: SRTPKey, soundPayloadType: UInt8 = 111) throws {
        context = try SRTPContext(key: key, direction: .inbound)
        self.soundPayloadType = soundPayloadType
    }

    /// Packets of the one stream that there is.
    package var received: [ViewedPacket] {
        precondition(packets.count <= 1)
        return packets.values.first ?? []
    }

    /// Packets of the publisher that made them.
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
            guard earlier == datagram, let first = packets[ssrc]?.last(where: { $0.sequence == sequence }) else {
                throw ViewerFault("two packets under one index \(sequence) of SSRC \(ssrc)")
            }
            repeated.append(first)
            return
        }
        datagrams[key] = datagram
        var bytes = datagram
        var length = bytes.count
        try bytes.withUnsafeMutableBytes { try context.unprotect($0.baseAddress!, length: &length) }
        let packet = try bytes.withUnsafeBytes { raw in
            try takeApart(UnsafeRawBufferPointer(rebasing: raw[0..<length]), datagram.count, sequence)
        }
        packets[ssrc, default: []].append(packet)
    }

    private func takeApart(
        _ packet: UnsafeRawBufferPointer, _ datagramLength: Int, _ sequence: Int64
    ) throws -> ViewedPacket {
        let header = try RTPHeader(parsing: packet)
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        var descriptor: VP8PayloadDescriptor?
        var start = 0
        if header.payloadType.rawValue != soundPayloadType {
            let parsed = try VP8PayloadDescriptor(parsing: payload)
            descriptor = parsed
            start = parsed.headerLength + 1
        }
        guard payload.count >= start + SyntheticSource.identityLength else {
            throw ViewerFault("a payload without identity")
        }
        func number(_ at: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 << 8 | UInt64(payload[start + at + $1]) }
        }
        guard number(0, 4) == 0x4d49_4c4c else { throw ViewerFault("a payload of nobody's") }
        guard number(16, 8) == UInt64(payload.count) else { throw ViewerFault("padding counted as payload") }
        return ViewedPacket(
            header: header, payload: Array(payload), descriptor: descriptor, sourceID: UInt32(number(4, 4)),
            index: Int64(bitPattern: number(8, 8)), datagramLength: datagramLength, sequence: sequence)
    }
}
