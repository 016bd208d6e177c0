import CLinuxNet
import MediaBase
import RTP
import SDP
import Transport
import WebRTCClient

/// WebRTC participant with its own socket: publisher or subscriber; confined to a thread.
final class Peer {
    let setup: PeerSetup
    private(set) var connections = ConnectionStatistics()

    private let endpoint: WebRTCEndpoint
    private let loss: LossPattern
    private var media: PeerMedia?
    private var reception: PeerReception
    private var sent = SendStatistics()
    private var droppedArriving: UInt64 = 0
    private var reports: UInt64 = 0
    private var arrivals: UInt64 = 0
    private var departures: UInt64 = 0
    private var isAnnounced = false
    private var wasConnected = false
    private let accepted: Int64
    private var datagramLength = 0
    private var lastKeyFrameRequest: Int64
    private var destination: (address: SocketAddress, kernel: millrace_address)?

    private static let keyFrameInterval: Int64 = 500_000_000
    private static let silentAfter: Int64 = 2_000_000_000

    init(_ setup: PeerSetup, loss: LossPattern) {
        self.setup = setup
        self.loss = loss
        endpoint = WebRTCEndpoint(setup.configuration)
        reception = PeerReception(feed: setup.feed)
        accepted = LoadClock.now
        lastKeyFrameRequest = accepted
        endpoint.onPacket = { [unowned self] packet in
            reception.receive(packet, bytes: datagramLength, now: LoadClock.now)
        }
    }

    /// Accepts the relay's answer and starts the connection.
    func start(with sender: PacketSender) {
        do throws(WebRTCEndpointError) {
            try endpoint.accept(Array(setup.answer.utf8), now: .nanoseconds(LoadClock.now))
        } catch {
            return announce(.failure(.answer("\(error)")))
        }
        drain(with: sender)
    }

    func receive(_ datagram: UnsafeRawBufferPointer, from: millrace_address, now: Int64, with sender: PacketSender) {
        let kind = DatagramKind(datagram)
        if kind == .rtp || kind == .rtcp {
            arrivals += 1
            if loss.drops(stream: lossStream | 1 << 40, packet: arrivals) {
                droppedArriving += 1
                return
            }
            if kind == .rtcp { reports += 1 }
        }
        guard let source = SocketAddress(from) else { return }
        datagramLength = datagram.count
        endpoint.receive(datagram, from: PeerAddress(source), now: .nanoseconds(now))
        drain(with: sender)
    }

    /// Handles the endpoint's timers, and requests a key frame if the decoder needs one.
    func handleTimeout(now: Int64, with sender: PacketSender) {
        if let feed = setup.feed, feed.wantsKeyFrame, now - lastKeyFrameRequest >= Self.keyFrameInterval,
            let track = setup.configuration.tracks.firstIndex(where: { $0.kind == .video })
        {
            lastKeyFrameRequest = now
            endpoint.requestKeyFrame(track: track)
        }
        guard endpoint.deadline.rawValue <= now else { return }
        endpoint.handleTimeout(now: .nanoseconds(now))
        drain(with: sender)
    }

    /// Sends a publisher's media that is due. Returns the time of the next known event, or `Int64.max`.
    func send(now: Int64, with sender: PacketSender) -> Int64 {
        guard media != nil, endpoint.isConnected else { return .max }
        let next = media?.send(now: now, to: endpoint) ?? .max
        drain(with: sender)
        return next
    }

    /// Closes the connection.
    func close(with sender: PacketSender) {
        endpoint.close(now: .nanoseconds(LoadClock.now))
        drain(with: sender)
        announce(.failure(.notConnected("the run ended")))
        setup.feed?.close(now: LoadClock.now)
    }

    private func drain(with sender: PacketSender) {
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): transmit(datagram, to: to, with: sender)
            case .connect(_, let connection):
                // The generator only supports UDP.
                endpoint.disconnected(connection: connection, now: .nanoseconds(LoadClock.now))
            case .disconnect, .noPath: break
            case .connected: connected()
            case .keyFrameWanted(let track, let place): media?.requestKeyFrame(track: track, place: place)
            case .ended(let reason): ended(reason)
            }
        }
        sender.flush(socket: setup.socket.descriptor)
    }

    private func connected() {
        wasConnected = true
        let now = LoadClock.now
        let found = endpoint.pathFound?.rawValue ?? now
        connections.ice.record((found - accepted) / 1_000)
        connections.dtls.record((now - found) / 1_000)
        if let offered = setup.media { media = PeerMedia(offered, endpoint: endpoint) }
        announce(.success(()))
    }

    private func ended(_ reason: TransportEnd) {
        if wasConnected {
            connections.lost += 1
            connections.firstLoss = connections.firstLoss ?? reason.description
        }
        announce(.failure(.notConnected(reason.description)))
    }

    private func announce(_ result: Result<Void, LoadError>) {
        guard !isAnnounced else { return }
        isAnnounced = true
        setup.completion(result)
    }

    private func transmit(_ datagram: [UInt8], to: PeerAddress, with sender: PacketSender) {
        // A candidate of the other IP version cannot be reached from this socket.
        guard to.address.isIPv6 == setup.socket.isIPv6 else { return }
        if datagram.withUnsafeBytes({ DatagramKind($0) }) == .rtp {
            departures += 1
            if loss.drops(stream: lossStream, packet: departures) {
                sent.droppedOnPurpose += 1
                return
            }
            sent.packets += 1
            sent.bytes += UInt64(datagram.count)
        }
        if destination?.address != to.address { destination = (to.address, millrace_address(to.address)) }
        guard let kernel = destination?.kernel else { return }
        sender.queue(datagram, to: kernel, socket: setup.socket.descriptor)
    }

    /// Stream number for the loss pattern, from the participant's index, which is the same in every run, unlike its SSRCs.
    private var lossStream: UInt64 { UInt64(setup.index) << 1 | (setup.media == nil ? 1 : 0) }

    /// Statistics of the packets sent so far.
    var sendStatistics: SendStatistics {
        var total = sent
        if let media { total.add(media.statistics) }
        total.resent = endpoint.statistics.retransmissions
        total.keyFrameRequests = endpoint.statistics.keyFrameRequestsReceived
        return total
    }

    /// Returns the statistics of the packets received so far.
    func receptionStatistics(now: Int64) -> ReceptionStatistics {
        var total = ReceptionStatistics()
        guard setup.media == nil, wasConnected else { return total }
        let kinds = endpoint.tracks.compactMap { $0?.kind }
        reception.add(to: &total, tracks: kinds, isOld: now - setup.joined > Self.silentAfter)
        total.droppedOnPurpose = droppedArriving
        total.kernelDrops = setup.socket.kernelDrops
        total.rtcpPackets = reports
        total.duplicates = endpoint.statistics.duplicates
        total.recovered = endpoint.statistics.recovered
        total.foreign = endpoint.statistics.refused
        total.askedAgain = endpoint.statistics.requests
        total.keyFrameRequests = endpoint.statistics.keyFrameRequestsSent
        if let first = reception.firstPacket { total.firstPacket.record((first - setup.joined) / 1_000) }
        return total
    }
}
