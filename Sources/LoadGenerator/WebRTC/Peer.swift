import CLinuxNet
import MediaBase
import RTP
import Transport
import WebRTCClient

/// WebRTC participant: publisher or subscriber.
final class Peer: LoadEndpoint {
    let sockets: [UDPSocket]
    let publishes: Bool

    private let answer: String
    private let source: MediaSchedule.Source?
    private let link: PeerLink
    private var media: MediaSchedule?
    /// Tracks of the offer that the relay accepts from a publisher.
    private var publishedTracks: [MediaKind: Int] = [:]
    private var reception: Reception
    private var connections = ConnectionStatistics()
    private var sent = SendStatistics()
    private var arriving: LossPattern.Stream
    private var departing: LossPattern.Stream
    private var droppedArriving: UInt64 = 0
    private var ready: EndpointThread.Ready?
    private var wasConnected = false
    private var accepted: Int64 = 0
    private var datagramLength = 0

    private var endpoint: WebRTCEndpoint { link.endpoint }

    /// - Parameters:
    ///   - joined: time at which the offer was sent, in monotonic nanoseconds.
    ///   - source: media that a publisher sends; nil for a subscriber.
    init(
        _ index: Int, _ configuration: WebRTCEndpoint.Configuration, answer: String, socket: UDPSocket, joined: Int64,
        source: MediaSchedule.Source?, feed: SampleFeed?, loss: LossPattern
    ) {
        self.answer = answer
        self.source = source
        publishes = source != nil
        let stream = UInt64(index) << 1 | (source == nil ? 1 : 0)
        departing = loss.stream(stream)
        arriving = loss.stream(stream | 1 << 40)
        sockets = [socket]
        link = PeerLink(configuration, socket: socket)
        reception = Reception(joined: joined, feed: feed)
        link.endpoint.onPacket = { [unowned self] packet in
            record(packet, bytes: datagramLength, now: LoadClock.now)
        }
    }

    /// Accepts the relay's answer and starts the connection.
    func start(with sender: PacketSender, ready: @escaping EndpointThread.Ready) {
        self.ready = ready
        accepted = LoadClock.now
        do throws(WebRTCEndpointError) {
            try endpoint.accept(Array(answer.utf8), now: .nanoseconds(accepted))
        } catch {
            return announce(.failure(.answer("\(error)")))
        }
        if source == nil {
            reception.tracks = endpoint.tracks.compactMap { $0?.kind }.map {
                TrackReception(ssrc: SampleFeed.ssrc(of: $0), kind: $0, requestsMissing: false)
            }
        }
        drain(now: accepted, with: sender)
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, at _: Int, from: millrace_address, now: Int64) {
        let kind = DatagramKind(UnsafeRawBufferPointer(datagram))
        if kind == .rtp || kind == .rtcp, arriving.drops(counting: &droppedArriving) { return }
        datagramLength = datagram.count
        link.receive(datagram, from: from, now: now)
    }

    func respond(now: Int64, with sender: PacketSender) { drain(now: now, with: sender) }

    /// Counts a packet, and passes a copy to the decoder.
    private func record(_ packet: IncomingPacket, bytes: Int, now: Int64) {
        let header = RTPHeader(
            payloadType: packet.header.payloadType, sequenceNumber: packet.header.sequenceNumber,
            timestamp: packet.header.timestamp, ssrc: SSRC(SampleFeed.ssrc(of: packet.kind)),
            marker: packet.header.marker, payloadLength: packet.payload.count)
        guard reception.record(header, bytes: bytes, now: now), let feed = reception.feed else { return }
        feed.push(header.packet(packet.payload), arrival: now)
    }

    func handleTimeout(now: Int64, with sender: PacketSender) {
        if let track = endpoint.configuration.tracks.firstIndex(where: { $0.kind == .video }),
            reception.takeKeyFrameRequest(now: now)
        {
            endpoint.requestKeyFrame(track: track)
        }
        link.handleTimeout(now: now)
        drain(now: now, with: sender)
    }

    func send(now: Int64, with sender: PacketSender) -> Int64 {
        guard endpoint.isConnected else { return .max }
        let next = media?.send(now: now) { transmit($0, now: now) } ?? .max
        drain(now: now, with: sender)
        return next
    }

