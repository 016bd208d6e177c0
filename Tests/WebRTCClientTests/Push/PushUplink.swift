import DTLS
import MediaBase
import MillraceTestKit
import Transport
import WebRTCClient
import WebRTCTestKit

/// A push of simulcast over a path in virtual time: each 100 ms `PushEncoding` chooses the encoding, of which frames are sent from the next
/// one on, beginning with a key frame.
final class PushUplink {
    static let encodings = SyntheticVideo.Encoding.simulcast
    private static let address = SocketAddress("10.0.0.2", port: 5000)!

    let network: VirtualNetwork
    private let relay: PassingRelay
    let endpoint: WebRTCEndpoint
    private var video: SyntheticVideo
    private var choice = PushEncoding()
    private var shown = 2
    private var nextFrame = MediaTime.never
    private var nextChoice = MediaTime.never
    private var wanted = 2
    /// Encoding of each choice.
    private(set) var choices: [Int] = []
    private(set) var changes = 0

    init(seed: UInt64, rate: Bitrate, retransmits: Bool = true) throws {
        network = VirtualNetwork(seed: seed)
        network.conditions = LinkConditions(delay: .milliseconds(15))
        relay = PassingRelay(network, seed: seed &+ 1)
        var random = SeededGenerator(seed: seed)
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: PassingRelay.clientIdentity, retransmits: retransmits, using: &random)
        configuration.uplinkStart = PushEncoding.start
        configuration.probesUplink = true
        endpoint = WebRTCEndpoint(configuration, random: SeededGenerator(seed: seed &+ 2))
        video = SyntheticVideo(source: 1, encodings: Self.encodings)
        let answer = try relay.admit(endpoint.offer, at: Self.address)
        try endpoint.accept(answer.utf8, now: network.now)
        network.add(
            VirtualEndpoint(
                receive: { [unowned self] datagram, from, _, now in
                    endpoint.receive(datagram, from: PeerAddress(from), now: now)
                    drain(now)
                },
                deadline: { [unowned self] in min(endpoint.deadline, nextFrame, nextChoice) },
                handleTimeout: { [unowned self] now in handleTimeout(now) }), at: [Self.address])
        set(rate)
        drain(network.now)
    }

    /// Sets the bit rate of the path to the server.
    func set(_ rate: Bitrate) {
        var conditions = LinkConditions(delay: .milliseconds(15))
        conditions.rate = rate
        // A queue of about 300 ms.
        conditions.queue = Int(rate.rawValue) * 3 / 80
        network.set(conditions, from: Self.address, to: PassingRelay.address)
    }

    /// Adds the subscriber that sends transport-wide feedback. The relay passes it on.
    func connect(to subscriber: SyntheticSubscriber, at address: SocketAddress) throws {
        let answer = try relay.admit(subscriber.endpoint.offer, sources: endpoint.configuration.tracks, at: address)
        try subscriber.endpoint.accept(answer.utf8, now: network.now)
        let drain = { [unowned self] in
            while let output = subscriber.nextOutput() {
                if case .transmit(let bytes, let to) = output { network.send(bytes, from: address, to: to.address) }
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
    }

    func run(seconds: Double) { network.run(until: network.now + .seconds(seconds)) }

    private func handleTimeout(_ now: MediaTime) {
        endpoint.handleTimeout(now: now)
        if nextChoice <= now {
            nextChoice = now + .milliseconds(100)
            let chosen = choice.choose(
                rates: Self.encodings.map(\.bitrate), path: PushEncoding.Path(of: endpoint), now: now)
            endpoint.uplink?.wanted = chosen.wanted
            endpoint.uplink?.used = chosen.used
            wanted = min(chosen.maximum, Self.encodings.count - 1)
            choices.append(wanted)
        }
        if nextFrame <= now {
            nextFrame += video.interval
            if wanted != shown {
                shown = wanted
                changes += 1
                video.requestKeyFrame(encoding: shown)
            }
            video.nextFrame(captured: now) { encoding, payload, isLast in
                guard encoding == shown else { return }
                endpoint.send(payload, track: 1, time: now, marker: isLast, now: now)
            }
        }
        drain(now)
    }

    private func drain(_ now: MediaTime) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): network.send(bytes, from: Self.address, to: to.address)
            case .connected:
                nextFrame = now
                nextChoice = now
            case .keyFrameWanted: video.requestKeyFrame(encoding: shown)
            case .connect, .disconnect, .noPath, .ended: break
            }
        }
    }
}
