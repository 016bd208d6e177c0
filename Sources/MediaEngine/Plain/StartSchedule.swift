import MediaBase

/// Times at which a plain subscriber gets another start of its video, because the first may have gone out before it listened: most clients
/// read the session description first, and open their sockets then. A client that has sent RTCP listens, and needs none.
struct StartSchedule {
    /// After the transport was opened.
    static let delays: [MediaTime] = [.seconds(1), .seconds(2), .seconds(4)]
    /// Frames that are cached are sent again only if their key frame is older than this. A client that has listened since would see
    /// newer ones twice, and publishers with a key frame interval of up to 2 s help it as soon.
    static let cacheAge = MediaTime.milliseconds(2_500)

    private let openedAt: MediaTime
    private var next = 0

    init(openedAt: MediaTime) { self.openedAt = openedAt }

    var isOver: Bool { next >= Self.delays.count }

    mutating func end() { next = Self.delays.count }

    /// True once for each time that has come.
    mutating func take(now: MediaTime) -> Bool {
        guard !isOver, openedAt + Self.delays[next] <= now else { return false }
        next += 1
        return true
    }
}
