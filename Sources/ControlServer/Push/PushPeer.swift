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
        case failed(PushFailure)
    }

    /// Tracks that the offer has.
    let kinds: Set<MediaKind>
    let codec: VideoCodec?
    private let rules: PushRules
    private let endpoint: WebRTCEndpoint
    private var tracks: PushTracks
    private var sockets: [PeerSocket] = []
    private var events: [Event] = []

    /// Time without an answer to a check after which the server counts as gone.
    private static let consentTimeout = MediaTime.seconds(10)

    /// - Parameters:
    ///   - kinds: tracks of the stream; both if it is empty, because it is not known yet.
    ///   - codec: codec of the video.
    init(kinds: Set<MediaKind>, codec: VideoCodec?, rules: PushRules) throws(DTLSFailure) {
        self.kinds = kinds.isEmpty ? Set(MediaKind.allCases) : kinds
        self.codec = codec
        self.rules = rules
        var random = SystemRandomNumberGenerator()
        let hasAudio = self.kinds.contains(.audio)
        let hasVideo = self.kinds.contains(.video)
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: try .generate(), audio: hasAudio, video: hasVideo, codecs: [codec ?? .vp8], using: &random)
        configuration.wallClock = .nanoseconds(millrace_realtime_ns() - millrace_monotonic_ns())
        configuration.consentTimeout = Self.consentTimeout
        endpoint = WebRTCEndpoint(configuration)
        tracks = PushTracks(kinds: (hasAudio ? [.audio] : []) + (hasVideo ? [.video] : []))
    }

    var offer: String { endpoint.offer.text }
    var descriptors: [Int32] { sockets.map(\.descriptor) }
    var deadline: MediaTime { endpoint.deadline }

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
        for socket in sockets {
            socket.receive { datagram, source in endpoint.receive(datagram, from: PeerAddress(source), now: now) }
        }
        drain(now: now)
    }

    func handleTimeout(now: MediaTime) {
        guard endpoint.deadline <= now else { return }
        endpoint.handleTimeout(now: now)
        drain(now: now)
    }

    func send(_ packet: PushTracks.Packet, now: MediaTime) {
        tracks.send(packet, to: endpoint, now: now)
        drain(now: now)
    }

    func close(now: MediaTime) {
        endpoint.close(now: now)
        drain(now: now)
        sockets = []
    }

    private func drain(now: MediaTime) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): transmit(datagram, to: to.address)
            // Only UDP is used.
            case .connect(_, let connection): endpoint.disconnected(connection: connection, now: now)
            case .disconnect, .noPath: break
            case .connected: events.append(.connected)
            case .keyFrameWanted: events.append(.keyFrameWanted)
            case .ended(let reason): events.append(.failed(.connectionLost("\(reason)")))
            }
        }
    }

    /// Sends a datagram. The server's candidates are as little trusted as its name.
    private func transmit(_ datagram: [UInt8], to address: SocketAddress) {
        guard rules.allowsPrivate || !address.isInternal else { return }
        if let socket = sockets.first(where: { $0.isIPv6 == address.isIPv6 }) {
            socket.send(datagram, to: address)
        } else if let socket = PeerSocket(isIPv6: address.isIPv6) {
            sockets.append(socket)
            socket.send(datagram, to: address)
        }
    }
}
