import DTLS
import MediaBase
import RTP
import SDP
import Signaling
import Transport
import WebRTCClient

/// Peer connection of all of a session's subscriptions; the relay makes its offers. Confined to the media thread.
final class SubscribePeer {
    let path: DatagramPath
    private let endpoint: WebRTCEndpoint
    private let troubled: @Sendable (PathTrouble) -> Void
    private var watch = PathWatch()
    private let needsKeyFrame: @Sendable (StreamID) -> Void
    private var receivers: [StreamID: StreamReceiver] = [:]
    private var routes: [MID: StreamID] = [:]
    /// Fingerprint or key line of the relay's first offer, which identifies this peer connection.
    let keying: String

    init(
        localAddress: String?, keying: String, needsKeyFrame: @escaping @Sendable (StreamID) -> Void,
        troubled: @escaping @Sendable (PathTrouble) -> Void
    ) throws(DTLSFailure) {
        path = DatagramPath(localAddress: localAddress)
        self.keying = keying
        self.needsKeyFrame = needsKeyFrame
        self.troubled = troubled
        var random = SystemRandomNumberGenerator()
        var configuration = WebRTCEndpoint.Configuration.receiver(identity: try .generate(), using: &random)
        configuration.videoCodecs = VideoCodec.allCases
        configuration.wallClock = WallClock.offset
        // `watch` monitors consent instead of the endpoint.
        configuration.consentTimeout = .seconds(86_400)
        // Native transport: the relay's offer contains keys because the subscriptions requested it.
        if keying.hasPrefix(Self.key) { configuration.keys = SignalledKeys() }
        endpoint = WebRTCEndpoint(configuration)
        endpoint.onPacket = { [unowned self] packet in take(packet) }
    }

    var isEnded: Bool { endpoint.isEnded }

    private static let key = "a=crypto:"

    /// Returns the first fingerprint or key line of an offer, which identifies its peer connection.
    static func keying(of sdp: String) -> String {
        let line = sdp.split(whereSeparator: \.isNewline).first {
            $0.hasPrefix("a=fingerprint:") || $0.hasPrefix(key)
        }
        return line.map(String.init) ?? ""
    }

    /// Answers an offer, and assigns its media sections to the subscriptions.
    func answer(_ offer: String, _ wanted: [SubscribeRoute], now: MediaTime) throws(WebRTCEndpointError) -> String {
        let answer = try endpoint.answer(Array(offer.utf8), now: now)
        routes = [:]
        var former = receivers
        receivers = [:]
        for route in wanted {
            let stream = route.subscriber.stream
            let known = former.removeValue(forKey: stream).flatMap { $0.subscriber === route.subscriber ? $0 : nil }
            receivers[stream] = known ?? StreamReceiver(route.subscriber, needsKeyFrame: needsKeyFrame)
            for mid in [route.audioMid, route.videoMid] {
                if let mid = mid.flatMap({ MID($0) }) { routes[mid] = stream }
            }
        }
        for receiver in former.values { keepStatistics(of: receiver) }
        drain(now: now)
        return answer
    }

    func remove(_ stream: StreamID) {
        if let receiver = receivers.removeValue(forKey: stream) { keepStatistics(of: receiver) }
        for (mid, route) in routes where route == stream { routes[mid] = nil }
    }

    func askForKeyFrame(_ stream: StreamID) { receivers[stream]?.askForKeyFrame() }

    // MARK: datagrams and time

    private var receivedAt = MediaTime.zero

    func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, now: MediaTime) {
        receivedAt = now
        endpoint.receive(datagram, from: PeerAddress(source), now: now)
        drain(now: now)
    }

    private func take(_ packet: IncomingPacket) {
        guard let stream = routes[packet.mid], let receiver = receivers[stream] else { return }
        receiver.receive(packet, captureTime: packet.captured.map { .nanoseconds($0.unixNanoseconds) }, now: receivedAt)
    }

    var deadline: MediaTime {
        receivers.values.reduce(min(endpoint.deadline, endpoint.isConnected ? watch.deadline : .never)) {
            min($0, $1.deadline)
        }
    }

    /// Returns whether the relay has not answered for a while.
    func isSilent(now: MediaTime) -> Bool { PathWatch.isSilent(lastConsent: endpoint.lastConsent, now: now) }

    func handleTimeout(now: MediaTime) {
        if endpoint.deadline <= now { endpoint.handleTimeout(now: now) }
        // The client sends only RTCP here, so nothing has to stop when consent expires; the relay stops its media by itself.
        if endpoint.isConnected, watch.look(lastConsent: endpoint.lastConsent, now: now).contains(.silent) {
            rebind(now: now)
            troubled(.silent)
        }
        for receiver in receivers.values {
            if let track = receiver.handleTimeout(now: now) { endpoint.requestKeyFrame(track: track) }
        }
        drain(now: now)
    }

    func rebind(now: MediaTime) {
        path.rebind()
        endpoint.rebind(now: now)
        drain(now: now)
    }

    func close(now: MediaTime) {
        for receiver in receivers.values { keepStatistics(of: receiver) }
        endpoint.close(now: now)
        drain(now: now)
    }

    private func drain(now: MediaTime) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): path.send(datagram, to: to.address)
            case .connect(_, let connection): endpoint.disconnected(connection: connection, now: now)
            case .disconnect, .keyFrameWanted: break
            case .noPath(let report): troubled(.missing(report))
            case .connected:
                troubled(.mended)
                for receiver in receivers.values { receiver.subscriber.setConnected() }
            case .ended: troubled(.ended)
            }
        }
    }

    /// - Returns: nil if the subscriber's media does not use this peer connection.
    func statistics(of subscriber: Subscriber) -> SubscriberStatistics? {
        guard let receiver = receivers[subscriber.stream], receiver.subscriber === subscriber else { return nil }
        return statistics(of: receiver)
    }

    private func keepStatistics(of receiver: StreamReceiver) {
        receiver.subscriber.keep(statistics(of: receiver))
    }

    private func statistics(of receiver: StreamReceiver) -> SubscriberStatistics {
        var statistics = receiver.statistics
        statistics.transport = TransportStatistics(endpoint.statistics)
        return statistics
    }
}
