import Foundation
import MillraceTestKit
import Testing

@testable import Recording

@Suite("REC-2 Journal of a recorded session") struct JournalTests {
    /// 2026-08-01T12:00:00Z.
    private static let noon: Int64 = 1_785_585_600_000
    private static let name = "journal-20260801.jsonl"

    private static func read(_ folder: String, days: Int64 = 0) -> (entries: [JournalEntry], faults: [JournalFault]) {
        JournalFile.read(folder: folder, from: noon, to: noon + days * 86_400_000)
    }

    private static func message(_ text: String, at time: Int64 = noon) -> JournalEntry {
        JournalEntry(
            time: time, event: .chat, participant: RecordingSource.Participant(id: "c1", name: "Ada"), text: text)
    }

    @Test("Entries are in the folder of their session, in order of time, and only owner and group can read them")
    func roundTrip() async throws {
        let folder = TemporaryFolder()
        let writer = JournalWriter(directory: folder.path)
        let entries = [
            Self.message("two\nlines", at: Self.noon + 5),
            Self.message(String(repeating: "\u{1}", count: 8_192), at: Self.noon + 4),
            JournalEntry(time: Self.noon + 6, event: .subsessionsStarted),
        ]
        for entry in entries { writer.append(entry, session: "a/b") }
        writer.append(Self.message("elsewhere"), session: "other")
        await writer.flush()
        let own = folder.path + "/" + RecordingFileName.safe("a/b")
        let read = Self.read(own)
        #expect(read.entries == [entries[1], entries[0], entries[2]] && read.faults.isEmpty)
        #expect(Self.read(folder.path + "/other").entries.map(\.text) == ["elsewhere"])
        #expect(Self.read(folder.path).entries.isEmpty && Self.read(folder.path + "/none").entries.isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: own + "/" + Self.name)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let lines = try String(contentsOfFile: own + "/" + Self.name, encoding: .utf8)
        #expect(lines.hasSuffix("}\n") && lines.split(separator: "\n").count == 3)
    }

    @Test("Each day has a file of its own, and only the days of a meeting are read")
    func days() throws {
        let folder = TemporaryFolder()
        let day: Int64 = 86_400_000
        for time in [-day, 0, day / 2 - 1, day / 2, 2 * day] {
            #expect(try JournalFile.append(Self.message("\(time)", at: Self.noon + time), folder: folder.path))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["0731", "0801", "0802", "0803"].map { "journal-2026\($0).jsonl" })
        #expect(Self.read(folder.path).entries.map(\.time) == [0, day / 2 - 1].map { Self.noon + $0 })
        #expect(Self.read(folder.path, days: 1).entries.count == 3)
        #expect(Self.read(folder.path, days: -1).entries.count == 2)
        #expect([Int64.min, .max].map(JournalFile.name) == ["journal-19700101.jsonl", "journal-19700101.jsonl"])
    }

    @Test("A line that a full disk cut off costs no other line")
    func partialLine() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/" + Self.name
        #expect(try JournalFile.append(Self.message("first"), folder: folder.path))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"time\":1,\"event\":\"ch".utf8))
        try handle.close()
        #expect(try JournalFile.append(Self.message("second"), folder: folder.path))
        let read = Self.read(folder.path)
        #expect(read.entries.map(\.text) == ["first", "second"])
        #expect(read.faults.map(\.text) == ["1 line cannot be read"] && read.faults.map(\.file) == [Self.name])
    }

    @Test("A full journal loses entries and is reported once, until an entry is written again")
    func full() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/s/" + Self.name
        try FileManager.default.createDirectory(atPath: folder.path + "/s", withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        try #require(truncate(path, JournalFile.maximumBytes - 10) == 0)
        let (losses, loss) = AsyncStream<String>.makeStream()
        let writer = JournalWriter(directory: folder.path) { loss.yield($0.description) }
        for _ in 0..<3 { writer.append(Self.message("lost"), session: "s") }
        await writer.flush()
        try #require(truncate(path, 0) == 0)
        writer.append(Self.message("kept"), session: "s")
        await writer.flush()
        loss.finish()
        var reports: [String] = []
        for await report in losses { reports.append(report) }
        #expect(reports.count == 1 && reports.first?.contains("64 MiB") == true, "\(reports)")
        #expect(writer.lost == 3)
        #expect(Self.read(folder.path + "/s").entries.map(\.text) == ["kept"])
    }

