/// Counts of received STUN datagrams by result.
package struct ICEStatistics: Sendable, Hashable {
    /// Authenticated requests, each counted once.
    package var checks: UInt64 = 0
    /// Requests seen before: retransmissions, copies made by the network, replays.
    package var repeats: UInt64 = 0
    /// Authenticated binding indications (RFC 8445 section 11), including repeated ones.
    package var indications: UInt64 = 0
    /// Datagrams that are not STUN, neither a binding request nor an indication, truncated, or damaged according to FINGERPRINT.
    package var malformed: UInt64 = 0
    /// Datagrams with an unknown user name, or with MESSAGE-INTEGRITY missing or wrong.
    package var unauthentic: UInt64 = 0
    /// Requests answered by error 487.
    package var roleConflicts: UInt64 = 0
    /// Requests answered by error 420.
    package var unknownAttributes: UInt64 = 0
    /// Answers that were not sent, because more bytes would have been sent to the address than were received from it.
    package var unanswered: UInt64 = 0
    /// Number of changes of the selected address, including the first selection.
    package var moves: UInt64 = 0

    package init() {}
}
