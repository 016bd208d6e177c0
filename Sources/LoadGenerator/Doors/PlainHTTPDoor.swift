internal import ControlServer
import Foundation
package import MediaEngine

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Client of a relay's HTTP endpoint for plain transports (`POST /v1/sessions/{session}/plain`); reads the relay's usage from `/metrics`.
package final class PlainHTTPDoor: RelayDoor {
    private let base: URL
    private let session: URLSession
    private let token: String?

    /// - Parameters:
    ///   - address: the relay's address, e.g. `http://127.0.0.1:7880`; a bare `host:port` means http.
    ///   - token: the relay's admin token, if it has one.
    package init(address: String, token: String? = nil) throws(LoadError) {
        self.token = token
        let text = address.contains("://") ? address : "http://" + address
        guard let url = URL(string: text), let scheme = url.scheme, scheme == "http" || scheme == "https",
            url.host?.isEmpty == false
        else { throw .invalidSetting("url", reason: "\"\(address)\" is not an http or https address") }
        base = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 15
        configuration.httpMaximumConnectionsPerHost = 16
        session = URLSession(configuration: configuration)
    }

    package func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        var call = URLRequest(url: plainDoor(of: request.session))
        call.httpMethod = "POST"
        call.setValue("application/json", forHTTPHeaderField: "Content-Type")
        do { call.httpBody = try JSONEncoder().encode(PlainDoorRequest(request)) } catch {
            throw .door("the request cannot be written as JSON: \(error)")
        }
        let (body, status) = try await perform(call)
        guard status == 201 else {
            throw PlainDoorAnswer.refusal(status: status, body: body)
        }
        let answer: PlainDoorAnswer
        do { answer = try JSONDecoder().decode(PlainDoorAnswer.self, from: body) } catch {
            throw .door("unexpected answer to POST \(call.url?.path ?? ""): \(error)")
        }
        return try answer.transport()
    }

    package func close(_ transport: PlainTransport) async {
        var call = URLRequest(url: plainDoor(of: transport.session).appendingPathComponent(transport.id.rawValue))
        call.httpMethod = "DELETE"
        _ = try? await perform(call)
    }

    package func usage() async -> RelayUsage? {
        let call = URLRequest(url: base.appendingPathComponent("metrics"))
        guard let (body, status) = try? await perform(call), status == 200 else { return nil }
        return MetricsText(String(decoding: body, as: UTF8.self)).usage
    }

    package func stop() async { session.invalidateAndCancel() }

    private func plainDoor(of session: String) -> URL {
        base.appendingPathComponent("v1/sessions").appendingPathComponent(session).appendingPathComponent("plain")
    }

    private func perform(_ request: URLRequest) async throws(LoadError) -> (Data, Int) {
        var request = request
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        do {
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw LoadError.door("not an HTTP answer") }
            return (data, response.statusCode)
        } catch let error as LoadError { throw error } catch {
            throw .door("no answer from \(base.absoluteString): \(ConnectionFailure(error))")
        }
    }
}
