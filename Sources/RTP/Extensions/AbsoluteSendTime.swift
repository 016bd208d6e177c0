package import MediaBase

/// Send time of a packet: the middle of an NTP timestamp, 6 bits of seconds and 18 of fraction, which wraps every 64 s
/// (http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time). Three bytes.
package struct AbsoluteSendTime: RTPExtensionValue {
    package static var kind: RTPExtensionKind { .absSendTime }
    /// Time after which the value wraps.
    package static let period = MediaTime.milliseconds(64_000)

    /// 0..<2^24, in units of 2^-18 s (3.8 us).
    package let rawValue: UInt32

    @inline(__always)
    package init(rawValue: UInt32) { self.rawValue = rawValue & 0xff_ffff }

    package init(_ time: NTPTime) { self.init(rawValue: UInt32(truncatingIfNeeded: time.rawValue >> 14)) }

    /// Takes a time on any clock, because receivers only use differences. Rounds to the nearest unit.
    @inline(__always)
    package init(_ time: MediaTime) {
        // Reduced modulo the period first, so that nothing overflows.
        let rest = time.rawValue % Self.period.rawValue
        let nanoseconds = rest < 0 ? rest &+ Self.period.rawValue : rest
        self.init(rawValue: UInt32(truncatingIfNeeded: (nanoseconds << 18 &+ 500_000_000) / 1_000_000_000))
    }

    /// Returns the time from `other` to `self`, in -32 s ..< 32 s, rounded to the nearest nanosecond.
    package func distance(from other: AbsoluteSendTime) -> MediaTime {
        let units = Int64(Int32(bitPattern: (rawValue &- other.rawValue) << 8) >> 8)
        return MediaTime(rawValue: (units &* 1_000_000_000 &+ 0x2_0000) >> 18)
    }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 3, let base = data.baseAddress else { return nil }
        rawValue = base.u24(0)
    }

    package var byteCount: Int { 3 }
    package func write(into data: UnsafeMutableRawBufferPointer) {
        data[0] = UInt8(truncatingIfNeeded: rawValue >> 16)
        data[1] = UInt8(truncatingIfNeeded: rawValue >> 8)
        data[2] = UInt8(truncatingIfNeeded: rawValue)
    }
}
