import DTLS
import Foundation
import MediaBase
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RTP
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A WebRTC client on its own UDP socket, with synthetic audio and video.
final class MediaPeer: @unchecked Sendable {
    /// Media received in one media section.
    struct Reception: Sendable, Equatable {
        var audioPackets = 0
        var frames = 0
        /// Capture time of the newest packet and frame.
        var lastAudio = MediaTime.zero
        var lastFrame = MediaTime.zero
        /// Source numbers found in the audio.
        var sources: Set<UInt32> = []
    }

    static let identity = try! DTLSIdentity.generate()
    static var now: MediaTime { MediaTime(rawValue: Int64(NIODeadline.now().uptimeNanoseconds)) }

    private let lock = NIOLock()
    private let channel: any Channel
    private var task: Task<Void, Never>?
    // Protected by `lock`.
    private let endpoint: WebRTCEndpoint
    private var source: UInt32
    private var audio: Set<Int> = []
    private var video: [Int: SyntheticVideo] = [:]
    private var audioNumber: UInt32 = 0
    private var nextFrame = MediaTime.zero
    private var receptions: [String: Reception] = [:]
    private var isDeaf = false

    init(
        _ direction: WebRTCEndpoint.Direction, source: UInt32 = 1, identity: DTLSIdentity = MediaPeer.identity,
        isNative: Bool = false
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let tracks: [TrackDescription] =
            direction == .view ? [.offered(.audio, encodings: []), .offered(.video, encodings: [])] : []
        var configuration = WebRTCEndpoint.Configuration(direction, tracks: tracks, identity: identity, using: &random)
        if isNative { configuration.keys = SignalledKeys() }
        endpoint = WebRTCEndpoint(configuration)
        self.source = source
        channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let receiver = Receiver()
        try await channel.pipeline.addHandler(receiver).get()
        endpoint.onPacket = { [unowned self] in take($0) }
        receiver.box.withLockedValue { $0 = { [weak self] bytes, from in self?.receive(bytes, from) } }
        task = Task { [weak self] in
            while !Task.isCancelled, let self {
                tick()
                await moment(.milliseconds(10))
            }
        }
    }

    func close() async {
        task?.cancel()
        lock.withLock {
            endpoint.close(now: Self.now)
            drain()
        }
        try? await channel.close()
    }

    /// Drops all packets in both directions.
    func goDeaf(_ isDeaf: Bool = true) { lock.withLock { self.isDeaf = isDeaf } }

    /// Returns sections that received audio of another source than expected. A source is the expected number plus one.
    func wrongSources(_ expected: [String: Int]) -> [String] {
        lock.withLock {
            receptions.filter { mid, reception in
                let source = expected[mid].map { UInt32($0 + 1) }
                return reception.sources.contains { $0 != source }
            }.keys.sorted()
        }
    }

    var isConnected: Bool { lock.withLock { endpoint.isConnected } }
    func reception(_ mid: String?) -> Reception { lock.withLock { mid.flatMap { receptions[$0] } ?? Reception() } }

    // MARK: offers and answers

    /// Adds tracks to the next offer.
    /// - Returns: the indices of their sections.
    func add(audio wantsAudio: Bool = true, video wantsVideo: Bool = true) -> (audio: Int?, video: Int?) {
        lock.withLock {
            let one = wantsAudio ? endpoint.addTracks([.offered(.audio, encodings: [.init()])]).first : nil
            let two = wantsVideo ? endpoint.addTracks([.offered(.video, encodings: [.init()])]).first : nil
            if let one { audio.insert(one) }
            if let two {
                video[two] = SyntheticVideo(
                    source: source, encodings: [.init(width: 320, height: 180, bitrate: .kilobits(150))],
                    framesPerSecond: 20)
            }
            return (one, two)
        }
    }

    /// The offer of a WHEP client, which receives audio and video.
    var subscribingOffer: String { lock.withLock { endpoint.offer.text } }

    /// Stops a track from the next offer on.
    func stop(_ index: Int) {
        lock.withLock {
            endpoint.stopTrack(index)
            audio.remove(index)
            video[index] = nil
        }
    }

    /// - Returns: the text, and the MID of each section.
    func offer(restart: Bool = false) -> (sdp: String, mids: [String?]) {
        lock.withLock {
            var random = SystemRandomNumberGenerator()
            let description = endpoint.reoffer(restart: restart ? .random(using: &random) : nil)
            return (description.text, description.media.map(\.mid))
        }
    }

    func accept(_ answer: String) throws {
        try lock.withLock {
            try endpoint.accept(Array(answer.utf8), now: Self.now)
            drain()
        }
    }

    func answer(_ offer: String) throws -> String {
        try lock.withLock {
            defer { drain() }
            return try endpoint.answer(Array(offer.utf8), now: Self.now)
        }
    }

    // MARK: media

    private func tick() {
        lock.withLock {
            let now = Self.now
            endpoint.handleTimeout(now: now)
            if endpoint.isConnected {
                audioNumber &+= 1
                let packet = SyntheticAudio(source: source, number: audioNumber, captured: now)
                for track in audio {
                    _ = packet.payload.withUnsafeBytes {
                        endpoint.send(
                            $0, track: track, time: now, marker: false, level: AudioLevel(level: 30, isVoice: true),
                            now: now)
                    }
                }
                if now >= nextFrame {
                    nextFrame = now + .milliseconds(50)
                    for track in video.keys where endpoint.encodingCount(track: track) > 0 {
                        video[track]?.nextFrame(captured: now) { encoding, payload, isLast in
                            endpoint.send(
                                payload, track: track, encoding: encoding, time: now, marker: isLast, now: now)
                        }
                    }
                }
            }
            drain()
        }
    }

    private func take(_ packet: IncomingPacket) {
        var reception = receptions[packet.mid.rawValue] ?? Reception()
        switch packet.kind {
        case .audio:
            guard let content = SyntheticAudio(parsing: packet.payload) else { return }
            reception.audioPackets += 1
            reception.sources.insert(content.source)
            reception.lastAudio = max(reception.lastAudio, content.captured)
        case .video:
            reception.frames += packet.header.marker ? 1 : 0
            reception.lastFrame = Self.now
        }
        receptions[packet.mid.rawValue] = reception
    }

    private func receive(_ bytes: [UInt8], _ from: MediaBase.SocketAddress) {
        lock.withLock {
            guard !isDeaf else { return }
            bytes.withUnsafeBytes { endpoint.receive($0, from: PeerAddress(from), now: Self.now) }
            drain()
        }
    }

    private func drain() {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                guard !isDeaf, !to.isTCP,
                    let address = try? NIOCore.SocketAddress(ipAddress: to.address.host, port: Int(to.address.port))
                else { continue }
                channel.writeAndFlush(
                    AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: bytes)), promise: nil)
            case .keyFrameWanted(let track, let encoding): video[track]?.requestKeyFrame(encoding: encoding)
            case .connect, .disconnect, .connected, .noPath, .ended: break
            }
        }
    }

    private final class Receiver: ChannelInboundHandler, Sendable {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        let box = NIOLockedValueBox<(@Sendable ([UInt8], MediaBase.SocketAddress) -> Void)?>(nil)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let envelope = unwrapInboundIn(data)
            guard let host = envelope.remoteAddress.ipAddress, let port = envelope.remoteAddress.port,
                let from = MediaBase.SocketAddress(host, port: UInt16(port))
            else { return }
            box.withLockedValue { $0 }?(Array(envelope.data.readableBytesView), from)
        }
    }
}