    @Test(
        "Links, pipes and folders in place of a journal are not written, and do not block the writer",
        .timeLimit(.minutes(1)))
    func otherFiles() async throws {
        let folder = TemporaryFolder()
        let target = folder.file("target")
        for name in ["link", "pipe", "folder"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        symlink(target, folder.path + "/link/" + Self.name)
        mkfifo(folder.path + "/pipe/" + Self.name, 0o600)
        mkdir(folder.path + "/folder/" + Self.name, 0o700)
        let writer = JournalWriter(directory: folder.path)
        for name in ["link", "pipe", "folder"] {
            writer.append(Self.message("a"), session: name)
            let read = Self.read(folder.path + "/" + name)
            #expect(read.entries.isEmpty && read.faults.count == 1, "\(name)")
        }
        await writer.flush()
        #expect(writer.lost == 3 && !FileManager.default.fileExists(atPath: target))
    }

    @Test("Entries beyond the limit of waiting ones are lost, and reported once until one is written")
    func limit() {
        let state = JournalWriterState()
        let taken = (0..<1_500).count { _ in state.begin(maximum: JournalWriter.maximumWaiting) }
        #expect(taken == JournalWriter.maximumWaiting && state.lost == 0)
        #expect(state.lose() && !state.lose())
        state.end(isLost: true)
        #expect(!state.lose())
        state.end(isLost: false)
        #expect(state.lose() && state.lost == 4 && state.begin(maximum: JournalWriter.maximumWaiting))
    }

    @Test("Damaged journals are read as far as possible")
    func damage() throws {
        var random = SeededGenerator(seed: 7)
        let line = try JSONEncoder().encode(Self.message("a \"quoted\" text \u{1F600}"))
        for _ in 0..<20_000 {
            var bytes = Array(line + Data("\n".utf8) + line)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let read = Self.parse(Data(bytes))
            #expect(read.entries.count + read.unreadable <= 9)
        }
        let tooLong = Data(repeating: UInt8(ascii: "a"), count: JournalFile.maximumLine + 1)
        let long = Self.parse(tooLong + Data("\n\n".utf8) + line)
        #expect(long.entries.count == 1 && long.unreadable == 1)
        let crowd = (0...JournalEntry.maximumParticipants).map {
            RecordingSource.Participant(id: "c\($0)", name: "Ada")
        }
        let crowded = try JSONEncoder().encode(JournalEntry(time: 0, event: .joined, participants: crowd))
        let refused = Self.parse(crowded + Data("\n".utf8) + line)
        #expect(refused.entries.count == 1 && refused.unreadable == 1)
    }

    private static func parse(_ data: Data) -> (entries: [JournalEntry], unreadable: Int) {
        var room = JournalFile.maximumEntries
        return JournalFile.parse(data, room: &room)
    }

    @Test("Lines and participants beyond the limit are not read, whatever the number of files, and are a fault")
    func maximumEntries() throws {
        let folder = TemporaryFolder()
        let pair = ["Ada", "Bo"].map { RecordingSource.Participant(id: $0, name: $0) }
        for day in 0..<3 {
            let time = Self.noon + Int64(day) * 86_400_000
            #expect(try JournalFile.append(Self.message("\(day)", at: time), folder: folder.path))
            let present = JournalEntry(time: time, event: .present, participants: pair)
            #expect(try JournalFile.append(present, folder: folder.path))
        }
        func read(_ limit: Int) -> (entries: [JournalEntry], faults: [JournalFault]) {
            JournalFile.read(folder: folder.path, from: Self.noon, to: Self.noon + 2 * 86_400_000, limit: limit)
        }
        #expect(read(12).entries.count == 6 && read(12).faults.isEmpty)
        // The second file has two lines and two participants: six of eight fit.
        #expect(read(6).entries.map(\.event) == [.chat, .present, .chat])
        #expect(read(6).faults.map(\.file) == ["journal-20260802.jsonl"])
        #expect(read(6).faults.map(\.text) == ["more than 6 lines and participants; the rest is left out"])
        // Lines that are no entries count too.
        var room = 3
        #expect(JournalFile.parse(Data("a\nb\nc\nd\n".utf8), room: &room).unreadable == 3 && room < 0)
    }

    @Test("Any number of participants is in lines that can be read, and entries of one millisecond stay in their order")
    func participants() throws {
        let folder = TemporaryFolder()
        // The longest names, of characters that JSON escapes.
        let large = (0..<30).map {
            RecordingSource.Participant(id: "c\($0)", name: String(repeating: "\u{1}", count: 4_096), identity: "u")
        }
        let small = (0..<1_234).map { RecordingSource.Participant(id: "d\($0)", name: "Ada") }
        for part in [large, small] {
            for entry in JournalEntry.entries(.present, of: part, time: Self.noon) {
                #expect(try JournalFile.append(entry, folder: folder.path))
            }
        }
        let read = Self.read(folder.path)
        #expect(read.faults.isEmpty && read.entries.flatMap { $0.participants ?? [] } == large + small)
        #expect(read.entries.allSatisfy { $0.event == .present })
        #expect(JournalEntry.entries(.left, of: [], time: Self.noon).isEmpty)
    }

    @Test(
        "Times that cannot be are no times of a file",
        arguments: [Int64.min, .max, -9_223_372_036_854, 9_223_372_036_855])
    func times(time: Int64) {
        let entry = Self.message("a", at: time)
        #expect(entry.time(after: .nanoseconds(1_785_585_600_000_000_000)) == nil || time == -9_223_372_036_854)
        #expect(SessionChat([entry], zero: .nanoseconds(1_785_585_600_000_000_000)).isEmpty)
    }
}
