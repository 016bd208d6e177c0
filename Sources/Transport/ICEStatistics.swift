/// What an agent did with the STUN datagrams that came in.
package struct ICEStatistics: Sendable, Hashable {
    /// Authentic requests, each counted once.
    package var checks: UInt64 = 0
    /// Requests seen before: retransmissions, copies made by the network, replays.
    package var repeats: UInt64 = 0
    /// Authentic binding indications (RFC 8445 section 11), repeated ones included.
    package var indications: UInt64 = 0
    /// Not STUN, no binding request or indication, truncated, or damaged in a way that FINGERPRINT shows.
    package var malformed: UInt64 = 0
    /// Unknown user name, or MESSAGE-INTEGRITY missing or wrong.
    package var unauthentic: UInt64 = 0
    /// Answered by error 487.
    package var roleConflicts: UInt64 = 0
    /// Answered by error 420.
    package var unknownAttributes: UInt64 = 0
    /// Answers that were not sent, as more bytes would have gone to the address than came from it.
    package var unanswered: UInt64 = 0
    /// Times the selected address changed, the first one included.
    package var moves: UInt64 = 0

    package init() {}
}
