/// Announcements of subsessions that a participant received. Found in messages without parsing JSON, because there are many long
/// messages.
struct SubsessionAnnouncements: Sendable {
    /// Announced moves, one for each user in each announcement.
    private(set) var moves = 0
    /// Times of the latest announced move, and of the announcement that all are back: monotonic nanoseconds.
    private(set) var movedAt: Int64 = 0
    private(set) var stoppedAt: Int64 = 0

    private static let mention = Array(#""subsession"#.utf8)
    private static let moved = Array(#""event":"subsessionUsersChanged""#.utf8)
    private static let user = Array(#""user":"#.utf8)
    private static let changed = Array(#""event":"subsessionsChanged""#.utf8)
    private static let stopped = Array(#""change":"stopped""#.utf8)

    /// - Returns: false for other messages.
    mutating func receive(_ message: [UInt8], now: Int64) -> Bool {
        guard Self.count(Self.mention, in: message, limit: 1) > 0 else { return false }
        if Self.count(Self.moved, in: message, limit: 1) > 0 {
            moves += Self.count(Self.user, in: message)
            movedAt = now
            return true
        }
        guard Self.count(Self.changed, in: message, limit: 1) > 0 else { return false }
        if Self.count(Self.stopped, in: message, limit: 1) > 0 { stoppedAt = now }
        return true
    }

    private static func count(_ needle: [UInt8], in message: [UInt8], limit: Int = .max) -> Int {
        var (found, position) = (0, 0)
        while found < limit, position + needle.count <= message.count {
            let end = position + needle.count
            let isHere = message[position] == needle[0] && message[position..<end].elementsEqual(needle)
            if isHere { found += 1 }
            position = isHere ? end : position + 1
        }
        return found
    }
}
