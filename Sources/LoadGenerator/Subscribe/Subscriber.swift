import CLinuxNet
import MediaBase
import RTP
import SRTP

/// Synthetic subscriber: counts every packet by the header, which SRTP leaves unencrypted, and sends receiver reports, NACK and
/// PLI; confined to a receiving thread.
final class Subscriber {
    let setup: SubscriberSetup
    private var audio: TrackReception?
    private var video: TrackReception?
    private var counters = ReceptionStatistics()
    private let outbound: SRTPContext
    private let ssrc = UInt32.random(in: 1 ... .max)
    /// Address from which the relay sends; RTCP goes there.
    private var relay: millrace_address?
    private var arrivals: UInt64 = 0
    private var firstPacket: Int64?
    private var nextReport: Int64
    private var lastKeyFrameRequest: Int64 = 0

    private static let keyFrameInterval: Int64 = 500_000_000
    private static let silentAfter: Int64 = 2_000_000_000

    init(_ setup: SubscriberSetup) throws(LoadError) {
        self.setup = setup
        do { outbound = try SRTPContext(key: setup.transport.clientKey, direction: .outbound) } catch {
            throw .media("SRTP: \(error)")
        }
        audio = setup.transport.audio.map { TrackReception(ssrc: $0.ssrc, kind: .audio) }
        video = setup.transport.video.map { TrackReception(ssrc: $0.ssrc, kind: .video) }
        // Spread over one second, so that a thousand subscribers do not all report at once.
        nextReport = setup.joined + 500_000_000 + Int64(setup.index % 50) * 20_000_000
    }

    func receive(_ datagram: UnsafeRawBufferPointer, from: millrace_address, now: Int64, loss: LossPattern) {
        arrivals += 1
        if loss.drops(stream: UInt64(setup.index) | 1 << 40, packet: arrivals) {
            counters.droppedOnPurpose += 1
            return
        }
        switch DatagramKind(datagram) {
        case .rtp: receiveRTP(datagram, now: now)
        case .rtcp: counters.rtcpPackets += 1
        default: counters.foreign += 1
        }
        if relay == nil { relay = from }
    }

    private func receiveRTP(_ datagram: UnsafeRawBufferPointer, now: Int64) {
        guard let header = try? RTPHeader(parsingProtected: datagram) else {
            counters.foreign += 1
            return
        }
        if header.ssrc.rawValue == video?.ssrc {
            video?.record(header, bytes: datagram.count, now: now)
        } else if header.ssrc.rawValue == audio?.ssrc {
            audio?.record(header, bytes: datagram.count, now: now)
        } else {
            counters.foreign += 1
            return
        }
        if firstPacket == nil { firstPacket = now }
        setup.feed?.push(datagram, arrival: now)
    }

    /// True if packets are missing that can still be requested.
    var needsAttention: Bool { video?.isMissingPackets == true }

    /// Sends the RTCP that is due.
    func sendFeedback(now: Int64, with sender: PacketSender) {
        guard let relay else { return }
        var packet: [UInt8] = []
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            writeReport(into: &packet)
        }
        if let numbers = video?.numbersToAskFor(now: now), !numbers.isEmpty, let media = video?.ssrc {
            counters.askedAgain += UInt64(numbers.count)
            GenericNACK(sender: SSRC(ssrc), media: SSRC(media), sequences: numbers).write(into: &packet)
        }
        if let media = video?.ssrc, let feed = setup.feed, now - lastKeyFrameRequest >= Self.keyFrameInterval,
            now - setup.joined >= Self.keyFrameInterval, feed.wantsKeyFrame
        {
            lastKeyFrameRequest = now
            counters.keyFrameRequests += 1
            PLI(sender: SSRC(ssrc), media: SSRC(media)).write(into: &packet)
        }
        guard !packet.isEmpty else { return }
        let descriptor = setup.socket.descriptor
        _ = sender.queueRTCP(packet, context: outbound, to: relay, socket: descriptor)
        sender.flush(socket: descriptor)
    }

    private func writeReport(into packet: inout [UInt8]) {
        var blocks: [ReportBlock] = []
        func add(_ track: inout TrackReception?) {
            guard let values = track?.reportValues(), let source = track?.ssrc else { return }
            blocks.append(
                ReportBlock(
                    // The relay's sender reports are not decrypted, so LSR and DLSR are 0.
                    source: SSRC(source), fractionLost: values.fractionLost, cumulativeLost: values.cumulativeLost,
                    highestSequence: values.highest, jitter: values.jitter, lastSenderReport: 0,
                    delaySinceLastSenderReport: 0))
        }
        add(&audio)
        add(&video)
        ReceiverReport(sender: SSRC(ssrc), blocks: blocks).write(into: &packet)
        SDES(chunks: [SDES.Chunk(source: SSRC(ssrc), cname: "load-\(setup.index)")]).write(into: &packet)
    }

    /// Returns all statistics so far.
    func statistics(now: Int64) -> ReceptionStatistics {
        var total = counters
        for track in [audio, video] {
            guard let track else { continue }
            track.add(to: &total)
            if track.packets == 0, now - setup.joined > Self.silentAfter { total.silentTracks += 1 }
        }
        if let firstPacket { total.firstPacket.record((firstPacket - setup.joined) / 1_000) }
        total.kernelDrops = setup.socket.kernelDrops
        return total
    }
}
