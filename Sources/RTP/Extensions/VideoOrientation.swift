package import MediaBase

/// Coordination of video orientation (RFC 7742 section 4, 3GPP TS 26.114 section 7.4.5). One byte in both forms. Publishers send it
/// with the last packet of each key frame; while the rotation is not zero, or after it has changed, with the last packet of every
/// frame.
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |0 0 0 0 C F R R|
///     +-+-+-+-+-+-+-+-+
package struct VideoOrientation: RTPExtensionValue, RawRepresentable {
    package static var kind: RTPExtensionKind { .videoOrientation }

    /// The byte of the extension. C (the camera's side of the device) and F (horizontal flip) are kept but not applied.
    package var rawValue: UInt8
    @inline(__always)
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ rotation: Rotation) { rawValue = UInt8(rotation.rawValue / 90) }

    /// Clockwise rotation that a receiver applies before it shows the frame.
    @inline(__always)
    package var rotation: Rotation {
        switch rawValue & 3 {
        case 0: .none
        case 1: .quarter
        case 2: .half
        default: .threeQuarters
        }
    }

    @inline(__always)
    package init?(parsing data: UnsafeRawBufferPointer) {
        guard data.count == 1, let base = data.baseAddress else { return nil }
        rawValue = base.u8(0)
    }

    package var byteCount: Int { 1 }
    package func write(into data: UnsafeMutableRawBufferPointer) { data[0] = rawValue }
}
