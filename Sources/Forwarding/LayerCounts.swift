import RTP

/// Number of packets and frames that a filter of layers leaves out before one packet of a stream, for each possible limit. A consumer's
/// sequence number follows by subtraction: the consumer keeps no record of filtered packets, and a retransmitted packet gets its original
/// number.
///
/// Only packets received in order are counted. A missing packet is assumed to be forwarded: its number stays reserved, and if it arrives
/// late it gets the counts of its neighbour.
package struct LayerCounts: Sendable {
    /// No limit: all layers are sent.
    package static let noLimit = LayerOrder.noLimit

    /// Number of packets above limits 0, 1 and 2; the last entry is 0.
    private(set) var packets = SIMD4<Int64>.zero
    /// Number of frames above the limits that began before this packet's frame, modulo 2^16.
    private(set) var frames = SIMD4<UInt16>.zero

    /// Returns the number of earlier packets that a filter left out.
    /// - Parameter limit: highest layer that is sent, 0...3 (`LayerOrder`).
    @inline(__always)
    func packets(above limit: UInt8) -> Int64 {
        limit >= Self.noLimit ? 0 : packets[Int(limit)]
    }

    @inline(__always)
    func frames(above limit: UInt8) -> UInt16 {
        limit >= Self.noLimit ? 0 : frames[Int(limit)]
    }

    @inline(__always)
    private static func limits(below layer: UInt8) -> SIMDMask<SIMD4<Int64>> {
        SIMD4<Int64>(repeating: Int64(layer)) .> SIMD4(0, 1, 2, 3)
    }

    mutating func countPacket(ofLayer layer: UInt8) {
        guard layer > 0 else { return }
        packets.replace(with: packets &+ 1, where: Self.limits(below: layer))
    }

    mutating func countFrame(ofLayer layer: UInt8) {
        guard layer > 0 else { return }
        frames.replace(
            with: frames &+ 1, where: SIMD4<UInt16>(repeating: UInt16(layer)) .> SIMD4(0, 1, 2, 3))
    }
}

/// Counts the packets of one stream as they arrive.
struct LayerCounter: Sendable {
    private var counts = LayerCounts()
    private var timestamp = Int64.min
    private var pictureID: UInt16 = 0
    private var layer: UInt8 = 0

    /// Counts a packet that was received in order.
    /// - Parameters:
    ///   - timestamp: unwrapped; with the PictureID it distinguishes frames.
    ///   - numberedLayer: see `FrameFacts`.
    /// - Returns: the counts of the packet.
    mutating func take(timestamp: Int64, _ fields: RewriteFields, numberedLayer: UInt8) -> LayerCounts {
        if timestamp != self.timestamp || fields.pictureID != pictureID {
            counts.countFrame(ofLayer: layer)
            self.timestamp = timestamp
            pictureID = fields.pictureID
            layer = numberedLayer
        }
        let result = counts
        counts.countPacket(ofLayer: fields.layer)
        return result
    }

    /// Returns the counts of a packet without video data, as of a base layer packet received in order. The packet itself is not counted.
    /// - Parameter timestamp: unwrapped.
    func peek(timestamp: Int64) -> LayerCounts {
        var result = counts
        if timestamp != self.timestamp { result.countFrame(ofLayer: layer) }
        return result
    }
}
