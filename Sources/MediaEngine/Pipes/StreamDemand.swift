import MediaBase

/// Encodings of a mirrored stream that this relay needs from the relay of its publisher, by the tags of their producers.
struct StreamDemand {
    /// Time for which an encoding is needed after the last consumer has left it, so that consumers that return soon, or change to and fro,
    /// do not need a new key frame each time.
    static let holdTime = MediaTime.seconds(3)

    private var until: [Int: MediaTime] = [:]
    /// Encodings that were demanded last.
    private(set) var tags: Set<Int> = []
    /// Whether encodings were demanded before.
    private(set) var hasBegun = false

    /// Notes that an encoding is taken now.
    mutating func note(_ tag: Int, now: MediaTime) { until[tag] = now + Self.holdTime }

    /// Returns whether an encoding is taken, or was a moment ago.
    func isNeeded(_ tag: Int, now: MediaTime) -> Bool { until[tag].map { now < $0 } ?? false }

    mutating func forget(_ tag: Int) {
        until[tag] = nil
        tags.remove(tag)
    }

    /// Demands the encodings that are needed now.
    /// - Returns: whether they are others than before.
    mutating func update(now: MediaTime) -> Bool {
        let before = tags
        hasBegun = true
        tags = Set(until.filter { now < $0.value }.keys)
        return tags != before
    }
}
