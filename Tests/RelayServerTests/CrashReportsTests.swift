import Foundation
import Testing

@testable import RelayServer

@Suite("The directory of crash reports")
struct CrashReportsTests {
    private func withDirectory(_ body: (String, CrashReports) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path, CrashReports(directory: path))
    }

    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("a run without a crash leaves no file")
    func cleanRun() throws {
        try withDirectory { path, reports in
            #expect(reports.takeNew().isEmpty && reports.paths.isEmpty)
            let file = try reports.begin(now: Date(timeIntervalSince1970: 1_700_000_000), process: 42)
            #expect(names(path) == ["crash-20231114T221320Z-42.open"])
            #expect(try permissions(path) == 0o700)
            #expect(try permissions(path + "/" + file.openName) == 0o600)
            reports.end(file)
            #expect(names(path).isEmpty)
        }
    }

    @Test("a report is taken as new once, and kept")
    func takenOnce() throws {
        try withDirectory { path, reports in
            let file = try reports.begin(process: 1)
            try Data("report".utf8).write(to: URL(filePath: path + "/crash-20260101T000000Z-9.new"))
            // The file of the running process does not count as a report.
            #expect(reports.takeNew() == [path + "/crash-20260101T000000Z-9.txt"])
            #expect(reports.takeNew().isEmpty)
            #expect(reports.paths == [path + "/crash-20260101T000000Z-9.txt"])
            #expect(names(path).contains(file.openName))
        }
    }

    @Test("an empty file of a killed process is removed, and one with part of a report is kept as a report")
    func leftovers() throws {
        try withDirectory { path, reports in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: path + "/crash-20260101T000000Z-1.open"))
            try Data("part".utf8).write(to: URL(filePath: path + "/crash-20260101T000000Z-2.open"))
            try Data("other".utf8).write(to: URL(filePath: path + "/notes.open"))
            #expect(reports.takeNew() == [path + "/crash-20260101T000000Z-2.txt"])
            #expect(names(path) == ["crash-20260101T000000Z-2.txt", "notes.open"])
        }
    }

    @Test("the oldest reports beyond the limit are removed")
    func limit() throws {
        try withDirectory { path, reports in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for day in 10...29 {
                let suffix = day < 20 ? "txt" : "new"
                try Data("r".utf8).write(to: URL(filePath: path + "/crash-202601\(day)T000000Z-1.\(suffix)"))
            }
            #expect(reports.takeNew().count == 10)
            #expect(reports.paths.count == CrashReports.maximumCount)
            #expect(reports.paths.first?.contains("20260114") == true)
        }
    }

    @Test("a directory that cannot be created is an error that names it")
    func unusable() {
        #expect {
            try CrashReports(directory: "/proc/self/status/crash").begin()
        } throws: {
            "\($0)".contains("/proc/self/status/crash")
        }
    }

    @Test("the directory is the configured one, else a subdirectory of the storage directory, else none")
    func defaultDirectory() {
        var configuration = RelayConfiguration()
        #expect(configuration.crashReports == nil)
        configuration.storageDirectory = "/var/lib/a"
        #expect(configuration.crashReports == CrashReports(directory: "/var/lib/a/crash"))
        configuration.crashDirectory = "/var/lib/b"
        #expect(configuration.crashReports == CrashReports(directory: "/var/lib/b"))
    }
}
