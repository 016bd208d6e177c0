import CLinuxNet
import DTLS
import MediaBase
import MediaEngine
import SDP
import Transport
import WebRTCClient

/// Media connection of a push to its server, with sockets. Confined to the push's thread.
final class PushPeer {
    enum Event {
        case connected
        case keyFrameWanted
        /// The server does not answer checks, or does again.
        case pathLost
        case pathRestored
        /// The system sends to the server from another address.
        case networkChanged
        case failed(PushFailure)
    }

    /// Tracks that the offer has.
    let kinds: Set<MediaKind>
    let codec: VideoCodec?
    private let rules: PushRules
    private let endpoint: WebRTCEndpoint
    private var tracks: PushTracks
    private var sockets: PushSockets
    /// Sockets for the time after an ICE restart that the server has not answered. A restart changes the ports, because a firewall or NAT
    /// between may have forgotten the previous ones.
    private var restartSockets: PushSockets?
    private var encoding = PushEncoding()
    private var watch = PushPathWatch()
    /// Way to the server at the last look.
    private var route: PushCandidates.Route?
    private var nextRouteLook = MediaTime.zero
    private var events: [Event] = []

    private static let routeInterval = MediaTime.seconds(1)

    /// - Parameters:
    ///   - kinds: tracks of the stream; both if it is empty, because it is not known yet.
    ///   - codec: codec of the video.
    init(kinds: Set<MediaKind>, codec: VideoCodec?, rules: PushRules) throws(DTLSFailure) {
        self.kinds = kinds.isEmpty ? Set(MediaKind.allCases) : kinds
        self.codec = codec
        self.rules = rules
        sockets = PushSockets(rules: rules)
        var random = SystemRandomNumberGenerator()
        let hasAudio = self.kinds.contains(.audio)
        let hasVideo = self.kinds.contains(.video)
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: try .generate(), audio: hasAudio, video: hasVideo, codecs: [codec ?? .vp8], using: &random)
        configuration.wallClock = .nanoseconds(millrace_realtime_ns() - millrace_monotonic_ns())
        configuration.uplinkStart = PushEncoding.start
        configuration.probesUplink = true
        endpoint = WebRTCEndpoint(configuration)
        tracks = PushTracks(kinds: (hasAudio ? [.audio] : []) + (hasVideo ? [.video] : []))
    }

    var offer: String { endpoint.offer.text }
    var descriptors: [Int32] { sockets.descriptors }
    var deadline: MediaTime {
        let deadline = min(endpoint.deadline, watch.deadline(lastConsent: endpoint.lastConsent))
        return endpoint.isConnected ? min(deadline, nextRouteLook) : deadline
    }

    /// Returns the events of the calls since the last time, in their order.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Accepts the server's answer, and begins to connect.
    func accept(_ answer: [UInt8], now: MediaTime) {
        do throws(WebRTCEndpointError) {
            try endpoint.accept(answer, now: now)
        } catch {
            return events.append(.failed(.unusableAnswer("\(error)")))
        }
        let isRefused = endpoint.tracks.indices.contains { track in
            endpoint.tracks[track] == nil && tracks.kind(ofTrack: track) == .video
        }
        if isRefused { return events.append(.failed(.codecRefused(codec ?? .vp8))) }
        drain(now: now)
    }

    func receive(now: MediaTime) {
        sockets.receive { datagram, source in endpoint.receive(datagram, from: PeerAddress(source), now: now) }
        drain(now: now)
    }

    func handleTimeout(now: MediaTime) {
        if endpoint.deadline <= now {
            endpoint.handleTimeout(now: now)
            drain(now: now)
        }
        switch watch.look(lastConsent: endpoint.lastConsent, now: now) {
        case .lost: events.append(.pathLost)
        case .restored: events.append(.pathRestored)
        case nil: break
        }
        lookAtRoute(now: now)
    }

    /// Checks the path again if the system sends from another address.
    private func lookAtRoute(now: MediaTime) {
        guard endpoint.isConnected, now >= nextRouteLook, let remote = endpoint.relayAddress?.address else { return }
        nextRouteLook = now + Self.routeInterval
        // Without a route there is nothing to check.
        guard let local = LocalRoute.address(toward: remote) else { return }
        let found = PushCandidates.Route(local: local, remote: remote)
        defer { route = found }
        guard let route, route.remote == remote, route.local != local else { return }
        endpoint.rebind(now: now)
        events.append(.networkChanged)
        drain(now: now)
    }

    // MARK: ICE session

    /// Whether the server needs candidates of this side. An ICE-lite server answers the source of each check (RFC 8445 section 2.5).
    var announcesCandidates: Bool { !endpoint.isRelayLite }

    /// Returns the fragment with all candidates.
    func fragment() -> String {
        endpoint.fragment(sockets.candidates(toward: endpoint.relayCandidates)).text
    }

    /// Begins an ICE restart with other sockets, and returns the fragment that offers it.
    func offerRestart() -> String {
        var fresh = PushSockets(rules: rules)
        let candidates = fresh.candidates(toward: endpoint.relayCandidates)
        restartSockets = fresh
        return endpoint.offerRestart(candidates).text
    }

    func abandonRestart() {
        endpoint.abandonRestart()
        restartSockets = nil
    }

    /// Takes the server's answer to the ICE restart.
    func resume(_ answer: [UInt8], now: MediaTime) {
        if let restartSockets { sockets = restartSockets }
        restartSockets = nil
        do throws(WebRTCEndpointError) {
            try endpoint.resume(answer, now: now)
        } catch {
            return events.append(.failed(.unusableAnswer("\(error)")))
        }
        watch.expectAnswer(now: now)
        drain(now: now)
    }

    /// Takes candidates of the server. Those that cannot be used are ignored.
    func addCandidates(_ fragment: [UInt8], now: MediaTime) {
        try? endpoint.add(fragment, now: now)
        drain(now: now)
    }

    // MARK: media

    /// Returns the index of the largest encoding that fits the path.
    /// - Parameter rates: bit rates of the stream's encodings, from the smallest.
    func chooseEncoding(_ rates: [Bitrate], now: MediaTime) -> Int {
        let choice = encoding.choose(rates: rates, path: PushEncoding.Path(of: endpoint), now: now)
        endpoint.uplink?.used = choice.used
        endpoint.uplink?.wanted = choice.wanted
        return choice.maximum
    }

    func send(_ packet: PushTracks.Packet, now: MediaTime) {
        tracks.send(packet, to: endpoint, now: now)
        drain(now: now)
    }

    func close(now: MediaTime) {
        endpoint.close(now: now)
        drain(now: now)
        sockets = PushSockets(rules: rules)
        restartSockets = nil
    }

    private func drain(now: MediaTime) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): sockets.send(datagram, to: to.address)
            // Only UDP is used.
            case .connect(_, let connection): endpoint.disconnected(connection: connection, now: now)
            case .disconnect, .noPath: break
            case .connected: events.append(.connected)
            case .keyFrameWanted: events.append(.keyFrameWanted)
            case .ended(let reason): events.append(.failed(.connectionLost("\(reason)")))
            }
        }
    }
}
