import DTLS
import MediaBase
import RTP
import SDP
import Transport
import WebRTCClient

/// Peer connection of all of a session's publications. Confined to the media thread.
final class PublishPeer {
    /// A publisher with its tracks in the peer connection.
    private struct Source {
        let publisher: Publisher
        var audio: Int?
        var video: Int?
        /// Packetizers by encoding, smallest first.
        var packetizers: [VideoPacketizer]
        var hasKeyFrame: [Bool]
        let encryptor = FrameEncryptor()

        /// Returns the frame as it is sent; nil if it must not be sent, because it cannot be encrypted.
        func sealed(_ frame: [UInt8], _ kind: MediaKind) -> [UInt8]? {
            let (isEncrypted, key) = publisher.encryption
            guard isEncrypted else { return frame }
            return key.flatMap { encryptor.seal(frame, kind, with: $0) }
        }
    }

    let path: DatagramPath
    private let endpoint: WebRTCEndpoint
    private let troubled: @Sendable (PathTrouble) -> Void
    private var watch = PathWatch()
    private var sources: [UInt64: Source] = [:]
    private var pacer: PacketPacer
    private var nextRate = MediaTime.zero
    /// Estimated capacity of the path.
    private var available: Bitrate?

    /// RIDs of the simulcast encodings, smallest first.
    private static let rids = ["q", "h", "f"].compactMap { RID($0) }
    /// Estimate of the capacity before the first measurement.
    private static let uplinkStart = Bitrate.kilobits(1_500)
    private static let rateInterval = MediaTime.milliseconds(100)
    /// Ratio of the pacing rate to the encoders' bit rate.
    private static let pacing = 2.5

    /// - Parameter isNative: true if keys are exchanged in the offers and answers (SDES); otherwise by DTLS.
    init(
        localAddress: String?, isNative: Bool, troubled: @escaping @Sendable (PathTrouble) -> Void
    ) throws(DTLSFailure) {
        path = DatagramPath(localAddress: localAddress)
        self.troubled = troubled
        var random = SystemRandomNumberGenerator()
        var configuration = WebRTCEndpoint.Configuration(
            .publish, tracks: [], identity: try .generate(), using: &random)
        configuration.wallClock = WallClock.offset
        configuration.uplinkStart = Self.uplinkStart
        // `watch` monitors consent instead of the endpoint.
        configuration.consentTimeout = .seconds(86_400)
        if isNative { configuration.keys = SignalledKeys() }
        endpoint = WebRTCEndpoint(configuration)
        pacer = PacketPacer(rate: .kilobits(10_000))
    }

    var isEnded: Bool { endpoint.isEnded }

    // MARK: offer and answer

    /// Creates an offer with the media of exactly these publishers.
    /// - Parameter restartsICE: whether to use new ICE credentials (RFC 8445 section 9); certificate and keys stay.
    func offer(_ publishers: [Publisher], restartsICE: Bool = false) -> PublishOffer {
        for (key, source) in sources where !publishers.contains(where: { $0.key == key }) {
            for track in [source.audio, source.video] { if let track { endpoint.stopTrack(track) } }
            sources[key] = nil
        }
        for publisher in publishers where sources[publisher.key] == nil { add(publisher) }
        var random = SystemRandomNumberGenerator()
        let description = endpoint.reoffer(restart: restartsICE ? ICECredentials.random(using: &random) : nil)
        var sections: [UInt64: PublishOffer.Sections] = [:]
        for (key, source) in sources {
            let mids = [source.audio, source.video].map { track in track.flatMap { description.media[$0].mid } }
            sections[key] = PublishOffer.Sections(audio: mids[0], video: mids[1])
        }
        return PublishOffer(sdp: description.text, sections: sections)
    }

    func accept(_ answer: String, now: MediaTime) throws(WebRTCEndpointError) {
        try endpoint.accept(Array(answer.utf8), now: now)
        drain(now: now)
        if endpoint.isConnected { showConnected() }
    }

    private func add(_ publisher: Publisher) {
        var tracks: [TrackDescription] = []
        if publisher.settings.audio != nil { tracks.append(.offered(.audio, encodings: [.init()])) }
        let count = publisher.video?.encodingCount ?? 0
        // The only codec of the offer, so that the relay cannot choose another one.
        let codec = publisher.settings.video?.codec ?? .vp8
        if count == 1 { tracks.append(.offered(.video, codecs: [codec], encodings: [.init()])) }
        if count > 1 {
            tracks.append(.offered(.video, codecs: [codec], encodings: Self.rids.map { .init(rid: $0) }))
        }
        let indices = endpoint.addTracks(tracks)
        sources[publisher.key] = Source(
            publisher: publisher, audio: publisher.settings.audio == nil ? nil : indices.first,
            video: count == 0 ? nil : indices.last,
            packetizers: (0..<count).map { _ in VideoPacketizer(codec, maximumPayloadLength: 1_150) },
            hasKeyFrame: Array(repeating: false, count: count))
    }

    // MARK: datagrams and time

    func receive(_ datagram: UnsafeRawBufferPointer, from source: SocketAddress, now: MediaTime) {
        endpoint.receive(datagram, from: PeerAddress(source), now: now)
        if watch.isExpired { look(now: now) }
        drain(now: now)
    }

    var deadline: MediaTime {
        min(endpoint.deadline, pacer.deadline, endpoint.isConnected ? min(nextRate, watch.deadline) : .never)
    }

    /// Returns whether the relay has not answered for a while.
    func isSilent(now: MediaTime) -> Bool { PathWatch.isSilent(lastConsent: endpoint.lastConsent, now: now) }

