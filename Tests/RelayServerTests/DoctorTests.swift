import Foundation
import Testing

@testable import RelayServer

@Suite("millrace doctor")
struct DoctorTests {
    private var configuration: RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        return configuration
    }

    @Test func looksAtEverything() throws {
        let findings = Doctor(configuration: configuration).examine()
        let checks = findings.map(\.check)
        for check in [
            "kernel", "processors", "clock", "time", "cpu", "crypto cm", "crypto gcm", "udp gso", "udp gro",
            "raw egress", "ipv6",
            "certificate", "open files",
        ] {
            #expect(checks.contains(check), "\(check)")
        }
        for finding in findings where finding.level != .ok { #expect(finding.advice != nil, "\(finding.check)") }
        let decoded = try JSONDecoder().decode([DoctorFinding].self, from: Data(try Doctor.json(findings).utf8))
        #expect(decoded == findings)
        #expect(Doctor.text(findings).split(separator: "\n").count >= findings.count)
    }

    @Test(
        "raw egress that is chosen causes a warning if it is not permitted or may bypass rules",
        arguments: [
            ("0.0.0.0", nil, 0, DoctorFinding.Level.ok), ("0.0.0.0", EPERM, 0, .warn), ("0.0.0.0", nil, 7, .warn),
            ("::", nil, 0, .warn),
        ])
    func rawEgress(media: String, error: Int32?, tracked: Int, level: DoctorFinding.Level) {
        var configuration = configuration
        configuration.mediaAddress = media
        configuration.mediaRawEgress = .automatic
        let finding = Doctor(configuration: configuration).rawEgress(error: error, trackedConnections: tracked)
        #expect(finding.level == level)
        configuration.mediaRawEgress = .off
        #expect(Doctor(configuration: configuration).rawEgress().level == .ok)
    }

    @Test func aTakenPortFails() async throws {
        try await withRelay { relay, _ in
            var configuration = configuration
            configuration.httpPort = relay.httpPort
            let finding = Doctor(configuration: configuration).ports().first { $0.check == "tcp \(relay.httpPort)" }
            #expect(finding?.level == .fail)
            #expect(finding?.advice != nil)
        }
    }

    @Test(
        "addresses that clients cannot use cause a warning",
        arguments: [
            ("0.0.0.0", "127.0.0.1", "127.0.0.1", [DoctorFinding.Level.ok]),
            ("0.0.0.0", "127.0.0.1,192.0.2.1", "0.0.0.0", [.warn, .ok]),
            ("0.0.0.0", "192.0.2.1,2001:db8::1", "0.0.0.0", [.ok, .warn]),
            ("::", "192.0.2.1,2001:db8::1", "::", [.ok, .ok]),
        ])
    func advertised(media: String, advertised: String, http: String, levels: [DoctorFinding.Level]) {
        var configuration = configuration
        configuration.mediaAddress = media
        configuration.mediaAdvertised = advertised
        configuration.httpAddress = http
        let findings = Doctor(configuration: configuration).network().filter { $0.check.hasPrefix("address ") }
        #expect(findings.map(\.level) == levels)
    }

    @Test(
        "private addresses of a host that others reach cause a warning, unless the operator named them",
        arguments: [
            ("0.0.0.0", "", ["10.0.0.5", "127.0.0.1"], [DoctorFinding.Level.warn, .warn]),
            ("0.0.0.0", "", ["10.0.0.5", "192.0.2.1"], [.ok, .ok]), ("0.0.0.0", "10.0.0.5", ["10.0.0.5"], [.ok]),
            ("127.0.0.1", "", ["10.0.0.5", "127.0.0.1"], [.ok, .ok]),
            ("0.0.0.0", "", ["172.15.0.1"], [.ok]), ("0.0.0.0", "", ["172.16.0.1"], [.warn]),
            ("0.0.0.0", "", ["172.31.255.1"], [.warn]), ("0.0.0.0", "", ["100.64.0.1"], [.warn]),
        ])
    func privateAddresses(http: String, named: String, addresses: [String], levels: [DoctorFinding.Level]) {
        var configuration = configuration
        configuration.httpAddress = http
        configuration.mediaAdvertised = named
        #expect(Doctor(configuration: configuration).advertised(addresses).map(\.level) == levels)
    }

    @Test(
        "a clock that no time service keeps causes a warning",
        arguments: [(Int32(1), DoctorFinding.Level.ok), (0, .warn), (-1, .ok)])
    func time(isSynchronised: Int32, level: DoctorFinding.Level) {
        #expect(Doctor(configuration: configuration).time(isSynchronised: isSynchronised).level == level)
    }

    @Test("a directory that cannot be used fails", arguments: ["recordings", "database", "reports"])
    func anUnusableDirectoryFails(check: String) {
        var configuration = configuration
        let path = "/proc/self/status/folder"
        switch check {
        case "recordings": configuration.record = path
        case "database": configuration.storageDirectory = path
        default: configuration.issuesDirectory = path
        }
        #expect(Doctor(configuration: configuration).process().contains { $0.check == check && $0.level == .fail })
    }
}
