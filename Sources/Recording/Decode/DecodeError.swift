package import Codecs
package import Containers

/// Reason that a file could not be decoded at all, or that an output could not be written.
package enum DecodeError: Error, Sendable, CustomStringConvertible {
    case container(ContainerError)
    case codec(CodecError)
    /// The file's container or codec is not supported.
    case unsupported(String)

    package var description: String {
        switch self {
        case .container(let error): error.description
        case .codec(let error): error.description
        case .unsupported(let what): what
        }
    }
}
