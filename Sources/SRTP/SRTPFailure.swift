/// Reason why a packet was refused. Has no associated values, so that throwing one on the packet path allocates nothing.
package enum SRTPFailure: Error, Sendable, Equatable, CaseIterable {
    /// The tag does not match: another key, or bytes changed on the way.
    case authentication
    /// The packet index was seen before or is below the replay window (RFC 3711 section 3.3.2).
    case replay
    /// Too short, or its header points beyond its end.
    case malformed
    /// No key for this SSRC or direction, or more SSRCs than one context holds.
    case unknownStream
    /// The buffer has no room for the tag.
    case capacity
    /// The 48-bit packet index or the 31-bit SRTCP index is used up (RFC 3711 section 9.2).
    case keyExpired
    /// The key does not have the length that its suite asks for, or is not base64.
    case invalidKey
    /// The crypto library failed; never caused by the content of a packet.
    case library
}
