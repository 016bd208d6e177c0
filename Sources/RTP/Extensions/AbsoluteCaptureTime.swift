package import MediaBase

/// Capture time of the first frame in a packet, on the capturer's clock
/// (http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time). 8 or 16 bytes.
///
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |                absolute capture timestamp, UQ32.32            |
///     |                                                               |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |    estimated capture clock offset, Q32.32, may be absent      |
///     |                                                               |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
package struct AbsoluteCaptureTime: RTPExtensionValue {
    package static var kind: RTPExtensionKind { .absCaptureTime }

    package var time: NTPTime
    /// The sender's estimate of how far the capturer's clock is ahead of its own, in units of 2^-32 s. Capture time minus this
    /// offset is a time on the sender's clock, the clock of its sender reports.
    package var offset: Int64?

    package init(_ time: NTPTime, offset: Int64? = nil) {
        self.time = time
        self.offset = offset
    }

    /// `offset` as a span, rounded to the nearest nanosecond.
    package var clockOffset: MediaTime? {
        offset.map { units in
            let fraction = (units & 0xffff_ffff) &* 1_000_000_000 &+ 0x8000_0000
            return MediaTime(rawValue: (units >> 32) &* 1_000_000_000 &+ fraction >> 32)
        }
    }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 8 || data.count == 16, let base = data.baseAddress else { return nil }
        time = NTPTime(rawValue: base.u64(0))
        offset = data.count == 16 ? Int64(bitPattern: base.u64(8)) : nil
    }

    package var byteCount: Int { offset == nil ? 8 : 16 }
    package func write(into data: UnsafeMutableRawBufferPointer) {
        data.storeBytes(of: time.rawValue.bigEndian, as: UInt64.self)
        if let offset { data.storeBytes(of: offset.bigEndian, toByteOffset: 8, as: Int64.self) }
    }
}
