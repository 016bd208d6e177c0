/// Reason why a datagram is not a usable STUN message.
package enum STUNError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Shorter than the 20-byte header, or not as long as its length field says.
    case length
    /// The first two bits are not 0 or the magic cookie is missing.
    case notSTUN
    /// An attribute runs past the end of the message.
    case truncatedAttribute(type: UInt16)
    /// An attribute's value is not what its type allows.
    case invalidAttribute(type: UInt16)
    /// FINGERPRINT is not the last attribute.
    case misplacedFingerprint

    package var description: String {
        switch self {
        case .length: "STUN header: length does not fit the datagram"
        case .notSTUN: "STUN header: no magic cookie"
        case .truncatedAttribute(let type): "STUN attribute 0x\(String(type, radix: 16)): truncated"
        case .invalidAttribute(let type): "STUN attribute 0x\(String(type, radix: 16)): value not allowed"
        case .misplacedFingerprint: "STUN FINGERPRINT: not the last attribute"
        }
    }
}
