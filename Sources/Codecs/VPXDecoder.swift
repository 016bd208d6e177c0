import CVPX
public import MediaBase

/// Decodes VP8 (RFC 6386) or VP9 (profile 0) to raw frames with libvpx. Each video track needs its own decoder, which keeps reference
/// frames between calls and must be used by one thread at a time. The frame size may change at any key frame.
///
/// No input traps: damage is a `CodecError`, after which the decoder refuses predicted frames (`missingKeyFrame`) until
/// the next key frame, so that no corrupt frame is shown.
///
/// ```swift
/// let decoder = try VPXDecoder(threads: 2)
/// if let frame = try decoder.decode(bytes) { show(frame) }
/// ```
public final class VPXDecoder {
    /// Whether the decoder needs a key frame, which the caller should request: at the start and after damage.
    public private(set) var needsKeyFrame = true

    public let codec: VideoCodec

    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private let maximumPixels: Int

    /// - Parameters:
    ///   - codec: VP8 or VP9.
    ///   - threads: 1 to 16; threads share the rows of one frame.
    ///   - maximumPixels: larger frames are refused before memory is allocated for them. The default accepts 4096x4096.
    /// - Throws: `codecNotDecodable`, or `library` if there is no memory.
    public init(
        _ codec: VideoCodec = .vp8, threads: Int = 1, maximumPixels: Int = 4096 * 4096
    ) throws(CodecError) {
        let interface = try Self.interface(codec)
        guard (1...16).contains(threads) else {
            throw .invalidArgument("threads", reason: "\(threads) is not in 1...16")
        }
        self.codec = codec
        self.maximumPixels = maximumPixels
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var configuration = vpx_codec_dec_cfg_t(threads: UInt32(threads), w: 0, h: 0)
        let code = vpx_codec_dec_init_ver(
            context, interface, &configuration, 0, millrace_vpx_decoder_abi_version)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    private static func interface(_ codec: VideoCodec) throws(CodecError) -> OpaquePointer? {
        switch codec {
        case .vp8: vpx_codec_vp8_dx()
        case .vp9: vpx_codec_vp9_dx()
        case .h264, .av1: throw .codecNotDecodable(codec)
        }
    }

    deinit {
        _ = vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Decodes one frame and passes it to `body` without copying it.
    ///
    /// - Parameters:
    ///   - frame: one complete VP8 frame (RFC 6386), or the VP9 frames of one timestamp of which the last is shown; without container or
    ///     RTP descriptor.
    ///   - body: receives the planes, which are valid only during the call.
    /// - Returns: the result of `body`; nil for a frame that is not shown.
    /// - Throws: `corruptData`, `missingKeyFrame`, `frameTooLarge`, `unsupportedFormat`, or `library` if there is no memory.
    public func withDecodedPlanes<Result>(
        _ frame: UnsafeRawBufferPointer, _ body: (borrowing I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        try decodeFrame(frame)
        var iterator: vpx_codec_iter_t?
        guard let image = vpx_codec_get_frame(context, &iterator)?.pointee else { return nil }
        guard image.fmt == VPX_IMG_FMT_I420 else {
            throw .corruptData(reason: "a frame that is not 4:2:0 with 8 bits")
        }
        guard let y = image.planes.0, let u = image.planes.1, let v = image.planes.2 else { return nil }
        return body(
            I420Planes(
                width: Int(image.d_w), height: Int(image.d_h), y: y, u: u, v: v, yStride: Int(image.stride.0),
                chromaStride: Int(image.stride.1)))
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

    private func decodeFrame(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        let isKeyFrame: Bool
        do { isKeyFrame = try check(frame) } catch {
            needsKeyFrame = true
            throw error
        }
        guard isKeyFrame || !needsKeyFrame else { throw .missingKeyFrame }

        let code = vpx_codec_decode(
            context, frame.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: frame.count), nil, 0)
        guard code == VPX_CODEC_OK else {
            needsKeyFrame = true
            throw code == VPX_CODEC_MEM_ERROR ? .vpx(code) : .corruptData(reason: detail(of: code))
        }
        // libvpx does not report a partition that ends early, or a reference with one, as an error, but the frame would
        // be visibly corrupt.
        var damaged: Int32 = 0
        if vpx_codec_control_VP8D_GET_FRAME_CORRUPTED(context, Int32(VP8D_GET_FRAME_CORRUPTED.rawValue), &damaged)
            == VPX_CODEC_OK, damaged != 0
        {
            needsKeyFrame = true
            throw .corruptData(reason: "a partition is truncated")
        }
        needsKeyFrame = false
    }

    /// Checks headers and sizes before libvpx allocates memory for the frame.
    /// - Returns: whether it is a key frame.
    private func check(_ frame: UnsafeRawBufferPointer) throws(CodecError) -> Bool {
        guard codec == .vp9 else {
            let info = try VP8FrameInfo(frame)
            try checkSize(info.width, info.height)
            return info.isKeyFrame
        }
        let infos = try VP9FrameInfo.all(in: frame)
        for info in infos {
            guard info.profile == 0 else { throw .unsupportedFormat(.vp9, reason: "its profile is \(info.profile)") }
            try checkSize(info.width, info.height)
        }
        return infos.first?.isKeyFrame == true
    }

    private func checkSize(_ width: Int?, _ height: Int?) throws(CodecError) {
        if let width, let height, width * height > maximumPixels {
            throw .frameTooLarge(width: width, height: height)
        }
    }

    private func detail(of code: vpx_codec_err_t) -> String {
        String(cString: vpx_codec_error_detail(context) ?? vpx_codec_err_to_string(code))
    }
}
