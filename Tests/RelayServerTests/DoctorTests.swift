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
            "kernel", "processors", "clock", "cpu", "crypto cm", "crypto gcm", "udp gso", "udp gro", "open files",
        ] {
            #expect(checks.contains(check), "\(check)")
        }
        for finding in findings where finding.level != .ok { #expect(finding.advice != nil, "\(finding.check)") }
        let decoded = try JSONDecoder().decode([DoctorFinding].self, from: Data(try Doctor.json(findings).utf8))
        #expect(decoded == findings)
        #expect(Doctor.text(findings).split(separator: "\n").count >= findings.count)
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

    @Test func anUnusableDirectoryFails() {
        var configuration = configuration
        configuration.record = "/proc/self/status/recordings"
        #expect(
            Doctor(configuration: configuration).process().contains { $0.check == "recordings" && $0.level == .fail })
    }
}