    private func transmit(_ payload: MediaSchedule.Payload, now: Int64) {
        guard let track = publishedTracks[payload.kind] else { return }
        payload.bytes.withUnsafeBytes {
            _ = endpoint.send(
                $0, track: track, encoding: payload.encoding, time: .nanoseconds(payload.captured),
                marker: payload.isLast, level: payload.kind == .audio ? AudioLevel(level: 20, isVoice: true) : nil,
                now: .nanoseconds(now))
        }
    }

    func close(now: Int64, with sender: PacketSender) {
        endpoint.close(now: .nanoseconds(now))
        drain(now: now, with: sender)
        announce(.failure(.notConnected("the run ended")))
        reception.feed?.close(now: now)
    }

    private func drain(now: Int64, with sender: PacketSender) {
        for output in link.drain(now: now, with: sender, drops: { isDropped($0) }) {
            switch output {
            case .connected: connected(now: LoadClock.now)
            case .keyFrameWanted(let track, let encoding):
                if track == publishedTracks[.video] { media?.requestKeyFrame(encoding) }
            case .ended(let reason): ended(reason)
            case .transmit, .connect, .disconnect, .noPath: break
            }
        }
    }

    private func connected(now: Int64) {
        wasConnected = true
        let found = endpoint.pathFound?.rawValue ?? now
        connections.ice.record((found - accepted) / 1_000)
        connections.dtls.record((now - found) / 1_000)
        if let source { media = schedule(source) }
        announce(.success(()))
    }

    /// Returns the schedule of the media that the relay accepts.
    private func schedule(_ source: MediaSchedule.Source) -> MediaSchedule {
        let offered = endpoint.configuration.tracks
        for (track, description) in offered.enumerated() where endpoint.encodingCount(track: track) > 0 {
            publishedTracks[description.kind] = track
        }
        return MediaSchedule(
            source, audio: publishedTracks[.audio] != nil,
            encodings: publishedTracks[.video].map(encodings) ?? [])
    }

    /// Returns the encodings that the relay accepts, as indices in the source.
    private func encodings(of track: Int) -> [Int] {
        let offered = endpoint.configuration.tracks[track].encodings
        guard offered.count > 1 else { return [0] }
        let taken = Set(endpoint.tracks[track]?.encodings.compactMap(\.rid) ?? [])
        // A relay without simulcast accepts one encoding: the full size, which is offered last.
        guard !taken.isEmpty else { return [offered.count - 1] }
        return offered.indices.filter { offered[$0].rid.map(taken.contains) ?? false }
    }

    private func ended(_ reason: TransportEnd) {
        if wasConnected {
            connections.lost += 1
            connections.firstLoss = connections.firstLoss ?? reason.description
        }
        announce(.failure(.notConnected(reason.description)))
    }

    private func announce(_ result: Result<Void, LoadError>) {
        ready?(result)
        ready = nil
    }

    /// Counts a datagram of media, and returns whether it is dropped on purpose.
    private func isDropped(_ datagram: [UInt8]) -> Bool {
        guard datagram.withUnsafeBytes({ DatagramKind($0) }) == .rtp else { return false }
        guard !departing.drops(counting: &sent.droppedOnPurpose) else { return true }
        sent.packets += 1
        sent.bytes += UInt64(datagram.count)
        return false
    }

    func add(to totals: inout EndpointTotals, now: Int64) {
        totals.connections.add(connections)
        let counted = endpoint.statistics
        if publishes {
            var total = sent
            if let media { total.add(media.statistics) }
            total.resent = counted.retransmissions
            total.keyFrameRequests = counted.keyFrameRequestsReceived
            totals.sent.add(total)
        } else if wasConnected {
            var total = ReceptionStatistics()
            reception.add(to: &total, now: now)
            total.droppedOnPurpose = droppedArriving
            total.kernelDrops = sockets[0].kernelDrops
            total.duplicates = counted.duplicates
            total.recovered = counted.recovered
            total.foreign = counted.refused
            total.askedAgain = counted.requests
            total.keyFrameRequests = counted.keyFrameRequestsSent
            totals.received.add(total)
        }
    }
}
