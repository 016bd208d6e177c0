import MediaBase

/// When the port of WebRTC peers is left alone for a moment. Feedback and reports of many viewers come a datagram at a time, and each would
/// wake the worker, which costs more than what they say; together they can wait a millisecond, and four where no publisher uses the port. A
/// datagram of any other kind ends that.
struct FeedbackRest {
    /// How long at the most; zero: never.
    private let length: MediaTime
    /// So many times as long where no packet of a publisher can come to the same port.
    private static let patience: Int64 = 4
    /// Longest time that a publisher's packet waits for it, and longest time at all: whatever packets are gathered for.
    static let publishersBound = MediaTime.milliseconds(1)
    static let bound = MediaTime.milliseconds(4)
    private var last: MediaTime?
    /// The port is not waited on before this time.
    private(set) var end: MediaTime?

    init(length: MediaTime) { self.length = length }

    /// The port was read.
    /// - Parameters:
    ///   - isFeedbackAlone: nothing but RTCP was there.
    ///   - hasPublishers: of those whose packets come to this port.
    mutating func read(isFeedbackAlone: Bool, hasPublishers: Bool, now: MediaTime) {
        end = nil
        guard isFeedbackAlone, length > .zero else {
            last = nil
            return
        }
        // Feedback that is rare is taken as it comes: a rest would end in a wake-up of its own.
        let length =
            hasPublishers
            ? min(length, Self.publishersBound) : min(MediaTime(rawValue: length.rawValue * Self.patience), Self.bound)
        if let last, now - last <= length + length { end = now + length }
        last = now
    }
}
