public import MediaBase

/// Error of an encoder or a decoder.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An argument is out of range: its name and the reason.
    case invalidArgument(String, reason: String)
    /// The data violates the codec's specification. The decoder can continue with the next packet (Opus) or the next
    /// key frame (VP8, VP9).
    case corruptData(reason: String)
    /// A predicted frame arrived before a key frame, or after an error and before the next key frame.
    case missingKeyFrame
    /// The frame is valid but larger than the decoder's limit.
    case pictureTooLarge(width: Int, height: Int)
    /// No decoder is built in for frames of this codec.
    case codecNotDecodable(VideoCodec)
    /// The codec library failed: its name, error code and error text.
    case library(String, code: Int, text: String)

    public var description: String {
        switch self {
        case .invalidArgument(let argument, let reason): "\(argument): \(reason)"
        case .corruptData(let reason): "corrupt data: \(reason)"
        case .missingKeyFrame: "a key frame is needed first"
        case .pictureTooLarge(let width, let height): "a frame of \(width)x\(height) is larger than allowed"
        case .codecNotDecodable(let codec): "\(codec.rawValue) cannot be decoded"
        case .library(let name, let code, let text): "\(name): \(text) (\(code))"
        }
    }
}
