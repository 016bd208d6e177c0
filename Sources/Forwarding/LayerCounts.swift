/// What a temporal filter leaves out before one packet of a stream, for each limit that there can be. With it a consumer's numbers come
/// from a subtraction: it needs no memory of what it left out, and a packet that is resent gets the number that it had.
///
/// Counted is what came in order. A packet that is missing is taken for one that goes out: its number stays free, and when it comes late
/// it finds its counts with its neighbour.
package struct LayerCounts: Sendable {
    /// Everything goes out.
    package static let noLimit: UInt8 = 3

    /// Packets above limit 0, 1 and 2; the last is 0.
    private(set) var packets = SIMD4<Int64>.zero
    /// Pictures above them that began before this packet's picture, modulo 2^16.
    private(set) var pictures = SIMD4<UInt16>.zero

    /// Packets that a filter left out before.
    /// - Parameter limit: highest temporal layer that goes out, 0...3.
    @inline(__always)
    func packets(above limit: UInt8) -> Int64 {
        limit >= Self.noLimit ? 0 : packets[Int(limit)]
    }

    @inline(__always)
    func pictures(above limit: UInt8) -> UInt16 {
        limit >= Self.noLimit ? 0 : pictures[Int(limit)]
    }

    @inline(__always)
    private static func limits(below layer: UInt8) -> SIMDMask<SIMD4<Int64>> {
        SIMD4<Int64>(repeating: Int64(layer)) .> SIMD4(0, 1, 2, 3)
    }

    mutating func countPacket(ofLayer layer: UInt8) {
        guard layer > 0 else { return }
        packets.replace(with: packets &+ 1, where: Self.limits(below: layer))
    }

    mutating func countPicture(ofLayer layer: UInt8) {
        guard layer > 0 else { return }
        pictures.replace(
            with: pictures &+ 1, where: SIMD4<UInt16>(repeating: UInt16(layer)) .> SIMD4(0, 1, 2, 3))
    }
}

/// Counts the packets of one stream as they come.
struct LayerCounter: Sendable {
    private var counts = LayerCounts()
    private var timestamp = Int64.min
    private var pictureID: UInt16 = 0
    private var layer: UInt8 = 0

    /// - Parameter timestamp: unwrapped; with the picture id it tells pictures apart.
    /// - Returns: the counts of a packet that came in order.
    mutating func take(timestamp: Int64, _ fields: VP8RewriteFields) -> LayerCounts {
        if timestamp != self.timestamp || fields.pictureID != pictureID {
            counts.countPicture(ofLayer: layer)
            self.timestamp = timestamp
            pictureID = fields.pictureID
            layer = fields.temporalLayer
        }
        let result = counts
        counts.countPacket(ofLayer: fields.temporalLayer)
        return result
    }

    /// The counts of a packet without a picture, which does not count itself: as of one that came in order and is of the base layer.
    /// - Parameter timestamp: unwrapped.
    func peek(timestamp: Int64) -> LayerCounts {
        var result = counts
        if timestamp != self.timestamp { result.countPicture(ofLayer: layer) }
        return result
    }
}
