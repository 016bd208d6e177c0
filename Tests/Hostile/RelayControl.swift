import Foundation
import LoadGenerator

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP endpoints of the relay under test.
final class RelayControl: Sendable {
    let plain: PlainHTTPDoor
    let whip: WHIPDoor
    private let base: URL
    private let session: URLSession

    init(address: String) throws {
        plain = try PlainHTTPDoor(address: address)
        whip = try WHIPDoor(address: address, whip: nil, whep: nil)
        guard let base = URL(string: address) else { throw HostileError.relay("\"\(address)\" is no URL") }
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        session = URLSession(configuration: configuration)
    }

    /// Sums of `/metrics` by name.
    func metrics() async throws -> MetricsText {
        let (data, response) = try await session.data(from: base.appendingPathComponent("metrics"))
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw HostileError.relay("/metrics was not answered with 200")
        }
        return MetricsText(String(decoding: data, as: UTF8.self))
    }

    /// Restarts ICE of a WHIP or WHEP resource (RFC 9725 section 4.4.2).
    /// - Returns: the relay's new user name fragment and password; nil if it refused.
    func restart(_ location: String, ufrag: String, password: String) async -> (ufrag: String, password: String)? {
        guard let url = URL(string: location) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = "PATCH"
        request.setValue("application/trickle-ice-sdpfrag", forHTTPHeaderField: "Content-Type")
        request.setValue("*", forHTTPHeaderField: "If-Match")
        request.httpBody = Data("a=ice-ufrag:\(ufrag)\r\na=ice-pwd:\(password)\r\n".utf8)
        guard let (data, response) = try? await session.data(for: request),
            (response as? HTTPURLResponse)?.statusCode == 200
        else { return nil }
        var values: [Substring: String] = [:]
        let text = String(decoding: data, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = String(line[line.index(after: colon)...])
        }
        guard let ufrag = values["a=ice-ufrag"], let password = values["a=ice-pwd"] else { return nil }
        return (ufrag, password)
    }
}
