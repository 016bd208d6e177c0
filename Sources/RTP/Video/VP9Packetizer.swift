/// Packetizer of encoded VP9 frames of one spatial and one temporal layer into RTP payloads (RFC 9628 section 4), in non-flexible mode with
/// PictureIDs of 15 bits. The first payload of a key frame has a scalability structure with the size of the frame.
package struct VP9Packetizer: Sendable {
    /// I, P, B, E and V of the descriptor.
    private enum Flag {
        static let pictureID: UInt8 = 0x80
        static let isInterPredicted: UInt8 = 0x40
        static let startsFrame: UInt8 = 0x08
        static let endsFrame: UInt8 = 0x04
        static let scalability: UInt8 = 0x02
    }

    /// Bytes of the descriptor without and with a scalability structure.
    private static let descriptorLength = 3
    private static let longestDescriptor = 8

    /// Maximum size of an RTP payload in bytes, descriptor included.
    package let maximumPayloadLength: Int
    /// PictureID of the next frame, 15 bits.
    package private(set) var nextPictureID: UInt16

    /// - Precondition: `maximumPayloadLength` is more than a descriptor: at least 9.
    package init(maximumPayloadLength: Int = 1_200, firstPictureID: UInt16 = 0) {
        precondition(maximumPayloadLength > Self.longestDescriptor)
        self.maximumPayloadLength = maximumPayloadLength
        nextPictureID = firstPictureID & 0x7fff
    }

    /// Returns the payloads of a frame; the last one gets the marker bit. An empty frame has none.
    package mutating func payloads(of frame: [UInt8]) -> [[UInt8]] {
        guard !frame.isEmpty else { return [] }
        let header = frame.withUnsafeBytes { try? VP9FrameHeader(parsing: $0) }
        let isKeyFrame = header?.isKeyFrame == true
        let pictureID = nextPictureID
        nextPictureID = (nextPictureID &+ 1) & 0x7fff
        let room = maximumPayloadLength - (isKeyFrame ? Self.longestDescriptor : Self.descriptorLength)
        let count = (frame.count + room - 1) / room
        let share = (frame.count + count - 1) / count
        return (0..<count).map { index in
            let start = min(index * share, frame.count)
            let end = min(start + share, frame.count)
            var first = Flag.pictureID
            if !isKeyFrame { first |= Flag.isInterPredicted }
            if index == 0 { first |= Flag.startsFrame }
            if index == count - 1 { first |= Flag.endsFrame }
            var payload = [first, 0x80 | UInt8(pictureID >> 8), UInt8(truncatingIfNeeded: pictureID)]
            if index == 0, isKeyFrame, let header {
                payload[0] |= Flag.scalability
                // One spatial layer (N_S 0), its size (Y), no description of the references (G).
                payload.append(0x10)
                for value in [UInt16(clamping: header.width), UInt16(clamping: header.height)] {
                    payload += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
                }
            }
            return payload + frame[start..<end]
        }
    }
}
