import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A WebRTC client in a `VirtualCall`: a publisher or a subscriber of synthetic media.
final class VirtualClient {
    enum Role {
        case publisher(SyntheticPublisher)
        case subscriber(SyntheticSubscriber)
    }

    let id: TransportID
    let session: String
    let stream: String
    /// Candidates of the relay's answer.
    let candidates: [ICECandidate]
    let endpoint: WebRTCEndpoint
    private(set) var role: Role
    private(set) var address: SocketAddress
    private(set) var connectedAt: MediaTime?
    private(set) var end: TransportEnd?
    private(set) var audio = SequenceWatch()
    private(set) var frames = SequenceWatch()
    /// Changes a datagram before it is sent; nil drops it.
    var alter: (([UInt8]) -> [UInt8]?)?
    private let network: VirtualNetwork
    private var endpointID: VirtualNetwork.ID = 0

    init(
        _ role: Role, _ endpoint: WebRTCEndpoint, answer: WebRTCAnswer, at address: SocketAddress,
        in network: VirtualNetwork
    ) {
        self.role = role
        self.endpoint = endpoint
        id = answer.id
        session = answer.session
        stream = answer.stream
        candidates = answer.candidates
        self.address = address
        self.network = network
        watch()
        endpointID = network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in
                    switch self.role {
                    case .publisher(let publisher): publisher.receive(datagram, from: PeerAddress(from), now: now)
                    case .subscriber(let subscriber): subscriber.receive(datagram, from: PeerAddress(from), now: now)
                    }
                    drain()
                },
                deadline: { [unowned self] in
                    switch self.role {
                    case .publisher(let publisher): publisher.deadline
                    case .subscriber(let subscriber): subscriber.deadline
                    }
                },
                handleTimeout: { [unowned self] now in
                    switch self.role {
                    case .publisher(let publisher): publisher.handleTimeout(now: now)
                    case .subscriber(let subscriber): subscriber.handleTimeout(now: now)
                    }
                    drain()
                }), at: [address])
        drain()
    }

    /// - Precondition: it publishes.
    var publisher: SyntheticPublisher {
        guard case .publisher(let publisher) = role else { preconditionFailure("a subscriber") }
        return publisher
    }

    /// - Precondition: it views.
    var subscriber: SyntheticSubscriber {
        guard case .subscriber(let subscriber) = role else { preconditionFailure("a publisher") }
        return subscriber
    }

    var reception: SyntheticReception { subscriber.reception }
    var statistics: EndpointStatistics { endpoint.statistics }

    /// Restarts the reception counters and expects media of `source` from now on; sequence numbers continue to be tracked.
    func expect(_ source: UInt32) {
        role = .subscriber(SyntheticSubscriber(endpoint, source: source))
        watch()
    }

    func forgetPauses() {
        audio.forgetPauses()
        frames.forgetPauses()
        if case .subscriber(let subscriber) = role { subscriber.forgetPauses() }
    }

    private func watch() {
        let take = endpoint.onPacket
        endpoint.onPacket = { [unowned self] packet in
            switch packet.kind {
            case .audio: audio.note(packet, now: network.now)
            case .video: frames.note(packet, now: network.now)
            }
            take?(packet)
        }
    }

    /// Sends the endpoint's output; call this after using the endpoint directly.
    func drain() {
        while let output = nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                let altered = if let alter { alter(bytes) } else { Optional(bytes) }
                guard let altered else { continue }
                network.send(altered, from: address, to: to.address)
            case .connected: connectedAt = network.now
            case .ended(let reason): end = reason
            case .connect, .disconnect, .keyFrameWanted, .noPath: break
            }
        }
        network.wake(endpointID)
    }

    private func nextOutput() -> WebRTCEndpoint.Output? {
        switch role {
        case .publisher(let publisher): publisher.nextOutput(now: network.now)
        case .subscriber(let subscriber): subscriber.nextOutput()
        }
    }

    /// Changes the client's address.
    /// - Parameter isNoticed: false if a NAT causes the change: the client continues as before, until its next consent check.
    func move(to other: SocketAddress, isNoticed: Bool = true) {
        network.unbind(address)
        address = other
        network.bind(other, to: endpointID)
        if isNoticed { endpoint.rebind(now: network.now) }
        drain()
    }

    /// Closes the connection with a goodbye.
    func close() {
        if case .publisher(let publisher) = role { publisher.stop() }
        endpoint.close(now: network.now)
        drain()
    }

    /// Removes the client from the network without a goodbye.
    func vanish() { network.remove(endpointID) }
}
