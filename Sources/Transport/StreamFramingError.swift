/// Why a stream of frames (RFC 4571) cannot be read on.
package enum StreamFramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A frame announces so many bytes, more than is allowed.
    case tooLong(Int)
    /// An earlier frame was refused, so that nobody knows where the next one starts.
    case broken

    package var description: String {
        switch self {
        case .tooLong(let length): "RFC 4571 frame: \(length) bytes are more than is allowed"
        case .broken: "RFC 4571 frame: the stream was given up"
        }
    }
}
