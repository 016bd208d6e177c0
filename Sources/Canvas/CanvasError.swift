package import Codecs
package import Containers
package import MediaBase
package import MediaEngine

/// Why a canvas gives nothing.
package enum CanvasError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stream cannot be tapped.
    case engine(EngineError)
    /// A decoder could not be made.
    case codec(CodecError)
    /// What was decoded could not be written.
    case container(ContainerError)
    /// No picture came in time: the stream sends no video, or no key frame.
    case noPicture(within: MediaTime)
    /// Video comes that is encrypted end to end, larger than the relay decodes, or no VP8.
    case undecodable
    /// The operating system gave no thread: errno.
    case thread(errno: Int32)

    package var description: String {
        switch self {
        case .engine(let error): "\(error)"
        case .codec(let error): "\(error)"
        case .container(let error): "\(error)"
        case .noPicture(let time): "no picture came within \(time)"
        case .undecodable: "the stream's video cannot be decoded: it is encrypted, too large or no VP8"
        case .thread(let errno): "no thread could be started (errno \(errno))"
        }
    }
}
