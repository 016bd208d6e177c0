/// Kind of a datagram on a shared port, by its first byte (RFC 7983 section 7) and, to tell RTP from RTCP, its second byte (RFC
/// 5761 section 4).
///
///     [0..3] STUN   [16..19] ZRTP   [20..63] DTLS   [64..79] TURN channel   [128..191] RTP or RTCP
package enum DatagramKind: Hashable, Sendable {
    case stun
    case zrtp
    case dtls
    case turnChannel
    case rtp
    case rtcp
    /// First byte in none of the ranges, or datagram too short.
    case unknown

    @inline(__always)
    package init(_ datagram: UnsafeRawBufferPointer) {
        guard datagram.count >= 2, let base = datagram.baseAddress else {
            self = .unknown
            return
        }
        self.init(firstByte: base.u8(0), secondByte: base.u8(1))
    }

    @inline(__always)
    package init(firstByte: UInt8, secondByte: UInt8) {
        switch firstByte {
        case 128...191: self = Self.isRTCP(secondByte: secondByte) ? .rtcp : .rtp
        case 0...3: self = .stun
        case 20...63: self = .dtls
        case 64...79: self = .turnChannel
        case 16...19: self = .zrtp
        default: self = .unknown
        }
    }

    /// Returns whether the packet is RTCP: its packet types 192...223 occupy the byte of RTP's marker and payload type, so RTP payload
    /// types 64...95 are not used.
    @inline(__always)
    package static func isRTCP(secondByte: UInt8) -> Bool { (192...223).contains(secondByte) }
}
