/// Packetizer of encoded VP8 frames into RTP payloads (RFC 7741 section 4). All payloads of a frame except the last have the same size, so
/// that the kernel can send them as one segmented message.
package struct VP8Packetizer: Sendable {
    /// Maximum size of an RTP payload in bytes, descriptor included.
    package let maximumPayloadLength: Int
    /// PictureID of the next frame, 15 bits.
    package private(set) var nextPictureID: UInt16
    /// TL0PICIDX of the last base-layer frame.
    package private(set) var tl0PicIdx: UInt8

    /// Position of a frame in the temporal layers.
    package struct Layer: Hashable, Sendable {
        /// 0...3.
        package var temporalID: UInt8
        /// True if the frame depends only on base-layer frames.
        package var sync: Bool
        package init(temporalID: UInt8, sync: Bool) {
            self.temporalID = temporalID
            self.sync = sync
        }
    }

    /// - Precondition: `maximumPayloadLength` is more than a descriptor: at least 7.
    package init(maximumPayloadLength: Int = 1_200, firstPictureID: UInt16 = 0, firstTL0PicIdx: UInt8 = 0) {
        precondition(maximumPayloadLength > VP8PayloadDescriptor.maximumLength)
        self.maximumPayloadLength = maximumPayloadLength
        nextPictureID = firstPictureID & 0x7fff
        tl0PicIdx = firstTL0PicIdx &- 1
    }

    /// Calls `body` with each payload in order; `isLast` is true for the payload that gets the marker bit. An empty frame has no
    /// payloads.
    /// - Parameter layer: set if the stream has temporal layers; then TL0PICIDX and TID are written.
    package mutating func packetize(
        _ frame: UnsafeRawBufferPointer, layer: Layer? = nil, nonReference: Bool = false,
        _ body: (_ payload: UnsafeRawBufferPointer, _ isLast: Bool) -> Void
    ) {
        guard frame.count > 0 else { return }
        var descriptor = VP8PayloadDescriptor(startOfPartition: true, nonReference: nonReference)
        descriptor.pictureID = nextPictureID
        descriptor.pictureIDWidth = 2
        nextPictureID = (nextPictureID &+ 1) & 0x7fff
        if let layer {
            if layer.temporalID == 0 { tl0PicIdx &+= 1 }
            descriptor.tl0PicIdx = tl0PicIdx
            descriptor.tl0PicIdxOffset = 4
            descriptor.hasTemporalID = true
            descriptor.temporalID = layer.temporalID & 3
            descriptor.layerSync = layer.sync
        }
        withUnsafeTemporaryAllocation(byteCount: maximumPayloadLength, alignment: 8) { scratch in
            let room = maximumPayloadLength - descriptor.write(into: scratch)
            let packets = (frame.count + room - 1) / room
            let share = (frame.count + packets - 1) / packets
            var offset = 0
            while offset < frame.count {
                descriptor.startOfPartition = offset == 0
                let head = descriptor.write(into: scratch)
                let end = min(offset + share, frame.count)
                UnsafeMutableRawBufferPointer(rebasing: scratch[head...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[offset..<end]))
                body(UnsafeRawBufferPointer(rebasing: scratch[..<(head + end - offset)]), end == frame.count)
                offset = end
            }
        }
    }

    /// Returns the payloads of a frame as arrays; the last one gets the marker bit.
    package mutating func payloads(of frame: [UInt8], layer: Layer? = nil, nonReference: Bool = false) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        frame.withUnsafeBytes { bytes in
            packetize(bytes, layer: layer, nonReference: nonReference) { payload, _ in payloads.append(Array(payload)) }
        }
        return payloads
    }
}
