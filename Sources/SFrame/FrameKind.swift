/// The codec of a frame, on which its clear prefix depends.
///
/// Some bytes of a video frame stay in the clear, because relays and the depacketizers of browsers read them: for VP8 (RFC 7741 section
/// 4.3) the frame tag, start code and size of a key frame, and the frame tag of any other frame.
public enum FrameKind: Sendable, Hashable, CaseIterable {
    case opus
    case vp8

    /// Bytes of the longest clear prefix.
    static let longestPrefix = 10

    /// Bytes of `frame` that stay in the clear, or nil if it is shorter, so that no VP8 decoder would take it either.
    func clearPrefixLength(_ frame: UnsafeRawBufferPointer) -> Int? {
        switch self {
        case .opus: return 0
        case .vp8:
            guard let first = frame.first else { return nil }
            let length = first & 1 == 0 ? 10 : 3
            return frame.count >= length ? length : nil
        }
    }

    /// The byte that tells kinds apart in the metadata, so that a frame of one kind is not accepted as the other.
    var code: UInt8 { self == .opus ? 0 : 1 }
}
