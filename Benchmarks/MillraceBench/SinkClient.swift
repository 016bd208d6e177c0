import CLinuxNet
import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// Client of one socket: keeps its connection alive and sends feedback to the relay. Packets are read by their headers, which are not
/// encrypted; only those of the first subscriber are decrypted.
final class SinkClient {
    /// Returns Chromium's offer to receive, by kind.
    /// - Parameter sendsFeedback: whether bandwidth feedback is offered.
    static func offered(_ kind: MediaKind, mid: String, sendsFeedback: Bool) -> TrackDescription {
        var extensions = RTPExtensionMap()
        extensions[.absSendTime] = 2
        extensions[.transportWideCC] = 3
        extensions[.mid] = 4
        if kind == .audio {
            extensions[.audioLevel] = 1
        } else {
            extensions[.playoutDelay] = 5
        }
        if !sendsFeedback { extensions[.transportWideCC] = nil }
        var feedback: TrackDescription.Feedback = sendsFeedback ? [.transportCC] : []
        if kind == .video { feedback.formUnion(sendsFeedback ? [.nack, .pli, .fir, .remb] : [.nack, .pli, .fir]) }
        let codecs: [CodecDescription] =
            kind == .audio
            ? [CodecDescription(video: nil, payloadType: PayloadType(111), rtxPayloadType: nil, feedback: feedback)]
            : VideoCodec.allCases.enumerated().map { i, codec in
                CodecDescription(
                    video: codec, payloadType: PayloadType(UInt8(96 + 2 * i)),
                    rtxPayloadType: PayloadType(UInt8(97 + 2 * i)),
                    feedback: feedback)
            }
        return TrackDescription(mid: MID(mid)!, codecs: codecs, extensions: extensions)
    }

    private static let reportInterval = MediaTime.seconds(1)
    /// Assumed time between departure and arrival in feedback: sockets are read at intervals, so the arrival time is unknown.
    private static let transit = MediaTime.milliseconds(1)

    private struct Source {
        var ssrc: SSRC
        var highest: UInt32
    }

    let order: SinkClientOrder
    private let client: WebRTCClientTransport
    private let opens: Bool
    private var opener: IngressContext?
    private var protector: SRTPContext?
    private var address: PeerAddress?
    private let extensions: RTPExtensionMap
    private var feedback: FeedbackMaker
    private var sources: [Source] = []
    private var nextReport = MediaTime.never
    private let transmit: (UnsafeRawBufferPointer, SocketAddress) -> Void
    private(set) var isDone = false
    private(set) var isEnded = false

    /// - Parameters:
    ///   - opens: whether each packet is decrypted and authenticated.
    ///   - transmit: sends from the subscriber's socket.
    init(
        _ order: SinkClientOrder, identity: DTLSIdentity, opens: Bool, now: MediaTime,
        transmit: @escaping (UnsafeRawBufferPointer, SocketAddress) -> Void
    ) throws {
        guard let own = ICECredentials(ufrag: order.fragment, password: order.password),
            let relay = ICECredentials(ufrag: order.relayFragment, password: order.relayPassword),
            let fingerprint = CertificateFingerprint(order.fingerprint), let suite = SRTPSuite(sdesName: order.suite)
        else { throw BenchError("subscriber \(order.index): credentials, fingerprint or suite") }
        self.order = order
        self.opens = opens
        self.transmit = transmit
        feedback = FeedbackMaker(sender: SSRC(1), media: SSRC(1))
        extensions = order.extensions
        var configuration = WebRTCClientTransport.Configuration(
            credentials: own,
            peer: PeerDescription(credentials: relay, fingerprints: [fingerprint], setup: order.relaySetup),
            identity: identity, role: order.relaySetup == .active ? .server : .client)
        configuration.suites = [suite]
        configuration.ice.consentInterval = .seconds(order.consentSeconds)
        client = try WebRTCClientTransport(configuration, now: now)
        for (number, path) in order.paths.enumerated() {
            client.add(
                ICECandidate(
                    foundation: "\(number)", transport: .udp, priority: UInt32(order.paths.count - number),
                    host: path.host, port: path.port), now: now)
        }
        drain()
    }

