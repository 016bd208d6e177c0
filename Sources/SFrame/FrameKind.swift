/// What a frame holds, as far as its encryption depends on it.
///
/// Some bytes of a video frame stay in the clear, because relays and the depacketizers of browsers read them: for VP8 (RFC 7741 section
/// 4.3) the frame tag, start code and size of a key frame, and the frame tag of any other frame.
public enum FrameKind: Sendable, Hashable, CaseIterable {
    case opus
    case vp8

    /// Bytes of the longest clear prefix.
    static let longestPrefix = 10

    /// Bytes of `frame` that stay in the clear. The whole frame, if it is shorter than its prefix.
    func clearPrefixLength(_ frame: UnsafeRawBufferPointer) -> Int {
        switch self {
        case .opus: 0
        case .vp8: min(frame.count, (frame.first ?? 0) & 1 == 0 ? 10 : 3)
        }
    }

    /// The byte that tells kinds apart in the metadata, so that a frame of one kind is not accepted as the other.
    var code: UInt8 { self == .opus ? 0 : 1 }
}
