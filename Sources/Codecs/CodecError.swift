/// What an encoder or a decoder can refuse.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The caller asked for something the codec does not have: which argument, and why.
    case invalidArgument(String, reason: String)
    /// The data is not what the codec's specification allows; a decoder that threw this goes on with the next packet
    /// (Opus) or the next key frame (VP8).
    case corruptData(reason: String)
    /// A predicted VP8 picture came before a key frame, or after an error that only a key frame ends.
    case missingKeyFrame
    /// The picture is well formed but larger than the decoder was told to accept.
    case pictureTooLarge(width: Int, height: Int)
    /// The codec library failed for a reason of its own: its code and its text.
    case library(String, code: Int, text: String)

    public var description: String {
        switch self {
        case .invalidArgument(let argument, let reason): "\(argument): \(reason)"
        case .corruptData(let reason): "corrupt data: \(reason)"
        case .missingKeyFrame: "a key frame is needed first"
        case .pictureTooLarge(let width, let height): "a picture of \(width)x\(height) is larger than allowed"
        case .library(let name, let code, let text): "\(name): \(text) (\(code))"
        }
    }
}
