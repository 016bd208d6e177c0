import COpenH264
import MediaBase
import RTP

/// Decodes H.264 (ITU-T H.264: 4:2:0 with 8 bits, progressive) to raw frames with OpenH264. Each video track needs its own decoder, which
/// keeps reference frames between calls and must be used by one thread at a time. The frame size may change at any key frame.
///
/// Each access unit gives its frame at once. B frames, which WebRTC does not have, therefore come in the order of decoding.
///
/// No input traps: damage is a `CodecError`, after which the decoder refuses predicted frames (`missingKeyFrame`) until the next key
/// frame.
public final class H264Decoder {
    /// Whether the decoder needs a key frame, which the caller should request: at the start and after damage.
    public private(set) var needsKeyFrame = true

    /// Macroblocks of a frame that OpenH264 accepts: level 5.2 (table A-1), 4096x2304.
    private static let maximumMacroblocks = 36_864
    /// Bound of the memory for reference frames, in frames of the maximum size.
    private static let referenceFrames = 4

    private var decoder: UnsafeMutablePointer<ISVCDecoder?>
    private let maximumPixels: Int
    /// Whether data of a rejected frame may be left in the decoder.
    private var isDamaged = false
    /// NAL units for the decoder.
    private var accessUnit: [UInt8] = []

    /// - Parameter maximumPixels: larger frames are refused before memory is allocated for them. OpenH264 accepts up to 4096x2304.
    /// - Throws: `library` if there is no memory.
    public init(maximumPixels: Int = 4096 * 4096) throws(CodecError) {
        decoder = try Self.open()
        self.maximumPixels = maximumPixels
    }

    deinit { millrace_openh264_close(decoder) }

    private static func open() throws(CodecError) -> UnsafeMutablePointer<ISVCDecoder?> {
        guard let decoder = millrace_openh264_open() else {
            throw .openH264(dsOutOfMemory.rawValue, "no decoder could be created")
        }
        return decoder
    }

    /// Decodes one frame and passes it to `body` without copying it.
    ///
    /// - Parameters:
    ///   - frame: one access unit: NAL units behind start codes (Annex B).
    ///   - body: receives the planes, which are valid only during the call.
    /// - Returns: the result of `body`; nil for an access unit without a frame, which has parameter sets only.
    /// - Throws: `corruptData`, `missingKeyFrame`, `frameTooLarge`, `unsupportedFormat`, or `library` if there is no memory.
    public func withDecodedPlanes<Result>(
        _ frame: UnsafeRawBufferPointer, _ body: (borrowing I420Planes) -> Result
    ) throws(CodecError) -> Result? {
        let decoded: millrace_openh264_frame
        do { decoded = try decode(frame) } catch {
            needsKeyFrame = true
            throw error
        }
        guard let y = decoded.luma, let u = decoded.blue, let v = decoded.red, decoded.width > 0, decoded.height > 0
        else { return nil }
        needsKeyFrame = false
        return body(
            I420Planes(
                width: Int(decoded.width), height: Int(decoded.height), y: y, u: u, v: v,
                yStride: Int(decoded.luma_stride), chromaStride: Int(decoded.chroma_stride)))
    }

    private func decode(_ frame: UnsafeRawBufferPointer) throws(CodecError) -> millrace_openh264_frame {
        let info = try H264FrameInfo(frame)
        if let parameters = info.parameters { try check(parameters) }
        guard info.isKeyFrame || info.hasParameterSets || !needsKeyFrame else { throw .missingKeyFrame }
        // OpenH264 would put slices of the rejected frame before this one.
        if isDamaged, info.isKeyFrame, info.parameters != nil {
            let fresh = try Self.open()
            millrace_openh264_close(decoder)
            decoder = fresh
            isDamaged = false
        }
        accessUnit.removeAll(keepingCapacity: true)
        for unit in info.units {
            accessUnit += [0, 0, 0, 1]
            accessUnit += frame[unit]
        }
        var decoded = millrace_openh264_frame()
        let state = accessUnit.withUnsafeBufferPointer { bytes in
            millrace_openh264_decode(decoder, bytes.baseAddress, Int32(clamping: bytes.count), &decoded)
        }
        guard state == 0 else {
            isDamaged = true
            throw UInt32(bitPattern: state) & dsOutOfMemory.rawValue != 0
                ? .openH264(UInt32(bitPattern: state), "out of memory")
                : .corruptData(reason: "OpenH264 rejects a frame (state 0x\(String(state, radix: 16)))")
        }
        return decoded
    }

    /// Checks the format and the sizes before OpenH264 allocates memory for them.
    private func check(_ parameters: H264SequenceParameterSet) throws(CodecError) {
        guard parameters.chromaFormat == 1, parameters.bitDepth == 8 else {
            throw .unsupportedFormat(.h264, reason: "it is not 4:2:0 with 8 bits")
        }
        let macroblocks = Int(parameters.macroblocks)
        let pixels = macroblocks * 256
        guard macroblocks <= Self.maximumMacroblocks, pixels <= maximumPixels else {
            throw .frameTooLarge(width: Int(parameters.width), height: Int(parameters.height))
        }
        guard pixels * Int(parameters.referenceFrames) <= maximumPixels * Self.referenceFrames else {
            throw .unsupportedFormat(
                .h264,
                reason:
                    "it has \(parameters.referenceFrames) reference frames of \(parameters.width)x\(parameters.height)")
        }
    }
}
