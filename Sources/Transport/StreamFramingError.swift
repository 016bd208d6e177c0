/// Reason why a framed stream (RFC 4571) cannot be read further.
package enum StreamFramingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A frame has this length, which exceeds the limit.
    case tooLong(Int)
    /// An earlier frame was refused, so the start of the next one is unknown.
    case broken

    package var description: String {
        switch self {
        case .tooLong(let length): "RFC 4571 frame of \(length) bytes exceeds the limit"
        case .broken: "RFC 4571 stream is unusable after an invalid frame"
        }
    }
}
