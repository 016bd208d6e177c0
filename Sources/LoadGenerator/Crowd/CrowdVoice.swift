import CLinuxNet
import DTLS
import MediaBase
import NIOConcurrencyHelpers
import RTP
import SDP
import WebRTCClient

/// Audio of one participant: a peer connection that sends its id ten times a second, and one that receives the audio of others.
/// Offers and answers come from any thread; the next sweep of the `EndpointThread` sends the resulting packets.
final class CrowdVoice: LoadEndpoint, Sendable {
    /// Source id in everything that it sends.
    let source: UInt32
    /// Sockets for publishing and for receiving.
    let sockets: [UDPSocket]
    private let state: NIOLockedValueBox<State>

    /// Sending interval in nanoseconds; long, so that the generator's own work does not distort the measurement.
    private static let interval: Int64 = 100_000_000

    /// Used only under the lock.
    private final class State: @unchecked Sendable {
        let publishing: PeerLink
        let receiving: PeerLink
        /// Send time of the newest packet from each source that was heard, in monotonic nanoseconds.
        var newest: [UInt32: Int64] = [:]
        var packetsHeard = 0
        var track: Int?
        var nextPacket: Int64 = 0
        /// Reason why an offer of the relay could not be answered.
        var failure: LoadError?
        var links: [PeerLink] { [publishing, receiving] }

        init(publishing: PeerLink, receiving: PeerLink) {
            self.publishing = publishing
            self.receiving = receiving
            receiving.endpoint.onPacket = { [unowned self] packet in
                guard let voice = VoicePacket(parsing: packet.payload) else { return }
                newest[voice.source] = max(newest[voice.source] ?? 0, voice.sentAt)
                packetsHeard += 1
            }
        }
    }

    init(source: UInt32, localAddress: String, identity: DTLSIdentity) throws(LoadError) {
        self.source = source
        func link(_ direction: WebRTCEndpoint.Direction) throws(LoadError) -> PeerLink {
            let socket = try UDPSocket(host: localAddress, receiveBuffer: 256 << 10)
            var random = SystemRandomNumberGenerator()
            var configuration = WebRTCEndpoint.Configuration(direction, tracks: [], identity: identity, using: &random)
            configuration.candidates = [socket.candidate]
            return PeerLink(configuration, socket: socket)
        }
        let (publishing, receiving) = (try link(.publish), try link(.receive))
        sockets = [publishing.socket, receiving.socket]
        state = NIOLockedValueBox(State(publishing: publishing, receiving: receiving))
    }

    var newest: [UInt32: Int64] { state.withLockedValue { $0.newest } }
    var packetsHeard: Int { state.withLockedValue { $0.packetsHeard } }
    var isPublishing: Bool { state.withLockedValue { $0.publishing.endpoint.isConnected } }

    /// Returns whether both peer connections are established.
    /// - Throws: the error of an offer that could not be answered.
    func isConnected() throws(LoadError) -> Bool {
        let (isConnected, failure) = state.withLockedValue {
            ($0.links.allSatisfy(\.endpoint.isConnected), $0.failure)
        }
        if let failure { throw failure }
        return isConnected
    }

    /// - Returns: the offer, and the identification of its audio section.
    func offer() -> (sdp: String, mid: String?) {
        state.withLockedValue { state in
            let endpoint = state.publishing.endpoint
            state.track = endpoint.addTracks([.offered(.audio, encodings: [.init()])]).first
            let description = endpoint.reoffer()
            return (description.text, state.track.flatMap { description.media[$0].mid })
        }
    }

    func accept(_ answer: String) throws(LoadError) {
        do {
            try state.withLockedValue {
                try $0.publishing.endpoint.accept(Array(answer.utf8), now: .nanoseconds(LoadClock.now))
            }
        } catch { throw .answer("\(error)") }
    }

    /// Returns the answer to an offer of the relay; nil if it cannot be answered, which `isConnected` reports.
    func answer(_ offer: String) -> String? {
        state.withLockedValue { state in
            do {
                return try state.receiving.endpoint.answer(Array(offer.utf8), now: .nanoseconds(LoadClock.now))
            } catch {
                state.failure = .answer("\(error)")
                return nil
            }
        }
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, at socket: Int, from: millrace_address, now: Int64) {
        state.withLockedValue { $0.links[socket].receive(datagram, from: from, now: now) }
    }

    func respond(now: Int64, with sender: PacketSender) {
        state.withLockedValue { state in
            for link in state.links { _ = link.drain(now: now, with: sender) }
        }
    }

    func handleTimeout(now: Int64, with sender: PacketSender) {
        state.withLockedValue { state in
            for link in state.links { link.handleTimeout(now: now) }
            if let track = state.track, state.publishing.endpoint.isConnected, now >= state.nextPacket {
                state.nextPacket = max(state.nextPacket + Self.interval, now)
                _ = VoicePacket(source: source, sentAt: now).payload.withUnsafeBytes {
                    state.publishing.endpoint.send(
                        $0, track: track, time: .nanoseconds(now), marker: false,
                        level: AudioLevel(level: 30, isVoice: true), now: .nanoseconds(now))
                }
            }
        }
        respond(now: now, with: sender)
    }

    func close(now: Int64, with sender: PacketSender) {
        state.withLockedValue { state in
            for link in state.links { link.endpoint.close(now: .nanoseconds(now)) }
        }
        respond(now: now, with: sender)
    }
}
