package import Codecs
package import Containers
package import MediaBase

/// Reason that a file could not be decoded at all, or that an output could not be written.
package enum DecodeError: Error, Sendable, CustomStringConvertible {
    case container(ContainerError)
    case codec(CodecError)
    /// The file's video cannot be decoded, only its structure can be checked.
    case codecNotDecodable(VideoCodec)
    /// The file's container or codec is not supported.
    case unsupported(String)

    package var description: String {
        switch self {
        case .container(let error): error.description
        case .codec(let error): error.description
        case .codecNotDecodable(let codec):
            "\(codec.rawValue) video cannot be decoded; --verify checks the structure of the file, and --audio writes its audio"
        case .unsupported(let what): what
        }
    }
}
