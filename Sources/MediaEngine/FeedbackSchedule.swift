import MediaBase

/// Decides when the socket is read at which only RTCP of WebRTC peers arrives. Feedback and reports of many subscribers arrive one datagram at
/// a time, and waking the worker for each costs more than handling it. While they are frequent, the socket is not polled: it is read when
/// the worker is awake for media, and at the latest after `interval`.
struct FeedbackSchedule {
    /// Longest time for which RTCP stays unread. It delays retransmissions and key frames.
    static let interval = MediaTime.milliseconds(5)
    /// Shortest time between two reads when the worker is awake for media. More frequent reads would find too few datagrams for their cost.
    static let shortest = MediaTime.microseconds(2_500)

    /// Time of the last read that found datagrams.
    private var last: MediaTime?
    /// Time at which the socket is read without other work; nil: it is polled.
    private(set) var end: MediaTime?

    /// Returns whether the socket is read in this turn of the worker.
    /// - Parameters:
    ///   - isReadable: result of polling it.
    ///   - isAwakeForMedia: another media socket is readable.
    func isDue(isReadable: Bool, isAwakeForMedia: Bool, now: MediaTime) -> Bool {
        guard let end else { return isReadable }
        return now >= end || (isAwakeForMedia && now >= end - Self.interval + Self.shortest)
    }

    /// Records that the socket was read.
    /// - Parameters:
    ///   - datagrams: number of datagrams found.
    ///   - hasMore: the socket may hold more; the next turn reads it.
    mutating func read(datagrams: Int, hasMore: Bool, now: MediaTime) {
        end = nil
        guard datagrams > 0 else { return }
        // Without polling, feedback that arrives rarely would only wait, and the worker would wake up for both it and the interval.
        if !hasMore, let last, (now - last).rawValue <= Int64(datagrams) * Self.interval.rawValue {
            end = now + Self.interval
        }
        last = now
    }
}
