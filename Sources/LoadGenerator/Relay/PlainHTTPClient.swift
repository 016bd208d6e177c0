import Foundation
import HTTPCalls
package import MediaEngine

/// Client of a relay's HTTP endpoint for plain transports (`POST /v1/sessions/{session}/plain`); reads the relay's usage from `/metrics`.
package final class PlainHTTPClient: PlainRelay {
    private let base: HTTPTarget
    private let http: RelayHTTP

    /// - Parameters:
    ///   - address: the relay's address, e.g. `http://127.0.0.1:7880`; a bare `host:port` means http.
    ///   - token: the relay's admin token, if it has one.
    package init(address: String, token: String? = nil) throws(LoadError) {
        guard let base = HTTPTarget(address.contains("://") ? address : "http://" + address) else {
            throw .invalidSetting("url", reason: "\"\(address)\" is not an http or https address")
        }
        self.base = base
        http = RelayHTTP(token: token)
    }

    package func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        let body: Data
        do { body = try JSONEncoder().encode(PlainTransportBody(request)) } catch {
            throw .noAnswer("the request cannot be written as JSON: \(error)")
        }
        let target = endpoint(of: request.session)
        let answer = try await http.send(
            "POST", target, fields: [("Content-Type", "application/json")], body: Array(body))
        guard answer.status == 201 else { throw RelayHTTP.refusal(answer) }
        let opened: PlainTransportReply
        do { opened = try JSONDecoder().decode(PlainTransportReply.self, from: Data(answer.body)) } catch {
            throw .noAnswer("the relay's answer to POST \(target) is not what was expected: \(error)")
        }
        return try opened.transport()
    }

    package func close(_ transport: PlainTransport) async {
        let target = endpoint(of: transport.session).appending("/" + HTTPTarget.percentEncoded(transport.id.rawValue))
        _ = try? await http.send("DELETE", target)
    }

    package func usage() async -> RelayUsage? { try? await metrics().usage }

    package func metrics() async throws(LoadError) -> MetricsText {
        let answer = try await http.send("GET", base.appending("/metrics"))
        guard answer.status == 200 else { throw .noAnswer("/metrics was answered with status \(answer.status)") }
        return MetricsText(String(decoding: answer.body, as: UTF8.self))
    }

    private func endpoint(of session: String) -> HTTPTarget {
        base.appending("/v1/sessions/\(HTTPTarget.percentEncoded(session))/plain")
    }
}
