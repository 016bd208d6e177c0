import ControlServer
import Foundation
import Logging
import MillraceTestKit
import Signaling
import Testing

@Suite("ISS-1 Stored reports are bounded")
struct IssueArchiveTests {
    private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func head(_ number: Int) -> IssueHead {
        IssueHead(
            app: "shop", session: "lobby", sessionID: SessionID(rawValue: "s"),
            connection: ConnectionID(rawValue: "c"), note: "n\(number)", reportedAt: Int64(number))
    }

    @Test("ISS-1 the newest reports are kept, in memory and on disk", arguments: [false, true])
    func bounded(isOnDisk: Bool) async throws {
        let folder = TemporaryFolder()
        let directory = isOnDisk ? folder.path + "/issues" : nil
        let archive = try IssueArchive(count: 3, bytes: 100, directory: directory, logger: quiet)
        var ids: [String] = []
        for number in 0..<5 {
            ids.append(try await archive.keep(head(number), bundle: Array("{\"n\":\(number)}".utf8)))
        }
        #expect(Set(ids).count == 5)
        #expect(try await archive.issues(after: nil, limit: 10).map(\.head.note) == ["n4", "n3", "n2"])
        #expect(try await archive.issues(after: ids[3], limit: 10).map(\.id) == [ids[2]])
        #expect(try await archive.issues(after: nil, limit: 1).map(\.id) == [ids[4]])
        #expect(try await archive.issue(ids[4]).bundle == Array("{\"n\":4}".utf8))
        for id in [ids[0], "", "../../etc/passwd", ids[4] + "x"] {
            let error = await #expect(throws: SignalingError.self) { try await archive.issue(id) }
            #expect(error?.code == .unknownIssue)
        }
        let large = await #expect(throws: SignalingError.self) {
            try await archive.keep(head(9), bundle: [UInt8](repeating: 32, count: 101))
        }
        #expect(large?.code == .limitReached && large?.limit == "issues.bytes")
        let statistics = await archive.statistics()
        #expect(statistics.kept == 3 && statistics.bytes == 21 && statistics.reported == 5 && statistics.refused == 1)
        if let directory {
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 6)
        }
    }

    @Test func reportsOnDiskOutliveTheRelay() async throws {
        let folder = TemporaryFolder()
        let first = try IssueArchive(count: 3, directory: folder.path, logger: quiet)
        var ids: [String] = []
        for number in 0..<3 { ids.append(try await first.keep(head(number), bundle: [123, 125])) }
        try Data("{}".utf8).write(to: URL(filePath: folder.path + "/stranger.head.json"))
        let second = try IssueArchive(count: 2, directory: folder.path, logger: quiet)
        #expect(try await second.issues(after: nil, limit: 9).map(\.id) == [ids[2], ids[1]])
        #expect(try await second.issue(ids[1]).entry.head == head(1))
        await #expect(throws: SignalingError.self) { try await second.issue(ids[0]) }
    }

    @Test func aDiskThatFailsIsAnErrorOfTheReportAlone() async throws {
        let folder = TemporaryFolder()
        let directory = folder.path + "/issues"
        let archive = try IssueArchive(directory: directory, logger: quiet)
        try FileManager.default.removeItem(atPath: directory)
        let error = await #expect(throws: SignalingError.self) { try await archive.keep(head(1), bundle: [123, 125]) }
        #expect(error?.code == .internalError)
        #expect(await archive.statistics().refused == 1)
        #expect(throws: (any Error).self) {
            try IssueArchive(directory: "/proc/self/status/issues", logger: quiet)
        }
    }
}
