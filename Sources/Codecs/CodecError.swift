public import MediaBase

/// Error of an encoder or a decoder.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An argument is out of range: its name and the reason.
    case invalidArgument(String, reason: String)
    /// The data violates the codec's specification. The decoder can continue with the next packet (Opus) or the next
    /// key frame (video).
    case corruptData(reason: String)
    /// A predicted frame arrived before a key frame, or after an error and before the next key frame.
    case missingKeyFrame
    /// The frame is valid but larger than the decoder's limit.
    case frameTooLarge(width: Int, height: Int)
    /// This decoder is not one for frames of this codec.
    case codecNotDecodable(VideoCodec)
    /// The stream is valid, but in a profile or format that the decoder lacks.
    case unsupportedFormat(VideoCodec, reason: String)
    /// The codec library failed: its name, error code and error text.
    case library(String, code: Int, text: String)

    public var description: String {
        switch self {
        case .invalidArgument(let argument, let reason): "\(argument): \(reason)"
        case .corruptData(let reason): "corrupt data: \(reason)"
        case .missingKeyFrame: "a key frame is needed first"
        case .frameTooLarge(let width, let height): "a frame of \(width)x\(height) is larger than allowed"
        case .codecNotDecodable(let codec): "\(codec.rawValue) cannot be decoded"
        case .unsupportedFormat(let codec, let reason):
            "\(codec.rawValue) in a format that cannot be decoded: \(reason)"
        case .library(let name, let code, let text): "\(name): \(text) (\(code))"
        }
    }
}
