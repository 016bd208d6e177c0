/// Reason why bytes from the network cannot be parsed. Two bytes in size, so that throwing one on the packet path is cheap.
package enum RTPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the field does.
    case truncated(RTPField)
    /// The version is not 2.
    case unsupportedVersion(RTPField)
    /// The field has a value that its specification does not allow.
    case invalid(RTPField)
    /// The packet is well formed but is not of the requested kind.
    case unexpected(RTPField)

    package var description: String {
        switch self {
        case .truncated(let field): "\(field.rawValue): truncated"
        case .unsupportedVersion(let field): "\(field.rawValue): version is not 2"
        case .invalid(let field): "\(field.rawValue): value not allowed"
        case .unexpected(let field): "\(field.rawValue): of another kind"
        }
    }
}
