import CLinuxNet
import DTLS
import MediaBase
import RTP
import SDP
import Transport
import WebRTCClient

/// Audio of one participant: a peer connection that sends its id ten times a second, and one that receives the audio of others.
final class CrowdVoice: Sendable {
    /// Source id in everything that it sends.
    let source: UInt32
    /// Sockets for publishing and for receiving.
    let sockets: [UDPSocket]
    private let state: Locked<State>

    /// Sending interval in nanoseconds; long, so that the generator's own work does not distort the measurement.
    static let interval: Int64 = 100_000_000

    private struct State {
        let endpoints: [WebRTCEndpoint]
        let ear: Ear
        var track: Int?
        var number: UInt32 = 0
        var nextSound: Int64 = 0
    }

    /// Received audio: for each source, the send time of its newest packet in monotonic nanoseconds.
    private final class Ear {
        var newest: [UInt32: Int64] = [:]
        var sounds = 0
    }

    init(source: UInt32, localAddress: String, identity: DTLSIdentity) throws(LoadError) {
        self.source = source
        var sockets: [UDPSocket] = []
        var endpoints: [WebRTCEndpoint] = []
        for direction in [WebRTCEndpoint.Direction.publish, .receive] {
            let socket = try UDPSocket(host: localAddress, receiveBuffer: 256 << 10, coalescing: true)
            var random = SystemRandomNumberGenerator()
            var configuration = WebRTCEndpoint.Configuration(
                direction, tracks: [], identity: identity, using: &random)
            configuration.candidates = [
                ICECandidate(
                    foundation: "1", transport: .udp, priority: 2_130_706_431, host: localAddress, port: socket.port)
            ]
            sockets.append(socket)
            endpoints.append(WebRTCEndpoint(configuration))
        }
        let ear = Ear()
        endpoints[1].onPacket = { packet in
            guard let sound = SyntheticSound(parsing: packet.payload) else { return }
            ear.newest[sound.source] = max(ear.newest[sound.source] ?? 0, sound.captured.rawValue)
            ear.sounds += 1
        }
        self.sockets = sockets
        state = Locked(State(endpoints: endpoints, ear: ear))
    }

    var newest: [UInt32: Int64] { state.withLock { $0.ear.newest } }
    var sounds: Int { state.withLock { $0.ear.sounds } }
    var isConnected: Bool { state.withLock { $0.endpoints.allSatisfy { $0.isConnected } } }
    var isPublishing: Bool { state.withLock { $0.endpoints[0].isConnected } }

    // MARK: offers and answers; the thread's next beat sends the resulting packets

    /// - Returns: the offer, and the identification of its audio section.
    func offer() -> (sdp: String, mid: String?) {
        state.withLock { state in
            let track = state.endpoints[0].addTracks([.offered(.audio, encodings: [.init()])]).first
            state.track = track
            let description = state.endpoints[0].reoffer()
            return (description.text, track.flatMap { description.media[$0].mid })
        }
    }

    func accept(_ answer: String) throws(LoadError) {
        let failure = state.withLock { state -> WebRTCEndpointError? in
            do throws(WebRTCEndpointError) {
                try state.endpoints[0].accept(Array(answer.utf8), now: .nanoseconds(LoadClock.now))
                return nil
            } catch { return error }
        }
        if let failure { throw .answer("\(failure)") }
    }

    func answer(_ offer: String) throws(LoadError) -> String {
        let result = state.withLock { state -> Result<String, LoadError> in
            do {
                return .success(
                    try state.endpoints[1].answer(Array(offer.utf8), now: .nanoseconds(LoadClock.now)))
            } catch { return .failure(.answer("\(error)")) }
        }
        return try result.get()
    }

    // MARK: called on the thread

    func receive(_ datagram: UnsafeRawBufferPointer, at place: Int, from: millrace_address, now: Int64) {
        guard let source = SocketAddress(from) else { return }
        state.withLock {
            $0.endpoints[place].receive(datagram, from: PeerAddress(source), now: .nanoseconds(now))
        }
    }

    /// Handles timers, sends audio that is due, and transmits all pending output.
    func beat(now: Int64, with sender: PacketSender) {
        state.withLock { state in
            for endpoint in state.endpoints where endpoint.deadline.rawValue <= now {
                endpoint.handleTimeout(now: .nanoseconds(now))
            }
            if let track = state.track, state.endpoints[0].isConnected, now >= state.nextSound {
                state.nextSound = max(state.nextSound + Self.interval, now)
                let sound = SyntheticSound(source: source, number: state.number, captured: .nanoseconds(now))
                state.number &+= 1
                _ = sound.payload.withUnsafeBytes {
                    state.endpoints[0].send(
                        $0, track: track, time: .nanoseconds(now), marker: false,
                        level: AudioLevel(level: 30, isVoice: true), now: .nanoseconds(now))
                }
            }
            for (endpoint, socket) in zip(state.endpoints, sockets) { drain(endpoint, socket, sender) }
        }
    }

    func close(with sender: PacketSender) {
        state.withLock { state in
            for (endpoint, socket) in zip(state.endpoints, sockets) {
                endpoint.close(now: .nanoseconds(LoadClock.now))
                drain(endpoint, socket, sender)
            }
        }
    }

    private func drain(_ endpoint: WebRTCEndpoint, _ socket: UDPSocket, _ sender: PacketSender) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to):
                guard !to.isTCP, to.address.isIPv6 == socket.isIPv6 else { continue }
                sender.queue(datagram, to: millrace_address(to.address), socket: socket.descriptor)
            case .connect(_, let connection):
                // The generator only supports UDP.
                endpoint.disconnected(connection: connection, now: .nanoseconds(LoadClock.now))
            case .disconnect, .connected, .keyFrameWanted, .noPath, .ended: break
            }
        }
        sender.flush(socket: socket.descriptor)
    }
}
