import ArgumentParser
import DTLS
import Foundation
import LoadGenerator
import MediaBase
import SDP
import SRTP

/// WHEP subscribers of any relay, one socket each, which `SinkLoop` reads. The first line of the input is an `EndpointsOrder`; each
/// further one is answered by a `SinkReport`, the first of which says that all are connected.
struct SubscribersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "subscribers", shouldDisplay: false)

    /// Number of subscribers that connect at the same time.
    private static let atATime = 8

    func run() async throws {
        let order = try EndpointsOrder.read()
        let relay = try order.relay()
        let loop = try SinkLoop(sinks: order.subscribers, base: order.base, host: order.address)
        var resources: [ConnectionResource] = []
        for first in stride(from: 0, to: order.subscribers, by: Self.atATime) {
            var orders: [SinkClientOrder] = []
            for index in first..<min(first + Self.atATime, order.subscribers) {
                let (client, resource) = try await subscribe(index, order, relay, loop.identity.fingerprint)
                orders.append(client)
                resources.append(resource)
            }
            try loop.connect(orders)
        }
        guard loop.isConnected else { throw BenchError("a subscriber did not connect to \(order.whep)") }
        try loop.run()
        for resource in resources { await relay.close(resource) }
    }

    /// Subscribes to one stream: subscribers are spread over the publishers' streams.
    private func subscribe(
        _ index: Int, _ order: EndpointsOrder, _ relay: HTTPRelay, _ fingerprint: CertificateFingerprint
    ) async throws -> (SinkClientOrder, ConnectionResource) {
        var random = SystemRandomNumberGenerator()
        let own = ICECredentials.random(using: &random)
        let track = SinkClient.offered(order.isVideo ? .video : .audio, mid: "0", sendsFeedback: order.feedback)
        let candidate = ICECandidate(
            foundation: "1", transport: .udp, priority: 2_130_706_431, host: order.address,
            port: UInt16(order.base + index))
        let offer = OfferMaker(credentials: own, fingerprint: fingerprint, candidates: [candidate]).view([track])
        let answered = try await relay.offer(
            offer.text, .subscribe, session: order.session, stream: order.stream(index % order.publishers))
        let answer = try Answer(parsing: answered.sdp.utf8, to: offer)
        // Names are not resolved, and a socket reaches addresses of its own IP version only.
        let paths = answer.candidates.filter {
            $0.transport == .udp && SocketAddress($0.host, port: $0.port) != nil
                && $0.host.contains(":") == order.address.contains(":")
        }.sorted { $0.priority > $1.priority }.map { SinkPath(host: $0.host, port: $0.port) }
        guard let agreed = answer.tracks.first?.track, let relayFingerprint = answer.peer.fingerprints.first,
            !paths.isEmpty
        else { throw BenchError("the relay's answer has no track, fingerprint or usable candidate") }
        let client = SinkClientOrder(
            index: index, fragment: own.ufrag, password: own.password, relayFragment: answer.peer.credentials.ufrag,
            relayPassword: answer.peer.credentials.password, fingerprint: relayFingerprint.description, paths: paths,
            relaySetup: answer.peer.setup, suite: order.suite, sendsFeedback: order.feedback, consentSeconds: 5,
            stopsHalfway: false, extensions: agreed.extensions,
            repairs: agreed.codecs.first?.rtxPayloadType?.rawValue)
        return (client, answered.resource)
    }
}
