import Containers
import MediaBase

/// Chapters of a composed session: when participants join, leave and move, and when subsessions start and end. The journal tells it of
/// participants; the media of a publisher tells it of publishers that the journal does not have: those without signalling, and all of
/// recordings without a journal.
struct SessionChapters {
    /// Maximum pause that is no leave: between two files of a publisher for a reconnection or a change of devices, and between the leave and
    /// the next join of a user.
    static let maximumPause: MediaTime = .seconds(10)
    /// Maximum time between events of one chapter. Players skip chapters that begin at the same time.
    private static let maximumDistance: MediaTime = .milliseconds(500)
    /// Maximum number of chapters, and of events in the title of one.
    private static let maximumCount = 10_000
    private static let maximumEvents = 5

    private struct Presence {
        var name: String
        var start: MediaTime
        var end: MediaTime
    }

    private let journal: JournalEvents
    private var presences: [String: [Presence]] = [:]

    /// - Parameters:
    ///   - journal: in order of time.
    ///   - zero: relay time of the output's time zero, since 1970.
    ///   - end: end of the output.
    init(_ journal: [JournalEntry], zero: MediaTime, end: MediaTime) {
        self.journal = JournalEvents(journal, zero: zero, end: end)
    }

    /// Notes the media of one file, in order of start.
    mutating func note(_ entry: RecordingIndex.Entry, start: MediaTime, end: MediaTime) {
        if let connection = entry.participant?.id, journal.connections.contains(connection) { return }
        let publisher = SessionPlan.publisher(of: entry)
        var all = presences[publisher] ?? []
        if let last = all.last, start - last.end <= Self.maximumPause {
            all[all.count - 1].end = max(last.end, end)
        } else {
            all.append(Presence(name: SessionPlan.name(of: entry), start: start, end: end))
        }
        presences[publisher] = all
    }

    var chapters: [MatroskaChapter] {
        let events =
            (presences.values.joined().flatMap { presence in
                [
                    JournalEvents.Event(time: presence.start, title: "\(presence.name) joins"),
                    JournalEvents.Event(time: presence.end, title: "\(presence.name) leaves"),
                ]
            } + journal.events).sorted { ($0.time, $0.title) < ($1.time, $1.title) }
        var all: [(time: MediaTime, titles: [String])] = []
        for event in events {
            if let last = all.last, event.time - last.time <= Self.maximumDistance {
                all[all.count - 1].titles.append(event.title)
            } else if all.count < Self.maximumCount {
                all.append((event.time, [event.title]))
            }
        }
        return all.map { time, titles in
            let rest = titles.count - Self.maximumEvents
            let title =
                titles.prefix(Self.maximumEvents).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            return MatroskaChapter(time: time, title: title)
        }
    }
}
