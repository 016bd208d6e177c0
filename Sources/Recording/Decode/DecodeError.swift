package import Codecs
package import Containers

/// Why a file could not be decoded at all, or an output not be written.
package enum DecodeError: Error, Sendable, CustomStringConvertible {
    case container(ContainerError)
    case codec(CodecError)
    /// The file is of a kind, or holds a codec, that is not decoded here.
    case unsupported(String)

    package var description: String {
        switch self {
        case .container(let error): error.description
        case .codec(let error): error.description
        case .unsupported(let what): what
        }
    }
}
