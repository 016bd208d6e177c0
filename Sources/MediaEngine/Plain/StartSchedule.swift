import MediaBase

/// Times at which the video of a plain subscriber is started again. Most clients read the session description first and open their
/// sockets afterwards, so that they miss the first start. A client that has sent RTCP is receiving and needs no further start.
struct StartSchedule {
    /// Times after the transport was opened.
    static let delays: [MediaTime] = [.seconds(1), .seconds(2), .seconds(4)]
    /// Minimum age of the cached key frame for sending the cached frames again. A client that was already receiving would get newer
    /// frames twice, and a publisher with a key frame interval of up to 2 s sends the next key frame just as soon.
    static let cacheAge = MediaTime.milliseconds(2_500)

    private let openedAt: MediaTime
    private var next = 0

    init(openedAt: MediaTime) { self.openedAt = openedAt }

    var isOver: Bool { next >= Self.delays.count }

    mutating func end() { next = Self.delays.count }

    /// Returns true once for each time that has passed.
    mutating func take(now: MediaTime) -> Bool {
        guard !isOver, openedAt + Self.delays[next] <= now else { return false }
        next += 1
        return true
    }
}
