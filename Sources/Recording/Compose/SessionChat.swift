import DequeModule
import MediaBase

/// Chat messages of a composed session, as subtitles in order of time.
struct SessionChat {
    struct Line: Equatable {
        var time: MediaTime
        var duration: MediaTime
        var text: String
    }

    static let trackName = "Chat"
    /// Time for which a message is shown, by its length.
    private static let shortest: MediaTime = .seconds(4)
    private static let longest: MediaTime = .seconds(12)
    private static let timePerCharacter: MediaTime = .milliseconds(60)
    /// Messages before the first frame by more than this time belong to an earlier recording in the same folder.
    private static let lead: MediaTime = .seconds(1)

    private var lines: Deque<Line>

    /// - Parameters:
    ///   - journal: in order of time.
    ///   - zero: relay time of the output's time zero, since 1970.
    ///   - end: time of the output after which there is no media; `never` if it is not known.
    init(_ journal: [JournalEntry], zero: MediaTime, end: MediaTime = .never) {
        lines = Deque(
            journal.lazy.compactMap { entry in
                guard entry.event == .chat, let text = entry.text, !text.isEmpty, let time = entry.time(after: zero),
                    time >= .zero - Self.lead, time <= end
                else { return nil }
                let sender = entry.participant.map { SessionPlan.plain($0.name) } ?? ""
                let prefix = entry.subsession.map { "[\(SessionPlan.plain($0))] " } ?? ""
                let duration = MediaTime(rawValue: Self.timePerCharacter.rawValue * Int64(min(text.count, 10_000)))
                return Line(
                    time: max(.zero, time), duration: min(max(Self.shortest, duration), Self.longest),
                    text: "\(prefix)\(sender): \(text)")
            })
    }

    var isEmpty: Bool { lines.isEmpty }

    /// Removes and returns the next message, if it is not after a time.
    mutating func next(until time: MediaTime) -> Line? {
        guard let first = lines.first, first.time <= time else { return nil }
        return lines.removeFirst()
    }
}
