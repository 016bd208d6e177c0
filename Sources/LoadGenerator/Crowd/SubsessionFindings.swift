/// Results of moving into subsessions and back. Times are in microseconds; with several sessions, the longest.
struct SubsessionFindings: Sendable {
    /// Participants that moved.
    var guests = 0
    /// Time from the first request to the last answer.
    var moved = 0
    /// Time from the first request until every participant heard all others of its subsession.
    var heard = 0
    /// Time from the first request until every participant was told of all moves.
    var told = 0
    /// Time from the request to stop until every participant was told that all are back.
    var stopped = 0
    /// Received audio packets.
    var packetsHeard = 0
    /// Pairs of participants in different subsessions of which one heard the other after they were separated.
    var strays = 0
    /// Pairs of participants in the same subsession of which one did not hear the other.
    var silent = 0
    /// Participants that were not told of all moves (`untold`), or not of the end (`left`).
    var untold = 0
    var left = 0
    var failures: [String] = []

    mutating func add(_ other: SubsessionFindings) {
        guests += other.guests
        moved = max(moved, other.moved)
        heard = max(heard, other.heard)
        told = max(told, other.told)
        stopped = max(stopped, other.stopped)
        packetsHeard += other.packetsHeard
        strays += other.strays
        silent += other.silent
        untold += other.untold
        left += other.left
        failures += other.failures
    }
}
