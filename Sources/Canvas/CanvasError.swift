package import Codecs
package import Containers
package import MediaBase
package import MediaEngine

/// Reason that a canvas provides no media.
package enum CanvasError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stream cannot be tapped.
    case engine(EngineError)
    /// A decoder could not be created.
    case codec(CodecError)
    /// The video is in a format of its codec that the relay cannot decode, such as 10 bits a sample.
    case codecNotDecodable(VideoCodec)
    /// The decoded media could not be written.
    case container(ContainerError)
    /// No frame arrived in time: the stream has no video or no key frame.
    case noFrame(within: MediaTime)
    /// The video is encrypted end to end, larger than the relay decodes, or damaged.
    case undecodable
    /// The system could not create a thread.
    case thread(errno: Int32)

    package var description: String {
        switch self {
        case .engine(let error): "\(error)"
        case .codec(let error): "\(error)"
        case .codecNotDecodable(let codec): "the relay cannot decode the format of this \(codec.rawValue) video"
        case .container(let error): "\(error)"
        case .noFrame(let time): "no frame arrived within \(time)"
        case .undecodable: "the stream's video cannot be decoded: it is encrypted, too large or damaged"
        case .thread(let errno): "no thread could be started (errno \(errno))"
        }
    }
}
