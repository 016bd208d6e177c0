import MediaBase
import MillraceTestKit
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A publisher and subscribers around a `PassingRelay`, in virtual time.
final class PeerSession {
    let network: VirtualNetwork
    let relay: PassingRelay
    let publisher: SyntheticPublisher
    var subscribers: [SyntheticSubscriber] = []
    var ends: [TransportEnd] = []
    var connectedAt: MediaTime?
    private(set) var random: SeededGenerator

    static let publisherAddress = SocketAddress("10.0.0.2", port: 5000)!
    static func subscriberAddress(_ n: Int) -> SocketAddress { SocketAddress("10.0.1.\(n + 1)", port: 5000)! }

    init(
        seed: UInt64, retransmits: Bool = true, rids: [RID] = [], encodings: [SyntheticVideo.Encoding]? = nil,
        temporalLayers: Int = 1, conditions: LinkConditions = LinkConditions(delay: .milliseconds(10)),
        _ change: (inout WebRTCEndpoint.Configuration) -> Void = { _ in }
    ) throws {
        random = SeededGenerator(seed: seed)
        network = VirtualNetwork(seed: seed)
        network.conditions = conditions
        relay = PassingRelay(network, seed: seed &+ 1)
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: PassingRelay.clientIdentity, rids: rids, retransmits: retransmits, using: &random)
        change(&configuration)
        let endpoint = WebRTCEndpoint(configuration, random: SeededGenerator(seed: random.next()))
        publisher = SyntheticPublisher(
            endpoint, source: 77,
            video: SyntheticVideo(
                source: 77, encodings: encodings ?? [.init(width: 640, height: 360, bitrate: .kilobits(800))],
                temporalLayers: temporalLayers))
        let answer = try relay.admit(endpoint.offer, at: Self.publisherAddress)
        try endpoint.accept(answer.utf8, now: network.now)
        network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in
                    publisher.receive(datagram, from: PeerAddress(from), now: now)
                    drainPublisher(now)
                },
                deadline: { [unowned self] in publisher.deadline },
                handleTimeout: { [unowned self] now in
                    publisher.handleTimeout(now: now)
                    drainPublisher(now)
                }), at: [Self.publisherAddress])
        drainPublisher(network.now)
    }

    private func drainPublisher(_ now: MediaTime) {
        while let output = publisher.nextOutput(now: now) {
            switch output {
            case .transmit(let bytes, let to): network.send(bytes, from: Self.publisherAddress, to: to.address)
            case .connected: connectedAt = now
            case .ended(let reason): ends.append(reason)
            default: break
            }
        }
    }

    @discardableResult
    func addSubscriber(
        retransmits: Bool = true, _ change: (inout WebRTCEndpoint.Configuration) -> Void = { _ in }
    ) throws -> SyntheticSubscriber {
        var configuration = WebRTCEndpoint.Configuration.subscriber(
            identity: PassingRelay.clientIdentity, retransmits: retransmits, using: &random)
        change(&configuration)
        let endpoint = WebRTCEndpoint(configuration, random: SeededGenerator(seed: random.next()))
        let subscriber = SyntheticSubscriber(endpoint, source: 77)
        let address = Self.subscriberAddress(subscribers.count)
        subscribers.append(subscriber)
        let answer = try relay.admit(
            endpoint.offer, sources: publisher.endpoint.configuration.tracks, at: address)
        try endpoint.accept(answer.utf8, now: network.now)
        let drain = { [unowned self] in
            while let output = subscriber.nextOutput() {
                switch output {
                case .transmit(let bytes, let to): network.send(bytes, from: address, to: to.address)
                case .ended(let reason): ends.append(reason)
                default: break
                }
            }
        }
        network.add(
            VirtualEndpoint(
                receive: { datagram, from, _, now in
                    subscriber.receive(datagram, from: PeerAddress(from), now: now)
                    drain()
                }, deadline: { subscriber.deadline },
                handleTimeout: { now in
                    subscriber.handleTimeout(now: now)
                    drain()
                }), at: [address])
        drain()
        return subscriber
    }

    func run(seconds: Double) { network.run(until: network.now + .seconds(seconds)) }
}
