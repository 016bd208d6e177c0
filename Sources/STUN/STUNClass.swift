/// The class of a STUN message (RFC 5389 section 6).
package enum STUNClass: UInt8, Hashable, Sendable {
    case request = 0
    case indication = 1
    case success = 2
    case error = 3
}
