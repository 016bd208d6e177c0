/// Audio level of a packet, and whether it is speech (RFC 6464 section 3). One byte in both forms.
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |V|    level    |
///     +-+-+-+-+-+-+-+-+
package struct AudioLevel: RTPExtensionValue, RawRepresentable {
    package static var kind: RTPExtensionKind { .audioLevel }
    /// The lowest level, which also stands for digital silence.
    package static let silence = AudioLevel(level: 127, isVoice: false)

    /// The byte of the extension.
    package var rawValue: UInt8
    @inline(__always)
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Parameter level: 0...127, -dBov: 0 is the loudest. Higher values are clamped.
    package init(level: UInt8, isVoice: Bool) { rawValue = min(level, 127) | (isVoice ? 0x80 : 0) }

    /// 0...127: decibels below the overload point of the sender's system.
    package var level: UInt8 { rawValue & 0x7f }
    /// True if the sender detects speech. Meaningless if `vad=off` was negotiated (section 4).
    package var isVoice: Bool { rawValue & 0x80 != 0 }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 1, let base = data.baseAddress else { return nil }
        rawValue = base.u8(0)
    }

    package var byteCount: Int { 1 }
    package func write(into data: UnsafeMutableRawBufferPointer) { data[0] = rawValue }
}
