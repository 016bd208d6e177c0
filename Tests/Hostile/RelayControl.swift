import Foundation
import HTTPCalls
import LoadGenerator

/// HTTP endpoints of the relay under test.
final class RelayControl: Sendable {
    let http: HTTPRelay
    private let caller = HTTPCaller(agent: "millrace hostile")

    init(address: String) throws {
        http = try HTTPRelay(address: address)
    }

    /// Returns the sums of `/metrics` by name.
    func metrics() async throws -> MetricsText { try await http.metrics() }

    /// Restarts ICE of a WHIP or WHEP resource (RFC 9725 section 4.4.2).
    /// - Returns: the relay's new user name fragment and password; nil if it refused.
    func restart(_ location: String, ufrag: String, password: String) async -> (ufrag: String, password: String)? {
        guard let target = HTTPTarget(location) else { return nil }
        let call = HTTPCall(
            method: "PATCH", target: target,
            fields: [("Content-Type", "application/trickle-ice-sdpfrag"), ("If-Match", "*")],
            body: Array("a=ice-ufrag:\(ufrag)\r\na=ice-pwd:\(password)\r\n".utf8))
        guard let answer = try? await caller.send(call, within: .seconds(30)), answer.status == 200 else { return nil }
        var values: [Substring: String] = [:]
        let text = String(decoding: answer.body, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = String(line[line.index(after: colon)...])
        }
        guard let ufrag = values["a=ice-ufrag"], let password = values["a=ice-pwd"] else { return nil }
        return (ufrag, password)
    }
}
