import CDav1d
import MediaBase

/// Decodes AV1 (4:2:0 with 8 bits) to raw frames with dav1d. Each video track needs its own decoder, which keeps reference frames between
/// calls and must be used by one thread at a time. The frame size may change at any key frame.
///
/// No input traps: damage is a `CodecError`, after which the decoder refuses predicted frames (`missingKeyFrame`) until the next key
/// frame with a sequence header.
public final class AV1Decoder {
    /// Whether the decoder needs a key frame, which the caller should request: at the start and after damage.
    public private(set) var needsKeyFrame = true

    /// OBU that begins a temporal unit. RTP and Matroska leave it out.
    private static let temporalDelimiter: [UInt8] = [0x12, 0x00]

    private var context: OpaquePointer?
    private let maximumPixels: Int

    /// - Parameters:
    ///   - threads: 1 to 16; threads share the tiles and rows of one frame.
    ///   - maximumPixels: larger frames are refused before memory is allocated for them.
    /// - Throws: `invalidArgument`, or `library` if there is no memory.
    public init(threads: Int = 1, maximumPixels: Int = 4096 * 4096) throws(CodecError) {
        guard (1...16).contains(threads) else {
            throw .invalidArgument("threads", reason: "\(threads) is not in 1...16")
        }
        self.maximumPixels = maximumPixels
        var settings = Dav1dSettings()
        dav1d_default_settings(&settings)
        settings.n_threads = Int32(threads)
        // Each temporal unit gives its frame at once.
        settings.max_frame_delay = 1
        // 0 would be no limit.
        settings.frame_size_limit = UInt32(clamping: max(1, maximumPixels))
        settings.logger.callback = nil
        let code = dav1d_open(&context, &settings)
        guard code == 0 else { throw .dav1d(code) }
    }

    deinit { dav1d_close(&context) }

    /// Decodes one temporal unit and passes its last frame, which has the highest spatial layer, to `body` without copying it.
    ///
    /// - Parameters:
    ///   - frame: OBUs of one temporal unit, each with a size field except the last one.
    ///   - body: receives the planes, which are valid only during the call.
    /// - Returns: the result of `body`; nil if no frame is shown.
    /// - Throws: `corruptData`, `missingKeyFrame`, `frameTooLarge`, `unsupportedFormat`, or `library` if there is no memory.
    public func withDecodedPlanes<Result>(
        _ frame: UnsafeRawBufferPointer, _ body: (borrowing I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        var picture = Dav1dPicture()
        defer { if picture.data.0 != nil { dav1d_picture_unref(&picture) } }
        do throws(CodecError) {
            try check(frame)
            try decode(frame, into: &picture)
            guard picture.data.0 == nil || picture.p.bpc == 8 && picture.p.layout == DAV1D_PIXEL_LAYOUT_I420 else {
                throw .unsupportedFormat(.av1, reason: "it is not 4:2:0 with 8 bits")
            }
        } catch {
            needsKeyFrame = true
            throw error
        }
        needsKeyFrame = false
        guard let y = picture.data.0, let u = picture.data.1, let v = picture.data.2 else { return nil }
        return body(
            I420Planes(
                width: Int(picture.p.w), height: Int(picture.p.h), y: Self.plane(y), u: Self.plane(u),
                v: Self.plane(v), yStride: picture.stride.0, chromaStride: picture.stride.1))
    }

    private static func plane(_ data: UnsafeMutableRawPointer) -> UnsafePointer<UInt8> {
        UnsafePointer(data.assumingMemoryBound(to: UInt8.self))
    }

    /// Checks headers and sizes before dav1d allocates memory for the frame.
    private func check(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        let info = try AV1FrameInfo(frame)
        if let width = info.width, let height = info.height, width * height > maximumPixels {
            throw .frameTooLarge(width: width, height: height)
        }
        guard info.isKeyFrame || !needsKeyFrame else { throw .missingKeyFrame }
    }

    /// Decodes all frames of a temporal unit; `picture` becomes the last one that is shown.
    private func decode(_ frame: UnsafeRawBufferPointer, into picture: inout Dav1dPicture) throws(CodecError) {
        guard let context else { return }
        var data = Dav1dData()
        let delimiter = Self.temporalDelimiter
        guard let buffer = dav1d_data_create(&data, delimiter.count + frame.count) else {
            throw .dav1d(millrace_dav1d_no_memory)
        }
        defer { if data.sz > 0 { dav1d_data_unref(&data) } }
        let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: delimiter.count + frame.count)
        bytes.copyBytes(from: delimiter)
        UnsafeMutableRawBufferPointer(rebasing: bytes[delimiter.count...]).copyMemory(from: frame)
        while data.sz > 0 {
            let left = data.sz
            let sent = dav1d_send_data(context, &data)
            guard sent == 0 || sent == millrace_dav1d_again else { throw failed(sent) }
            let hasPicture = try drain(context, &picture)
            guard hasPicture || data.sz < left else { throw failed(sent) }
        }
    }

    /// Takes out all decoded frames.
    /// - Returns: whether there was one.
    private func drain(_ context: OpaquePointer, _ picture: inout Dav1dPicture) throws(CodecError) -> Bool {
        var hasPicture = false
        while true {
            var next = Dav1dPicture()
            let code = dav1d_get_picture(context, &next)
            guard code != millrace_dav1d_again else { return hasPicture }
            guard code == 0 else { throw failed(code) }
            if picture.data.0 != nil { dav1d_picture_unref(&picture) }
            picture = next
            hasPicture = true
        }
    }

    /// Removes what a rejected temporal unit left in the decoder, and returns its error.
    private func failed(_ code: Int32) -> CodecError {
        dav1d_flush(context)
        return code == millrace_dav1d_no_memory
            ? .dav1d(code) : .corruptData(reason: "dav1d rejects a temporal unit (\(code))")
    }
}
