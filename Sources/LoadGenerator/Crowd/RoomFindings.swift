/// What came of moving into subsessions and back. Times are microseconds; of several sessions the longest.
struct RoomFindings: Sendable {
    /// Participants that moved.
    var guests = 0
    /// From the first request to the last answer.
    var moved = 0
    /// From the first request until everybody heard all others of his room.
    var heard = 0
    /// From the first request until everybody knew where everybody was.
    var told = 0
    /// From the request to stop until everybody knew that all are back.
    var stopped = 0
    /// Packets of sound that were heard.
    var sounds = 0
    /// Pairs of different rooms of which one heard the other after they were parted.
    var strays = 0
    /// Pairs of one room of which one did not hear the other.
    var silent = 0
    /// Participants that were not told of all moves, or not of the end.
    var untold = 0
    var left = 0
    var failures: [String] = []

    mutating func add(_ other: RoomFindings) {
        guests += other.guests
        moved = max(moved, other.moved)
        heard = max(heard, other.heard)
        told = max(told, other.told)
        stopped = max(stopped, other.stopped)
        sounds += other.sounds
        strays += other.strays
        silent += other.silent
        untold += other.untold
        left += other.left
        failures += other.failures
    }
}