    private func look(now: MediaTime) {
        guard endpoint.isConnected else { return }
        for change in watch.look(lastConsent: endpoint.lastConsent, now: now) {
            switch change {
            case .silent:
                rebind(now: now)
                troubled(.silent)
            case .expired: for source in sources.values { source.publisher.setConnected(false) }
            case .restored: showConnected()
            }
        }
    }

    func handleTimeout(now: MediaTime) {
        if endpoint.deadline <= now { endpoint.handleTimeout(now: now) }
        look(now: now)
        sendPaced(now: now)
        if endpoint.isConnected, nextRate <= now {
            nextRate = now + Self.rateInterval
            adapt()
        }
        drain(now: now)
    }

    func rebind(now: MediaTime) {
        path.rebind()
        endpoint.rebind(now: now)
        drain(now: now)
    }

    func close(now: MediaTime) {
        endpoint.close(now: now)
        drain(now: now)
        for source in sources.values { source.publisher.setConnected(false) }
    }

    private func drain(now: MediaTime) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): path.send(datagram, to: to.address)
            case .noPath(let report): troubled(.missing(report))
            case .connect(_, let connection): endpoint.disconnected(connection: connection, now: now)
            case .disconnect: break
            case .connected:
                troubled(.mended)
                showConnected()
            case .keyFrameWanted(let track, let index): keyFrameWanted(track, index)
            case .ended:
                for source in sources.values { source.publisher.setConnected(false) }
                troubled(.ended)
            }
        }
    }

    private func showConnected() {
        guard !watch.isExpired else { return }
        for source in sources.values {
            let tracks = [source.audio, source.video].compactMap { $0 }
            guard tracks.contains(where: { endpoint.encodingCount(track: $0) > 0 }) else { continue }
            source.publisher.setConnected(true)
        }
    }

    // MARK: media

    /// Sends the output of a publisher's encoders.
    func send(_ media: EncodedMedia, key: UInt64, now: MediaTime) {
        guard endpoint.isConnected, !watch.isExpired, let source = sources[key] else { return }
        switch media {
        case .audio(let bytes, let level, let time):
            guard let track = source.audio, let bytes = source.sealed(bytes, .audio) else { return }
            bytes.withUnsafeBytes {
                _ = endpoint.send(
                    $0, track: track, time: time, marker: false, level: AudioLevel(level: level, isVoice: level < 60),
                    now: now)
            }
        case .video(let encoding, let bytes, let isKeyFrame, let isReference, let time):
            guard let track = source.video, source.hasKeyFrame.indices.contains(encoding),
                let index = index(of: encoding, track: track)
            else { return }
            // Subscribers cannot decode frames before the first key frame.
            guard isKeyFrame || source.hasKeyFrame[encoding] else { return }
            guard let bytes = source.sealed(bytes, .video),
                let payloads = try? sources[key]?.packetizers[encoding].payloads(of: bytes, nonReference: !isReference)
            else { return }
            sources[key]?.hasKeyFrame[encoding] = true
            for (number, payload) in payloads.enumerated() {
                let packet = PacketPacer.Packet(
                    payload: payload, track: track, encoding: index, time: time, marker: number == payloads.count - 1)
                if !pacer.add(packet) {
                    source.publisher.video?.setPaused(false)
                    break
                }
            }
            sendPaced(now: now)
        }
        drain(now: now)
    }

    private func sendPaced(now: MediaTime) {
        while let packet = pacer.take(now: now) {
            packet.payload.withUnsafeBytes {
                _ = endpoint.send(
                    $0, track: packet.track, encoding: packet.encoding, time: packet.time, marker: packet.marker,
                    now: now)
            }
        }
    }

    /// Returns the index of an encoding among those that the relay accepted; nil if it was not accepted. If the relay accepted no
    /// simulcast, only encoding 0 is sent.
    private func index(of encoding: Int, track: Int) -> Int? {
        let count = endpoint.encodingCount(track: track)
        guard count > 0 else { return nil }
        let taken = endpoint.tracks[track]?.encodings.compactMap(\.rid) ?? []
        guard !taken.isEmpty else { return encoding == 0 ? 0 : nil }
        let accepted = Self.rids.filter(taken.contains)
        return Self.rids.indices.contains(encoding) ? accepted.firstIndex(of: Self.rids[encoding]) : nil
    }

    private func keyFrameWanted(_ track: Int, _ index: Int) {
        guard let source = sources.values.first(where: { $0.video == track }) else { return }
        let encoding = source.hasKeyFrame.indices.first { self.index(of: $0, track: track) == index }
        if let encoding { source.publisher.video?.requestKeyFrame(encoding: encoding) }
    }

    /// Distributes the path's capacity among the publishers.
    private func adapt() {
        let videos = sources.values.compactMap { source in source.publisher.video }
        guard !videos.isEmpty else { return }
        let wanted = videos.reduce(0) { $0 + $1.wanted.rawValue }
        endpoint.uplink?.wanted = Bitrate(bitsPerSecond: wanted)
        let limits = [endpoint.uplink?.target, endpoint.statistics.reportedBitrate].compactMap { $0 }
        available = limits.min()
        for video in videos {
            // In proportion to their maximum bit rates.
            let share = Double(video.wanted.rawValue) / Double(max(1, wanted))
            video.setAvailable(available.map { Bitrate(bitsPerSecond: Int64(Double($0.rawValue) * share)) })
        }
        let made = videos.reduce(0) { $0 + $1.bitrate.rawValue }
        let rate = max(1_000_000, Int64(Double(made) * Self.pacing))
        pacer.rate = Bitrate(bitsPerSecond: max(rate, endpoint.uplink?.pacingRate.rawValue ?? 0))
    }

    var statistics: TransportStatistics {
        var statistics = TransportStatistics(endpoint.statistics)
        statistics.availableBitrate = available
        return statistics
    }
}