    func receive(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime, _ report: inout SinkReport
    ) {
        let datagram = UnsafeRawBufferPointer(start: bytes, count: length)
        let kind = DatagramKind(datagram)
        if kind == .rtp { return receiveRTP(bytes, datagram, now: now, &report) }
        guard !isHalted else { return }
        if kind == .stun { client.receiveSTUN(datagram, from: PeerAddress(from), now: now) }
        if kind == .dtls {
            if order.stopsHalfway, Self.isServerHello(datagram) { isDone = true }
            if !isHalted { client.receiveDTLS(datagram, from: PeerAddress(from), now: now) }
        }
        drain()
    }

    func handleTimeout(now: MediaTime, _ report: inout SinkReport) {
        guard !isHalted else { return }
        if client.deadline <= now {
            client.handleTimeout(now: now)
            drain()
        }
        guard order.sendsFeedback, protector != nil else { return }
        while let due = feedback.deadline, due <= now, let message = feedback.take(now: now) {
            var bytes: [UInt8] = []
            message.write(into: &bytes)
            send(bytes)
            report.feedback += 1
        }
        guard nextReport <= now, !sources.isEmpty else { return }
        nextReport = now + Self.reportInterval
        var bytes: [UInt8] = []
        let blocks = sources.map {
            ReportBlock(
                source: $0.ssrc, fractionLost: 0, cumulativeLost: 0, highestSequence: $0.highest, jitter: 0,
                lastSenderReport: 0, delaySinceLastSenderReport: 0)
        }
        ReceiverReport(sender: SSRC(1), blocks: blocks).write(into: &bytes)
        SDES(chunks: [SDES.Chunk(source: SSRC(1), cname: "sink")]).write(into: &bytes)
        send(bytes)
        report.reports += 1
    }

    /// Whether the subscriber has stopped responding.
    private var isHalted: Bool { order.stopsHalfway && isDone }

    /// Whether a datagram is the first message of the answer to a ClientHello (RFC 6347 section 4.2.1), in an unencrypted record.
    private static func isServerHello(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count > 13 && datagram[0] == 22 && datagram[13] == 2
    }

    private func receiveRTP(
        _ bytes: UnsafeMutableRawPointer, _ datagram: UnsafeRawBufferPointer, now: MediaTime,
        _ report: inout SinkReport
    ) {
        report.packets += 1
        report.bytes += datagram.count
        if let type = order.repairs, datagram.count > 1, datagram[1] & 0x7f == type { report.repairs += 1 }
        if order.sendsFeedback { note(datagram, now: now) }
        guard opens else { return }
        var length = datagram.count
        if opener == nil || (try? opener?.unprotect(bytes, length: &length)) == nil { report.unauthentic += 1 }
    }

    private func note(_ datagram: UnsafeRawBufferPointer, now: MediaTime) {
        guard let header = try? RTPHeader(parsing: datagram) else { return }
        let values = RTPExtensionValues(header, in: datagram, map: extensions)
        if let sequence = values.transportSequence, let departure = values.sendTime {
            let age = AbsoluteSendTime(now).rawValue &- departure.rawValue & 0xff_ffff
            let arrival = now - MediaTime(rawValue: Int64(age) * 1_000_000_000 >> 18) + Self.transit
            feedback.receive(sequence: sequence.number.rawValue, bytes: datagram.count, now: arrival)
        }
        let number = header.sequenceNumber.rawValue
        if let index = sources.firstIndex(where: { $0.ssrc == header.ssrc }) {
            let highest = sources[index].highest
            let step = number &- UInt16(truncatingIfNeeded: highest)
            if step < 0x8000 { sources[index].highest = highest &+ UInt32(step) }
        } else if sources.count < 4 {
            sources.append(Source(ssrc: header.ssrc, highest: UInt32(number)))
            if sources.count == 1 { feedback.media = header.ssrc }
        }
    }

    private func drain() {
        while let output = client.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): bytes.withUnsafeBytes { transmit($0, to.address) }
            case .selected(let address): self.address = address
            case .connected(let keys):
                isDone = true
                protector = try? SRTPContext(key: keys.local, direction: .outbound)
                if opens { opener = IngressContext(key: keys.remote) }
                nextReport = .zero
            case .ended: isEnded = true
            case .connect, .disconnect, .noPath: break
            }
        }
    }

    private func send(_ message: [UInt8]) {
        guard let protector, let address else { return }
        var length = message.count
        withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 8) { room in
            guard length + 64 <= room.count, let base = room.baseAddress else { return }
            room.copyBytes(from: message)
            guard (try? protector.protectRTCP(base, length: &length, capacity: room.count)) != nil else { return }
            transmit(UnsafeRawBufferPointer(start: base, count: length), address.address)
        }
    }
}
