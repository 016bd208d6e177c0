import Containers
import MediaBase

/// Chapters of a composed session: when each publisher's media begins and ends, and when subsessions start and end.
struct SessionChapters {
    /// Maximum pause between two files of a publisher that is no leave: a reconnection or a change of devices.
    private static let maximumPause: MediaTime = .seconds(10)
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

    private var presences: [String: [Presence]] = [:]
    private var others: [(time: MediaTime, title: String)] = []

    /// Notes the media of one file, in order of start.
    mutating func note(publisher: String, name: String, start: MediaTime, end: MediaTime) {
        var all = presences[publisher] ?? []
        if let last = all.last, start - last.end <= Self.maximumPause {
            all[all.count - 1].end = max(last.end, end)
        } else {
            all.append(Presence(name: name, start: start, end: end))
        }
        presences[publisher] = all
    }

    /// Notes when subsessions started and stopped.
    ///
    /// - Parameters:
    ///   - zero: relay time of the output's time zero, since 1970.
    ///   - end: end of the output. What happened before and after it is ignored.
    mutating func note(_ journal: [JournalEntry], zero: MediaTime, end: MediaTime) {
        for entry in journal {
            guard let time = entry.time(after: zero), time >= .zero, time <= end else { continue }
            switch entry.event {
            case .chat: continue
            case .subsessionsStarted: others.append((time, "Subsessions start"))
            case .subsessionsStopped: others.append((time, "Subsessions end"))
            }
        }
    }

    var chapters: [MatroskaChapter] {
        let events =
            (presences.values.joined().flatMap { presence in
                [(presence.start, "\(presence.name) joins"), (presence.end, "\(presence.name) leaves")]
            } + others).sorted { $0 < $1 }
        var all: [(time: MediaTime, titles: [String])] = []
        for (time, title) in events {
            if let last = all.last, time - last.time <= Self.maximumDistance {
                all[all.count - 1].titles.append(title)
            } else if all.count < Self.maximumCount {
                all.append((time, [title]))
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
