package import MediaBase
package import RTP

/// A packet as a publisher made it. Its payload contains the publisher and the packet's index, so that received packets are identified
/// without trusting any header.
package struct SourcePacket: Sendable {
    package var header: RTPHeader
    package var payload: [UInt8]
    /// Index from the source's first packet; the low 16 bits are the header's sequence number.
    package var index: Int64
    package var startsKeyFrame: Bool
}

/// A publisher's track in virtual time.
package struct SyntheticSource: Sendable {
    /// Bytes of the identity in each payload.
    package static let identityLength = 24

    package let id: UInt32
    package let kind: MediaKind
    package let ssrc: SSRC
    package let payloadType: PayloadType
    /// 7-bit PictureIDs instead of 15-bit ones.
    package var hasNarrowPictureIDs = false
    /// False: plain descriptors of one byte, without PictureIDs.
    package var hasPictureIDs = true
    package var nextIndex: Int64
    package var timestamp: UInt32
    package var pictureID: UInt16
    package var tl0: UInt8
    private var random: SeededGenerator

    package init(id: UInt32, kind: MediaKind, firstSequence: UInt16 = 1000, seed: UInt64 = 1) {
        self.id = id
        self.kind = kind
        ssrc = SSRC(0x5000_0000 + id)
        payloadType = PayloadType(kind == .audio ? 111 : 96)
        nextIndex = Int64(firstSequence)
        random = SeededGenerator(seed: seed &+ UInt64(id))
        timestamp = UInt32(truncatingIfNeeded: random.next())
        pictureID = UInt16(truncatingIfNeeded: random.next()) & 0x7fff
        tl0 = UInt8(truncatingIfNeeded: random.next())
    }

    /// Returns one audio packet.
    package mutating func audioPacket(bytes: Int = 120) -> SourcePacket {
        timestamp &+= 960
        return packet(descriptor: [], bytes: bytes, marker: false, startsKeyFrame: false)
    }

    /// Returns one frame of video in `packets` packets, whose payloads have `sizes` bytes in turn.
    /// - Parameters:
    ///   - layer: temporal layer, 0...3.
    ///   - isSync: the frame depends on the base layer only.
    package mutating func frame(
        isKey: Bool, packets: Int = 4, sizes: [Int] = [1100], layer: UInt8 = 0, isSync: Bool = true
    ) -> [SourcePacket] {
        timestamp &+= 3000
        pictureID = (pictureID &+ 1) & (hasNarrowPictureIDs ? 0x7f : 0x7fff)
        if layer == 0 { tl0 &+= 1 }
        return (0..<packets).map { i in
            let isFirst = i == 0
            var descriptor: [UInt8] = [isFirst ? 0x10 : 0]
            if hasPictureIDs {
                descriptor[0] |= 0x80
                descriptor.append(0xe0)  // I, L, T
                if hasNarrowPictureIDs {
                    descriptor.append(UInt8(pictureID))
                } else {
                    descriptor += [0x80 | UInt8(pictureID >> 8), UInt8(pictureID & 0xff)]
                }
                descriptor += [tl0, layer << 6 | (isSync ? 0x20 : 0)]
            }
            // The first byte of the frame: its lowest bit is 0 in a key frame.
            descriptor.append(isFirst && isKey ? 0x10 : 0x11)
            return packet(
                descriptor: descriptor, bytes: sizes[i % sizes.count], marker: i == packets - 1,
                startsKeyFrame: isFirst && isKey)
        }
    }

    /// Returns a packet with only padding and the timestamp of the last frame, as a publisher without RTX sends probes.
    package mutating func padding() -> SourcePacket {
        let header = RTPHeader(
            payloadType: payloadType, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: nextIndex)),
            timestamp: RTPTimestamp(timestamp), ssrc: ssrc, marker: false)
        defer { nextIndex += 1 }
        return SourcePacket(header: header, payload: [], index: nextIndex, startsKeyFrame: false)
    }

    /// Returns the packet's bytes before encryption.
    package static func bytes(of packet: SourcePacket) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: RTPHeader.fixedLength)
        bytes.withUnsafeMutableBytes { _ = packet.header.write(into: $0) }
        return bytes + packet.payload
    }

    private mutating func packet(
        descriptor: [UInt8], bytes: Int, marker: Bool, startsKeyFrame: Bool
    ) -> SourcePacket {
        var payload = descriptor
        payload.reserveCapacity(bytes)
        func put(_ value: UInt64, _ count: Int) {
            for i in (0..<count).reversed() { payload.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
        }
        let length = max(bytes, descriptor.count + Self.identityLength)
        put(0x4d49_4c4c, 4)
        put(UInt64(id), 4)
        put(UInt64(bitPattern: nextIndex), 8)
        put(UInt64(length), 8)
        let filling = UInt8(truncatingIfNeeded: random.next())
        while payload.count < length { payload.append(filling &+ UInt8(truncatingIfNeeded: payload.count)) }
        let header = RTPHeader(
            payloadType: payloadType, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: nextIndex)),
            timestamp: RTPTimestamp(timestamp), ssrc: ssrc, marker: marker, payloadLength: payload.count)
        defer { nextIndex += 1 }
        return SourcePacket(header: header, payload: payload, index: nextIndex, startsKeyFrame: startsKeyFrame)
    }
}
