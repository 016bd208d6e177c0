package import MediaBase

/// Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03 section 2.2).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |V=2|P| FMT=15  |  PT=PSFB=206  |             length            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                     SSRC of packet sender                     |
///     |                     SSRC of media source, unused: 0           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |  Unique identifier 'R' 'E' 'M' 'B'                            |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |  Num SSRC     | BR Exp    |  BR Mantissa                      |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |   SSRC feedback, Num SSRC of them                             |
package struct REMB: Hashable, Sendable {
    package var sender: SSRC
    /// Total for all `sources`. Written with 18 significant bits, rounded down.
    package var bitrate: Bitrate
    /// At most 255 are written.
    package var sources: [SSRC]

    private static let identifier: UInt32 = 0x5245_4d42

    package init(sender: SSRC, bitrate: Bitrate, sources: [SSRC]) {
        self.sender = sender
        self.bitrate = bitrate
        self.sources = sources
    }

    /// Returns whether the body of an application layer feedback packet has the REMB identifier.
    static func matches(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.count >= 12, let base = body.baseAddress else { return false }
        return base.u32(8) == identifier
    }

    package init(parsing packet: RTCPPacket) throws(RTPError) {
        let body = try packet.body(of: .remb, atLeast: 16, .feedbackControl)
        sender = SSRC(body.u32(0))
        let sourceCount = Int(body.u8(12))
        let exponent = body.u8(13) >> 2
        let mantissa = Int64(body.u24(13) & 0x3_ffff)
        // Rates above 63 bits are treated as no limit.
        bitrate = Bitrate(rawValue: mantissa > Int64.max >> Int64(exponent) ? .max : mantissa << Int64(exponent))
        guard 16 + sourceCount * 4 <= packet.body.count else { throw .truncated(.rembSources) }
        sources = (0..<sourceCount).map { SSRC(body.u32(16 + $0 * 4)) }
    }

    package func write(into bytes: inout [UInt8]) {
        bytes.appendRTCP(.payloadFeedback, count: Int(RTCPKind.applicationLayerFormat)) { bytes in
            bytes.appendBigEndian(sender.rawValue)
            bytes.appendBigEndian(UInt32(0))
            bytes.appendBigEndian(Self.identifier)
            let rate = UInt64(max(bitrate.rawValue, 0))
            let exponent = max(64 - rate.leadingZeroBitCount - 18, 0)
            let mantissa = UInt32(truncatingIfNeeded: rate >> UInt64(exponent))
            let listed = sources.prefix(255)
            bytes.appendBigEndian(
                UInt32(truncatingIfNeeded: listed.count) << 24 | UInt32(truncatingIfNeeded: exponent) << 18 | mantissa)
            for source in listed { bytes.appendBigEndian(source.rawValue) }
        }
    }
}
