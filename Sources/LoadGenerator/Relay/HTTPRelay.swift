import ControlServer
import Foundation
package import HTTPCalls
package import MediaEngine

/// Relay behind HTTP: the plain transports (`POST /v1/sessions/{session}/plain`) and `/metrics` of a Millrace relay, and the WHIP and
/// WHEP endpoints of any relay (RFC 9725).
package final class HTTPRelay: RelayInterface {
    /// Address of a Millrace relay; nil: a relay of which only the WHIP and WHEP endpoints are known.
    private let base: HTTPTarget?
    private let whip: EndpointTemplate
    private let whep: EndpointTemplate
    private let token: String?
    private let caller = HTTPCaller(agent: "millrace load")

    private static let timeLimit = Duration.seconds(15)

    /// - Parameters:
    ///   - address: address of a Millrace relay, e.g. `http://127.0.0.1:7880`; a bare `host:port` means http.
    ///   - whip: template of the publishers' endpoint; nil: the path below `address`. `whep` is the same for subscribers.
    ///   - token: sent as a Bearer token, if there is one.
    package init(
        address: String?, whip: String? = nil, whep: String? = nil, token: String? = nil
    ) throws(LoadError) {
        base = address.flatMap { HTTPTarget(EndpointTemplate.url(of: $0)) }
        try LoadError.check(
            address == nil || base != nil, "url", "\"\(address ?? "")\" is not an http or https address")
        self.whip = try .endpoint(.publish, whip, relay: address)
        self.whep = try .endpoint(.subscribe, whep, relay: address)
        self.token = token
    }

    package func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        let body: Data
        do { body = try JSONEncoder().encode(PlainTransportBody(request)) } catch {
            throw .noAnswer("the request cannot be written as JSON: \(error)")
        }
        let target = try endpoint("/v1/sessions/\(HTTPTarget.percentEncoded(request.session))/plain")
        let answer = try await send("POST", target, fields: [("Content-Type", "application/json")], body: Array(body))
        guard answer.status == 201 else { throw Self.refusal(answer) }
        let opened: PlainTransportAnswer
        do { opened = try JSONDecoder().decode(PlainTransportAnswer.self, from: Data(answer.body)) } catch {
            throw .noAnswer("the relay's answer to POST \(target) is not what was expected: \(error)")
        }
        do { return try opened.transport() } catch {
            throw .noAnswer("the relay's answer to POST \(target) is unusable: \(error.field ?? ""): \(error.detail)")
        }
    }

    package func close(_ transport: PlainTransport) async {
        let (session, id) = (transport.session, transport.id.rawValue)
        let path = "/v1/sessions/\(HTTPTarget.percentEncoded(session))/plain/\(HTTPTarget.percentEncoded(id))"
        if let target = try? endpoint(path) { _ = try? await send("DELETE", target) }
    }

    package func offer(
        _ sdp: String, _ direction: WebRTCRequest.Direction, session: String, stream: String
    ) async throws(LoadError) -> ConnectionAnswer {
        let template = direction == .publish ? whip : whep
        let text = template.expanded(session: session, stream: stream)
        guard let target = HTTPTarget(text) else { throw .noAnswer("\"\(text)\" is no http or https URL") }
        let answer = try await send(
            "POST", target, fields: [("Content-Type", "application/sdp"), ("Accept", "application/sdp")],
            body: Array(sdp.utf8))
        // RFC 9725 section 4.2 says 201; some relays answer 200.
        guard (200...201).contains(answer.status) else { throw Self.refusal(answer) }
        let location = answer.fields["location"]
            .flatMap { URL(string: $0, relativeTo: URL(string: text))?.absoluteString }
        return ConnectionAnswer(sdp: String(decoding: answer.body, as: UTF8.self), resource: .location(location))
    }

    package func close(_ resource: ConnectionResource) async {
        guard case .location(let location?) = resource, let target = HTTPTarget(location) else { return }
        _ = try? await send("DELETE", target)
    }

    package func usage() async -> RelayUsage? { (try? await metrics()).flatMap { RelayUsage($0) } }

    package func metrics() async throws(LoadError) -> MetricsText {
        let answer = try await send("GET", try endpoint("/metrics"))
        guard answer.status == 200 else { throw .noAnswer("/metrics was answered with status \(answer.status)") }
        return MetricsText(String(decoding: answer.body, as: UTF8.self))
    }

    package func stop() async {}

    private func endpoint(_ path: String) throws(LoadError) -> HTTPTarget {
        guard let base else { throw .invalidSetting("url", reason: "the relay's address is not known") }
        return base.appending(path)
    }

    private func send(
        _ method: String, _ target: HTTPTarget, fields: [(String, String)] = [], body: [UInt8] = []
    ) async throws(LoadError) -> HTTPCallAnswer {
        var call = HTTPCall(method: method, target: target, fields: fields, body: body)
        if let token { call.fields.append(("Authorization", "Bearer \(token)")) }
        do { return try await caller.send(call, within: Self.timeLimit) } catch {
            throw .noAnswer("no answer: \(error)")
        }
    }

    /// Returns the error for an answer whose status is not a success.
    private static func refusal(_ answer: HTTPCallAnswer) -> LoadError {
        guard let problem = ProblemDetails(Data(answer.body)) else {
            return .noAnswer(
                "HTTP \(answer.status) without a relay's error code; check that the address is that of a relay")
        }
        return .refused(
            status: answer.status, code: problem.code, detail: problem.detail ?? problem.title ?? "no reason given")
    }
}
