import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite struct RecordingFileTests {
    @Test(arguments: [
        ("cam1", "cam1"), ("../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"), ("/root", "%2froot"),
        (".hidden", "%2ehidden"),
        ("-rf", "%2drf"), ("a b\u{0}c", "a%20b%00c"), ("", "%"), ("é", "%c3%a9"), ("a%2f", "a%252f"), ("..", "%2e."),
    ])
    func namesCannotLeaveTheFolder(name: String, safe: String) {
        #expect(RecordingFileName.safe(name) == safe)
        #expect(!RecordingFileName.safe(name).contains("/"))
    }

    @Test func longNamesAreCutAndStayDifferent() {
        let a = RecordingFileName.safe(String(repeating: "x", count: 5000) + "a")
        let b = RecordingFileName.safe(String(repeating: "x", count: 5000) + "b")
        #expect(a != b && a.utf8.count <= 80 && b.utf8.count <= 80)
    }

    @Test(arguments: [
        (Int64(0), "19700101T000000.000Z"), (1_785_585_600_250_000_000, "20260801T120000.250Z"),
        (951_782_400_000_000_000, "20000229T000000.000Z"), (-1_000_000, "19691231T235959.999Z"),
        (4_102_444_799_999_999_999, "20991231T235959.999Z"),
    ])
    func timesAreUTC(nanoseconds: Int64, text: String) {
        #expect(UTCTime(unixNanoseconds: nanoseconds).basic == text)
        #expect(RecordingFileName.file(stream: "s", startedAt: nanoseconds) == "s-\(text).webm")
        #expect(RecordingFileName.file(stream: "s", startedAt: nanoseconds, attempt: 1) == "s-\(text)-2.webm")
    }

    @Test func indexAlignsFilesAndSurvivesARestart() throws {
        let folder = TemporaryFolder()
        func entry(_ stream: String, _ seconds: Int64) -> RecordingIndex.Entry {
            RecordingIndex.Entry(
                stream: stream, file: "\(stream).webm", start: "", startUnixNanoseconds: seconds * 1_000_000_000,
                tracks: ["video"])
        }
        let first = try RecordingIndex(session: "s", directory: folder.path + "/s")
        try first.set(entry("b", 1002))
        try first.set(entry("a", 1000))
        #expect(first.entries.map(\.offset) == [2, 0])
        let second = try RecordingIndex(session: "s", directory: folder.path + "/s")
        try second.set(entry("c", 1005))
        #expect(second.entries.map(\.offset) == [2, 0, 5])

        // A damaged index is set aside, not deleted.
        let path = folder.path + "/s/index.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        let third = try RecordingIndex(session: "s", directory: folder.path + "/s")
        #expect(third.entries.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/s").count == 1)
    }

    @Test func indexThatCannotBeWrittenIsTyped() {
        let error = #expect(throws: RecordingError.self) {
            try RecordingIndex(session: "s", directory: "/proc/nothing/here")
        }
        #expect(error?.code == "directory")
    }
}
