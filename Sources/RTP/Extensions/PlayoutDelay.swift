package import MediaBase

/// Minimum and maximum playout delay for the receiver (http://www.webrtc.org/experiments/rtp-hdrext/playout-delay). Three bytes: 12
/// bits of minimum and 12 bits of maximum delay, in units of 10 ms.
package struct PlayoutDelay: RTPExtensionValue {
    package static var kind: RTPExtensionKind { .playoutDelay }
    package static let unit = MediaTime.milliseconds(10)
    /// 40.95 s.
    package static let longest = MediaTime(rawValue: unit.rawValue * 4095)

    /// Whole units, `minimum` not above `maximum`.
    package let minimum: MediaTime
    package let maximum: MediaTime

    /// Rounds both down to whole units and clamps them to 0 ... `longest`; `maximum` is raised to `minimum` if it is lower.
    package init(minimum: MediaTime, maximum: MediaTime) {
        self.minimum = Self.span(units: Self.units(minimum))
        self.maximum = Self.span(units: max(Self.units(minimum), Self.units(maximum)))
    }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 3, let base = data.baseAddress else { return nil }
        let both = base.u24(0)
        guard both >> 12 <= both & 0xfff else { return nil }
        minimum = Self.span(units: both >> 12)
        maximum = Self.span(units: both & 0xfff)
    }

    package var byteCount: Int { 3 }
    package func write(into data: UnsafeMutableRawBufferPointer) {
        let both = Self.units(minimum) << 12 | Self.units(maximum)
        data[0] = UInt8(truncatingIfNeeded: both >> 16)
        data[1] = UInt8(truncatingIfNeeded: both >> 8)
        data[2] = UInt8(truncatingIfNeeded: both)
    }

    private static func units(_ span: MediaTime) -> UInt32 {
        UInt32(truncatingIfNeeded: min(max(span, .zero), longest).rawValue / unit.rawValue)
    }
    @inline(__always)
    private static func span(units: UInt32) -> MediaTime { MediaTime(rawValue: Int64(units) &* unit.rawValue) }
}
