package import MediaBase

/// Reception statistics of one source (RFC 3550 section 6.4.1).
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                         SSRC of source                        |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     | fraction lost |       cumulative number of packets lost       |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |           extended highest sequence number received           |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                      interarrival jitter                      |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                         last SR (LSR)                         |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                   delay since last SR (DLSR)                  |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct ReportBlock: Hashable, Sendable {
    package static let length = 24

    package var source: SSRC
    /// Packets lost since the last report, in 1/256 of the expected packets.
    package var fractionLost: UInt8
    /// Packets expected minus received since the start: -2^23 ..< 2^23; negative if there are duplicates.
    package var cumulativeLost: Int32
    /// Sequence number cycles in the high 16 bits.
    package var highestSequence: UInt32
    /// RTP timestamp units.
    package var jitter: UInt32
    /// `NTPTime.compact` of the last sender report; 0 if there was none.
    package var lastSenderReport: UInt32
    /// Time from the arrival of the last sender report to this report, in units of 2^-16 s; 0 if there was none.
    package var delaySinceLastSenderReport: UInt32

    package init(
        source: SSRC, fractionLost: UInt8, cumulativeLost: Int32, highestSequence: UInt32, jitter: UInt32,
        lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.source = source
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.highestSequence = highestSequence
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Returns the round-trip time as measured by the receiver of this block (RFC 3550 section 6.4.1, figure 2); nil if the block's
    /// sender has received no sender report, or the result is negative.
    /// - Parameter now: arrival time of the block, on the clock of the sender reports.
    package func roundTripTime(now: NTPTime) -> MediaTime? {
        guard lastSenderReport != 0 else { return nil }
        let units = now.compact &- lastSenderReport &- delaySinceLastSenderReport
        guard units < 0x8000_0000 else { return nil }
        return NTPTime.span(compact: units)
    }

    /// - Precondition: `bytes` has 24 bytes.
    init(at bytes: UnsafeRawPointer) {
        source = SSRC(bytes.u32(0))
        fractionLost = bytes.u8(4)
        cumulativeLost = Int32(bitPattern: bytes.u24(5) << 8) >> 8
        highestSequence = bytes.u32(8)
        jitter = bytes.u32(12)
        lastSenderReport = bytes.u32(16)
        delaySinceLastSenderReport = bytes.u32(20)
    }

    func write(into bytes: inout [UInt8]) {
        bytes.appendBigEndian(source.rawValue)
        let lost = UInt32(bitPattern: min(max(cumulativeLost, -0x80_0000), 0x7f_ffff)) & 0xff_ffff
        bytes.appendBigEndian(UInt32(fractionLost) << 24 | lost)
        bytes.appendBigEndian(highestSequence)
        bytes.appendBigEndian(jitter)
        bytes.appendBigEndian(lastSenderReport)
        bytes.appendBigEndian(delaySinceLastSenderReport)
    }

    /// Parses `count` blocks from `offset` of a body.
    static func blocks(
        in body: UnsafeRawBufferPointer, from offset: Int, count: UInt8
    ) throws(RTPError) -> [ReportBlock] {
        guard count > 0 else { return [] }
        guard offset + Int(count) * length <= body.count, let base = body.baseAddress else {
            throw .truncated(.reportBlocks)
        }
        return (0..<Int(count)).map { ReportBlock(at: base + offset + $0 * length) }
    }
}
