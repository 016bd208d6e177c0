import Containers
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite("REC-2 Chapters from the journal of a recorded session") struct JournalEventsTests {
    /// Relay time of the output's time zero in milliseconds since 1970.
    private static let zero: Int64 = 1_785_585_600_000
    private static let ada = RecordingSource.Participant(id: "c-a", name: "Ada", identity: "u-ada")
    private static let bo = RecordingSource.Participant(id: "c-b", name: "Bo")
    private static let cy = RecordingSource.Participant(id: "c-c", name: "Cy")

    /// Returns an entry at a time of the output in seconds.
    private static func entry(
        _ time: Double, _ event: JournalEntry.Event, _ participants: RecordingSource.Participant...
    ) -> JournalEntry {
        JournalEntry(
            time: zero + Int64((time * 1_000).rounded()), event: event,
            participants: participants.isEmpty ? nil : participants)
    }

    private static func move(
        _ time: Double, _ participant: RecordingSource.Participant, to subsession: String? = nil, from: String? = nil
    ) -> JournalEntry {
        JournalEntry(
            time: zero + Int64((time * 1_000).rounded()), event: .moved, participant: participant,
            subsession: subsession, from: from)
    }

    private static func file(
        of participant: RecordingSource.Participant?, stream: String = "cam"
    ) -> RecordingIndex.Entry {
        RecordingIndex.Entry(
            stream: stream, file: "\(stream).webm", start: "", startUnixNanoseconds: 0, tracks: [],
            participant: participant)
    }

    /// Returns the chapters of an output of 100 s as `time title`.
    private static func chapters(
        _ journal: [JournalEntry], _ files: [(RecordingSource.Participant?, ClosedRange<Double>)] = []
    ) -> [String] {
        var chapters = SessionChapters(journal, zero: .milliseconds(zero), end: .seconds(100))
        for (participant, span) in files {
            chapters.note(
                file(of: participant), start: .seconds(span.lowerBound), end: .seconds(span.upperBound))
        }
        return chapters.chapters.map { "\($0.time.seconds) \($0.title)" }
    }

    @Test("A participant without media joins and leaves, and one whose media pauses and ends leaves once")
    func withoutMedia() {
        let journal = [
            Self.entry(-0.2, .recordingStarted), Self.entry(-0.2, .present, Self.ada), Self.entry(20, .joined, Self.bo),
            Self.entry(40, .left, Self.bo), Self.entry(60, .left, Self.ada),
        ]
        #expect(
            Self.chapters(journal, [(Self.ada, 0...10), (Self.ada, 30...50)])
                == ["0.0 Present: Ada", "20.0 Bo joins", "40.0 Bo leaves", "60.0 Ada leaves"])
    }

    @Test("Users who are there when a recording begins are present, whenever the relay has written it, and do not join")
    func presentAtStart() {
        // The first frame is before or after the entry of the recording.
        for start in [-3, 0.3] {
            let journal = [
                // An earlier meeting of this day, which a kill of the relay ended.
                Self.entry(-5_000, .recordingStarted), Self.entry(-5_000, .present, Self.cy),
                Self.entry(start, .recordingStarted), Self.entry(start, .present, Self.ada),
                Self.entry(start, .present, Self.bo),
            ]
            #expect(Self.chapters(journal, [(Self.ada, 0...100)]) == ["0.0 Present: Ada, Bo"])
        }
        // Joins and leaves before the first frame are no events, but count for who is there.
        let journal = [
            Self.entry(-4, .recordingStarted), Self.entry(-4, .present, Self.ada), Self.entry(-3, .joined, Self.bo),
            Self.entry(-2, .joined, Self.cy), Self.entry(-1, .left, Self.ada), Self.entry(5, .left, Self.cy),
        ]
        #expect(Self.chapters(journal) == ["0.0 Present: Bo, Cy", "5.0 Cy leaves"])
        let many = (1...8).map { RecordingSource.Participant(id: "c\($0)", name: "P\($0)") }
        let crowd = [Self.entry(0, .recordingStarted)] + JournalEntry.entries(.present, of: many, time: Self.zero)
        #expect(Self.chapters(crowd) == ["0.0 Present: P1, P2, P3, P4, P5 and 3 more"])
    }

    @Test("Media makes the chapters of publishers that the journal does not have, and of a recording without a journal")
    func media() {
        let camera = RecordingSource.Participant(id: "c-w", name: "cam1")
        let files: [(RecordingSource.Participant?, ClosedRange<Double>)] = [
            (Self.ada, 10...50), (camera, 20...60), (nil, 30...70),
        ]
        #expect(
            Self.chapters([], files) == [
                "10.0 Ada joins", "20.0 cam1 joins", "30.0 cam joins", "50.0 Ada leaves", "60.0 cam1 leaves",
                "70.0 cam leaves",
            ])
        let journal = [Self.entry(0, .recordingStarted), Self.entry(5, .joined, Self.ada)]
        #expect(
            Self.chapters(journal, files) == [
                "5.0 Ada joins", "20.0 cam1 joins", "30.0 cam joins", "60.0 cam1 leaves", "70.0 cam leaves",
            ])
        // A journal whose join is lost, such as by a full disk, does not know the participant.
        let leave = [Self.entry(0, .recordingStarted), Self.entry(50.2, .left, Self.ada)]
        #expect(Self.chapters(leave, [(Self.ada, 10...50)]) == ["10.0 Ada joins", "50.0 Ada leaves"])
    }

    @Test("Moves have the name of the subsession; a group that moves has few chapters")
    func moves() {
        let few = [
            Self.entry(0, .recordingStarted), Self.move(10, Self.ada, to: "one"),
            Self.move(20, Self.ada, to: "two", from: "one"), Self.move(30, Self.ada, from: "two"),
            // Nothing is known of where this one was.
            Self.move(40, Self.ada),
        ]
        #expect(Self.chapters(few) == ["10.0 Ada moves to one", "20.0 Ada moves to two", "30.0 Ada returns from two"])
        let group =
            [Self.entry(0, .recordingStarted), Self.entry(10, .subsessionsStarted)]
            + (0..<1_000).map { number in
                Self.move(
                    10 + Double(number) / 1_000, RecordingSource.Participant(id: "c\(number)", name: "P\(number)"),
                    to: "one")
            } + [Self.entry(50, .subsessionsStopped)]
        let chapters = Self.chapters(group)
        #expect(chapters.count == 3 && chapters.last == "50.0 Subsessions end", "\(chapters)")
        #expect(chapters.first?.hasPrefix("10.0 P0 moves to one, Subsessions start, P1 moves to one") == true)
        #expect(chapters.first?.hasSuffix(" more") == true && chapters.allSatisfy { $0.count < 200 })
    }

    @Test("A page that is loaded again, and a user with two connections, stay; a longer absence is a leave")
    func connections() {
        let again = RecordingSource.Participant(id: "c-a2", name: "Ada L.", identity: "u-ada")
        let overlap = [
            Self.entry(0, .recordingStarted), Self.entry(5, .joined, Self.ada), Self.entry(20, .joined, again),
            Self.entry(50, .left, Self.ada), Self.entry(80, .left, again),
        ]
        #expect(Self.chapters(overlap) == ["5.0 Ada joins", "80.0 Ada L. leaves"])
        let pause = [
            Self.entry(0, .recordingStarted), Self.entry(5, .joined, Self.ada), Self.entry(20, .left, Self.ada),
            Self.entry(30, .joined, again), Self.entry(50, .left, again), Self.entry(60.1, .joined, Self.ada),
        ]
        #expect(
            Self.chapters(pause) == ["5.0 Ada joins", "50.0 Ada L. leaves", "60.1 Ada joins"])
    }

    @Test("After a kill of the relay the next recording tells who is there")
    func kill() {
        let journal = [
            Self.entry(0, .recordingStarted), Self.entry(0, .present, Self.ada, Self.bo),
            Self.entry(10, .joined, Self.cy),
            // Killed at about 30 s.
            Self.entry(40, .recordingStarted),
            Self.entry(40, .present, RecordingSource.Participant(id: "c-a2", name: "Ada", identity: "u-ada")),
            Self.entry(45, .joined, RecordingSource.Participant(id: "c-b2", name: "Bo")),
        ]
        let files: [(RecordingSource.Participant?, ClosedRange<Double>)] = [(Self.ada, 0...29), (Self.bo, 1...30)]
        #expect(
            Self.chapters(journal, files) == [
                "0.0 Present: Ada, Bo", "10.0 Cy joins", "40.0 Present: Ada", "45.0 Bo joins",
            ])
        // A recording that was stopped for a while, with the same users afterwards, has no event.
        let same = [
            Self.entry(0, .recordingStarted), Self.entry(0, .present, Self.ada, Self.bo),
            Self.entry(40, .recordingStarted), Self.entry(40, .present, Self.bo, Self.ada),
            Self.entry(60, .left, Self.bo),
        ]
        #expect(Self.chapters(same) == ["0.0 Present: Ada, Bo", "60.0 Bo leaves"])
    }

    @Test("The leaves that end a recording are at its end, and what happens later is ignored")
    func end() {
        let journal = [
            Self.entry(0, .recordingStarted), Self.entry(0, .present, Self.ada, Self.bo, Self.cy),
            Self.entry(100.4, .left, Self.ada), Self.entry(100.5, .joined, Self.ada), Self.entry(101.1, .left, Self.bo),
            Self.entry(200, .recordingStarted), Self.entry(200, .present, Self.cy),
        ]
        #expect(Self.chapters(journal) == ["0.0 Present: Ada, Bo, Cy", "100.0 Ada leaves"])
    }

    @Test("Hostile journals give a bounded number of events, and no time outside of the output")
    func hostile() {
        var random = SeededGenerator(seed: 11)
        let events: [JournalEntry.Event] = [
            .chat, .subsessionsStarted, .subsessionsStopped, .recordingStarted, .present, .joined, .left, .moved,
        ]
        let names = ["", "Ada", "\u{7}", String(repeating: "x", count: 10_000)]
        for _ in 0..<2_000 {
            let journal = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                let time =
                    Int.random(in: 0...9, using: &random) == 0
                    ? [Int64.min, .max, 0].randomElement(using: &random) ?? 0
                    : Self.zero + Int64.random(in: -20_000...120_000, using: &random)
                func someone() -> RecordingSource.Participant {
                    RecordingSource.Participant(
                        id: "c\(Int.random(in: 0...3, using: &random))",
                        name: names.randomElement(using: &random) ?? "",
                        identity: Bool.random(using: &random) ? "u" : nil)
                }
                return JournalEntry(
                    time: time, event: events.randomElement(using: &random) ?? .chat,
                    participant: Bool.random(using: &random) ? someone() : nil,
                    participants: (0..<Int.random(in: 0...3, using: &random)).map { _ in someone() },
                    subsession: names.randomElement(using: &random), from: names.randomElement(using: &random))
            }.sorted { $0.time < $1.time }
            let found = JournalEvents(journal, zero: .milliseconds(Self.zero), end: .seconds(100))
            #expect(found.events.allSatisfy { $0.time >= .zero && $0.time <= .seconds(100) && $0.title.count < 1_000 })
        }
        let flood = (0..<JournalEvents.maximumCount + 1_000).map { number in
            let participant = RecordingSource.Participant(id: "c\(number)", name: "\(number)")
            return Self.entry(Double(number) / 10_000, .joined, participant)
        }
        let bounded = JournalEvents(flood, zero: .milliseconds(Self.zero), end: .seconds(100))
        #expect(bounded.events.count == JournalEvents.maximumCount)
    }
}
