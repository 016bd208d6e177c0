/// Direction of media from the point of view of the side that writes it (RFC 8866 section 6.7).
package enum MediaDirection: String, Sendable, Hashable, CaseIterable {
    case sendrecv
    case sendonly
    case recvonly
    case inactive

    package var sends: Bool { self == .sendrecv || self == .sendonly }
    package var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The direction from the other side's point of view.
    package var reversed: MediaDirection {
        switch self {
        case .sendonly: .recvonly
        case .recvonly: .sendonly
        case .sendrecv, .inactive: self
        }
    }
}
