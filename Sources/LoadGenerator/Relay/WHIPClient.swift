import Foundation
import HTTPCalls

/// WHIP and WHEP endpoints of any relay (RFC 9725): posts offers, reads the answers, and deletes the resources at the end.
package final class WHIPClient: WebRTCRelay {
    private let publish: EndpointTemplate
    private let view: EndpointTemplate
    private let metrics: PlainHTTPClient?
    private let http: RelayHTTP

    /// - Parameters:
    ///   - address: address of a Millrace relay, whose `/metrics` is read too; the templates take precedence over its own paths.
    ///   - token: sent as a Bearer token.
    package init(address: String?, whip: String?, whep: String?, token: String? = nil) throws(LoadError) {
        http = RelayHTTP(token: token)
        if let whip {
            publish = try EndpointTemplate(whip, option: "whip")
        } else if let address {
            publish = try .whip(of: address)
        } else {
            throw .invalidSetting("whip", reason: "give the publishers' endpoint (--whip or --url)")
        }
        if let whep {
            view = try EndpointTemplate(whep, option: "whep")
        } else if let address {
            view = try .whep(of: address)
        } else {
            throw .invalidSetting("whep", reason: "give the subscribers' endpoint (--whep or --url)")
        }
        if let address { metrics = try PlainHTTPClient(address: address, token: token) } else { metrics = nil }
    }

    package func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer {
        let template = offer.direction == .publish ? publish : view
        let text = template.expanded(session: offer.session, stream: offer.stream)
        guard let target = HTTPTarget(text) else { throw .noAnswer("\"\(text)\" is no http or https URL") }
        let answer = try await http.send(
            "POST", target, fields: [("Content-Type", "application/sdp"), ("Accept", "application/sdp")],
            body: Array(offer.sdp.utf8))
        // RFC 9725 section 4.2 says 201; some relays answer 200.
        guard (200...201).contains(answer.status) else { throw RelayHTTP.refusal(answer) }
        let location = answer.fields["location"]
            .flatMap { URL(string: $0, relativeTo: URL(string: text))?.absoluteString }
        return ConnectionAnswer(sdp: String(decoding: answer.body, as: UTF8.self), resource: .location(location))
    }

    package func close(_ resource: ConnectionResource) async {
        guard case .location(let location?) = resource, let target = HTTPTarget(location) else { return }
        _ = try? await http.send("DELETE", target)
    }

    package func usage() async -> RelayUsage? { await metrics?.usage() }
}
