import MediaBase

/// Decides when the WebRTC port is not read for a moment, if RTCP has no socket of its own (`FeedbackSchedule`). Feedback and reports of many subscribers arrive one datagram at a time, and
/// waking the worker for each costs more than handling it. They are therefore read together, after at most 1 ms, or 4 ms if no publisher
/// uses the port. A datagram of another kind ends such a rest.
struct FeedbackRest {
    /// Length of a rest; zero: no rests.
    private let length: MediaTime
    /// Factor for the length of a rest if no publisher sends to the port.
    private static let patience: Int64 = 4
    /// Longest rest if publishers send to the port, and longest rest in all, regardless of the configured `gather` time.
    static let publishersBound = MediaTime.milliseconds(1)
    static let bound = MediaTime.milliseconds(4)
    private var last: MediaTime?
    /// End of the current rest; the port is not polled before. Nil: no rest.
    private(set) var end: MediaTime?

    init(length: MediaTime) { self.length = length }

    /// Records that the port was read.
    /// - Parameters:
    ///   - isFeedbackAlone: only RTCP was read.
    ///   - hasPublishers: publishers send to this port.
    mutating func read(isFeedbackAlone: Bool, hasPublishers: Bool, now: MediaTime) {
        end = nil
        guard isFeedbackAlone, length > .zero else {
            last = nil
            return
        }
        // Feedback that arrives rarely is read at once: a rest would only add its own wake-up.
        let length =
            hasPublishers
            ? min(length, Self.publishersBound) : min(MediaTime(rawValue: length.rawValue * Self.patience), Self.bound)
        if let last, now - last <= length + length { end = now + length }
        last = now
    }
}
