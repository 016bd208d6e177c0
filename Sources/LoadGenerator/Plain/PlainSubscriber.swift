import CLinuxNet
import MediaBase
import MediaEngine
import RTP
import SRTP

/// Synthetic subscriber over plain SRTP: counts every packet by the header, which SRTP leaves unencrypted, and sends receiver
/// reports, NACK and PLI.
final class PlainSubscriber: LoadEndpoint {
    let sockets: [UDPSocket]

    private let cname: String
    private var arriving: LossPattern.Stream
    private var reception: Reception
    private var counters = ReceptionStatistics()
    private let outbound: SRTPContext
    private let ssrc = SSRC(.random(in: 1 ... .max))
    /// Address from which the relay sends; RTCP goes there.
    private var relay: millrace_address?
    private var nextReport: Int64

    /// - Parameter joined: time at which the join began, in monotonic nanoseconds.
    init(
        _ index: Int, _ transport: PlainTransport, _ socket: UDPSocket, joined: Int64, feed: SampleFeed?,
        loss: LossPattern
    ) throws(LoadError) {
        cname = "load-\(index)"
        arriving = loss.stream(UInt64(index) | 1 << 40)
        sockets = [socket]
        do { outbound = try SRTPContext(key: transport.clientKey, direction: .outbound) } catch {
            throw .media("SRTP: \(error)")
        }
        let accepted = [(transport.video, MediaKind.video), (transport.audio, .audio)]
        let tracks = accepted.compactMap { track, kind in track.map { TrackReception(ssrc: $0.ssrc, kind: kind) } }
        reception = Reception(tracks: tracks, joined: joined, feed: feed)
        // Spread over one second, so that a thousand subscribers do not all report at once.
        nextReport = joined + 500_000_000 + Int64(index % 50) * 20_000_000
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, at _: Int, from: millrace_address, now: Int64) {
        guard !arriving.drops(counting: &counters.droppedOnPurpose) else { return }
        let datagram = UnsafeRawBufferPointer(datagram)
        switch DatagramKind(datagram) {
        case .rtp:
            if let header = try? RTPHeader(parsingProtected: datagram),
                reception.record(header, bytes: datagram.count, now: now)
            {
                reception.feed?.push(Array(datagram), arrival: now)
            } else {
                counters.foreign += 1
            }
        case .rtcp: break
        default: counters.foreign += 1
        }
        if relay == nil { relay = from }
    }

    func respond(now: Int64, with sender: PacketSender) {
        // Missing packets are requested as soon as they are due, everything else with the timers.
        if reception.tracks.contains(where: \.isMissingPackets) { handleTimeout(now: now, with: sender) }
    }

    /// Sends the RTCP that is due.
    func handleTimeout(now: Int64, with sender: PacketSender) {
        guard let relay else { return }
        var packet: [UInt8] = []
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            let blocks = reception.tracks.indices.compactMap { reception.tracks[$0].reportBlock(now: now) }
            ReceiverReport(sender: ssrc, blocks: blocks).write(into: &packet)
            SDES(chunks: [SDES.Chunk(source: ssrc, cname: cname)]).write(into: &packet)
        }
        for i in reception.tracks.indices where reception.tracks[i].kind == .video {
            let media = SSRC(reception.tracks[i].ssrc)
            let numbers = reception.tracks[i].numbersToAskFor(now: now)
            if !numbers.isEmpty {
                counters.askedAgain += UInt64(numbers.count)
                GenericNACK(sender: ssrc, media: media, sequences: numbers).write(into: &packet)
            }
            let isGivenUp = reception.tracks[i].takeKeyFrameNeed()
            if reception.takeKeyFrameRequest(now: now) || isGivenUp {
                counters.keyFrameRequests += 1
                PLI(sender: ssrc, media: media).write(into: &packet)
            }
        }
        guard !packet.isEmpty, let datagram = try? outbound.protectedRTCP(packet) else { return }
        sender.queue(datagram, to: relay, socket: sockets[0].descriptor)
        sender.flush(socket: sockets[0].descriptor)
    }

    func close(now: Int64, with sender: PacketSender) { reception.feed?.close(now: now) }

    func add(to totals: inout EndpointTotals, now: Int64) {
        reception.add(to: &totals.received, now: now)
        totals.received.add(counters)
        totals.received.kernelDrops += sockets[0].kernelDrops
    }
}
