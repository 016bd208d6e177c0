internal import ControlServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// WHIP and WHEP endpoints of any relay (RFC 9725): posts offers, reads the answers, and deletes the resources at the end.
package final class WHIPDoor: WebRTCRelayDoor {
    private let publish: EndpointTemplate
    private let view: EndpointTemplate
    private let metrics: PlainHTTPDoor?
    private let session: URLSession
    private let token: String?

    /// - Parameters:
    ///   - address: address of a Millrace relay, whose `/metrics` is read too; the templates take precedence over its own paths.
    ///   - token: sent as a Bearer token.
    package init(address: String?, whip: String?, whep: String?, token: String? = nil) throws(LoadError) {
        self.token = token
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
        if let address { metrics = try PlainHTTPDoor(address: address, token: token) } else { metrics = nil }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 15
        configuration.httpMaximumConnectionsPerHost = 16
        session = URLSession(configuration: configuration)
    }

    package func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer {
        let template = offer.direction == .publish ? publish : view
        let text = template.expanded(session: offer.session, stream: offer.stream)
        guard let url = URL(string: text) else { throw .door("\"\(text)\" is not a URL") }
        var call = URLRequest(url: url)
        call.httpMethod = "POST"
        call.setValue("application/sdp", forHTTPHeaderField: "Content-Type")
        call.setValue("application/sdp", forHTTPHeaderField: "Accept")
        call.httpBody = Data(offer.sdp.utf8)
        let (body, response) = try await perform(call)
        // RFC 9725 requires 201, but some relays answer 200.
        guard (200...201).contains(response.statusCode) else {
            throw PlainDoorAnswer.refusal(status: response.statusCode, body: body)
        }
        let location = response.value(forHTTPHeaderField: "Location")
            .flatMap { URL(string: $0, relativeTo: response.url ?? url)?.absoluteString }
        return ConnectionAnswer(sdp: String(decoding: body, as: UTF8.self), resource: .location(location))
    }

    package func close(_ resource: ConnectionResource) async {
        guard case .location(let location?) = resource, let url = URL(string: location) else { return }
        var call = URLRequest(url: url)
        call.httpMethod = "DELETE"
        _ = try? await perform(call)
    }

    package func usage() async -> RelayUsage? { await metrics?.usage() }

    package func stop() async {
        session.invalidateAndCancel()
        await metrics?.stop()
    }

    private func perform(_ request: URLRequest) async throws(LoadError) -> (Data, HTTPURLResponse) {
        var request = request
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        do {
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw LoadError.door("not an HTTP answer") }
            return (data, response)
        } catch let error as LoadError { throw error } catch {
            throw .door("no answer from \(request.url?.absoluteString ?? ""): \(ConnectionFailure(error))")
        }
    }
}
