public import MediaBase

/// Decoder of one video track in any codec that the relay forwards: VP8 and VP9 by libvpx, H.264 by OpenH264, AV1 by dav1d. Must be used
/// by one thread at a time.
///
/// ```swift
/// let decoder = try VideoDecoder(.av1)
/// if let frame = try decoder.decode(bytes) { show(frame) }
/// ```
public enum VideoDecoder {
    case vpx(VPXDecoder)
    case h264(H264Decoder)
    case av1(AV1Decoder)

    /// - Parameters:
    ///   - threads: 1 to 16; H.264 is decoded by one.
    ///   - maximumPixels: larger frames are refused before memory is allocated for them.
    /// - Throws: `invalidArgument`, or `library` if there is no memory.
    public init(
        _ codec: VideoCodec = .vp8, threads: Int = 1, maximumPixels: Int = 4096 * 4096
    ) throws(CodecError) {
        switch codec {
        case .vp8, .vp9: self = .vpx(try VPXDecoder(codec, threads: threads, maximumPixels: maximumPixels))
        case .h264: self = .h264(try H264Decoder(maximumPixels: maximumPixels))
        case .av1: self = .av1(try AV1Decoder(threads: threads, maximumPixels: maximumPixels))
        }
    }

    public var codec: VideoCodec {
        switch self {
        case .vpx(let decoder): decoder.codec
        case .h264: .h264
        case .av1: .av1
        }
    }

    /// Whether the decoder needs a key frame, which the caller should request: at the start and after damage.
    public var needsKeyFrame: Bool {
        switch self {
        case .vpx(let decoder): decoder.needsKeyFrame
        case .h264(let decoder): decoder.needsKeyFrame
        case .av1(let decoder): decoder.needsKeyFrame
        }
    }

    /// Decodes one frame and passes it to `body` without copying it.
    ///
    /// - Parameters:
    ///   - frame: one frame in the form of its codec: a VP8 frame, the VP9 frames of one timestamp, an H.264 access unit with start codes
    ///     (Annex B), or an AV1 temporal unit.
    ///   - body: receives the planes, which are valid only during the call.
    /// - Returns: the result of `body`; nil for a frame that is not shown.
    /// - Throws: `corruptData`, `missingKeyFrame`, `frameTooLarge`, `unsupportedFormat`, or `library` if there is no memory.
    public func withDecodedPlanes<Result>(
        _ frame: UnsafeRawBufferPointer, _ body: (borrowing I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        switch self {
        case .vpx(let decoder): try decoder.withDecodedPlanes(frame, body)
        case .h264(let decoder): try decoder.withDecodedPlanes(frame, body)
        case .av1(let decoder): try decoder.withDecodedPlanes(frame, body)
        }
    }

    /// Decodes one frame and returns a copy of it.
    ///
    /// - Parameters:
    ///   - frame: one complete frame.
    ///   - rotation: rotation of the returned frame; the pixels are not rotated.
    ///   - captureTime: capture time of the returned frame.
    /// - Returns: nil for a frame that is not shown.
    public func decode(
        _ frame: UnsafeRawBufferPointer, rotation: Rotation = .none, captureTime: MediaTime = .zero
    ) throws(CodecError) -> I420Frame? {
        try withDecodedPlanes(frame) { planes in planes.frame(rotation: rotation, captureTime: captureTime) }
    }

    /// Decodes one frame and returns a copy of it.
    public func decode(
        _ frame: [UInt8], rotation: Rotation = .none, captureTime: MediaTime = .zero
    ) throws(CodecError) -> I420Frame? {
        try frame.withRawBytes { bytes throws(CodecError) in
            try decode(bytes, rotation: rotation, captureTime: captureTime)
        }
    }
}
