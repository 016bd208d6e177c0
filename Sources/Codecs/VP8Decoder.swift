import CVPX
public import MediaBase

/// VP8 (RFC 6386) to raw pictures, over libvpx. One decoder is one video track; it keeps its reference pictures between
/// calls, and it belongs to one thread at a time. A stream may change its picture size at any key frame.
///
/// Whatever is fed, nothing traps: damage is a `CodecError`, and after one the decoder refuses predicted pictures
/// (`missingKeyFrame`) until the next key frame, so that no garbage is shown.
///
/// ```swift
/// let decoder = try VP8Decoder(threads: 2)
/// if let picture = try decoder.decode(frame) { show(picture) }
/// ```
public final class VP8Decoder {
    /// True until the first key frame, and after damage until the next: time to ask the sender for one.
    public private(set) var needsKeyFrame = true

    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private let maximumPixels: Int

    /// - Parameters:
    ///   - threads: 1 to 16; threads share the rows of one picture.
    ///   - maximumPixels: a larger picture is refused before memory is taken for it. The default takes 4096x4096.
    public init(threads: Int = 1, maximumPixels: Int = 4096 * 4096) throws(CodecError) {
        guard (1...16).contains(threads) else {
            throw .invalidArgument("threads", reason: "\(threads) is not in 1...16")
        }
        self.maximumPixels = maximumPixels
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var configuration = vpx_codec_dec_cfg_t(threads: UInt32(threads), w: 0, h: 0)
        let code = vpx_codec_dec_init_ver(
            context, vpx_codec_vp8_dx(), &configuration, 0, millrace_vpx_decoder_abi_version)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    deinit {
        _ = vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Decodes one frame and lends the picture to `body` without copying it.
    ///
    /// - Parameters:
    ///   - frame: one whole VP8 frame as RFC 6386 has it, without container or RTP descriptor.
    ///   - body: gets the planes; they are valid during the call only.
    /// - Returns: what `body` returned, or nil for a frame that is not to be shown.
    /// - Throws: `corruptData`, `missingKeyFrame`, `pictureTooLarge`, or `library` when memory runs out.
    public func withDecodedPlanes<Result>(
        _ frame: UnsafeRawBufferPointer, _ body: (borrowing I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        try decodeFrame(frame)
        var iterator: vpx_codec_iter_t?
        guard let image = vpx_codec_get_frame(context, &iterator)?.pointee else { return nil }
        guard let y = image.planes.0, let u = image.planes.1, let v = image.planes.2 else { return nil }
        return body(
            I420Planes(
                width: Int(image.d_w), height: Int(image.d_h), y: y, u: u, v: v, yStride: Int(image.stride.0),
                chromaStride: Int(image.stride.1)))
    }

    /// Decodes one frame into a picture of its own.
    ///
    /// - Parameters:
    ///   - frame: one whole VP8 frame.
    ///   - rotation: written into the picture; the pixels are left as they are.
    ///   - captureTime: written into the picture.
    /// - Returns: nil for a frame that is not to be shown.
    public func decode(
        _ frame: UnsafeRawBufferPointer, rotation: Rotation = .none, captureTime: MediaTime = .zero
    ) throws(CodecError) -> I420Frame? {
        try withDecodedPlanes(frame) { planes in planes.frame(rotation: rotation, captureTime: captureTime) }
    }

    /// Decodes one frame into a picture of its own.
    public func decode(
        _ frame: [UInt8], rotation: Rotation = .none, captureTime: MediaTime = .zero
    ) throws(CodecError) -> I420Frame? {
        try frame.withRawBytes { bytes throws(CodecError) in
            try decode(bytes, rotation: rotation, captureTime: captureTime)
        }
    }

    private func decodeFrame(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        let info: VP8FrameInfo
        do { info = try VP8FrameInfo(frame) } catch {
            needsKeyFrame = true
            throw error
        }
        if let width = info.width, let height = info.height, width * height > maximumPixels {
            needsKeyFrame = true
            throw .pictureTooLarge(width: width, height: height)
        }
        guard info.isKeyFrame || !needsKeyFrame else { throw .missingKeyFrame }

        let code = vpx_codec_decode(
            context, frame.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: frame.count), nil, 0)
        guard code == VPX_CODEC_OK else {
            needsKeyFrame = true
            throw code == VPX_CODEC_MEM_ERROR ? .vpx(code) : .corruptData(reason: detail(of: code))
        }
        // A partition that ends early, or a reference that did, is no error to libvpx but is one to whoever looks at
        // it.
        var damaged: Int32 = 0
        if vpx_codec_control_VP8D_GET_FRAME_CORRUPTED(context, Int32(VP8D_GET_FRAME_CORRUPTED.rawValue), &damaged)
            == VPX_CODEC_OK, damaged != 0
        {
            needsKeyFrame = true
            throw .corruptData(reason: "a VP8 partition is cut")
        }
        needsKeyFrame = false
    }

    private func detail(of code: vpx_codec_err_t) -> String {
        String(cString: vpx_codec_error_detail(context) ?? vpx_codec_err_to_string(code))
    }
}
