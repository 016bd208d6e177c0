import CLinuxNet
import MediaBase
import MediaEngine
import RTP
import SRTP

/// Synthetic publisher over plain SRTP, with its socket, keys and RTP state.
final class PlainPublisher: LoadEndpoint {
    let sockets: [UDPSocket]
    let publishes = true

    private let cname: String
    private let outbound: SRTPContext
    private let inbound: SRTPContext
    private let clock: LoadClock
    private var media: MediaSchedule
    private var sent = SendStatistics()
    /// Tracks that the relay accepts, at most one of each kind.
    private var tracks: [OutgoingTrack] = []
    private var resending: LossPattern.Stream
    /// Sequence numbers of video that the relay has requested again.
    private var requested: [SequenceNumber] = []
    private var nextReport = LoadClock.now + 200_000_000

    init(
        _ index: Int, _ transport: PlainTransport, _ source: MediaSchedule.Source, host: String, clock: LoadClock,
        loss: LossPattern
    ) throws(LoadError) {
        cname = "load-\(index)"
        self.clock = clock
        do {
            outbound = try SRTPContext(key: transport.clientKey, direction: .outbound)
            inbound = try SRTPContext(key: transport.relayKey, direction: .inbound)
        } catch { throw .media("SRTP: \(error)") }
        let stream = UInt64(index) << 2
        resending = loss.stream(stream | 2)
        let accepted = [(transport.audio, MediaKind.audio, 1), (transport.video, .video, 512)]
        for case (let track?, let kind, let history) in accepted {
            let loss = loss.stream(kind == .audio ? stream : stream | 1)
            tracks.append(try OutgoingTrack(track, of: transport, kind: kind, history: history, loss: loss))
        }
        media = MediaSchedule(
            source, audio: transport.audio != nil, encodings: transport.video == nil ? [] : [0])
        sockets = [try UDPSocket(host: host, receiveBuffer: 256 << 10)]
    }

    private var socket: Int32 { sockets[0].descriptor }

    func send(now: Int64, with sender: PacketSender) -> Int64 {
        let next = media.send(now: now) { transmit($0, with: sender) }
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            for track in tracks where track.packets > 0 {
                let report = try? outbound.protectedRTCP(track.report(clock, now: now, cname: cname))
                if let report { sender.queue(report, to: track.address, socket: socket) }
            }
        }
        sender.flush(socket: socket)
        return min(next, nextReport)
    }

    private func transmit(_ payload: MediaSchedule.Payload, with sender: PacketSender) {
        guard let index = tracks.firstIndex(where: { $0.kind == payload.kind }) else { return }
        let packet = tracks[index].packet(payload)
        guard !tracks[index].loss.drops(counting: &sent.droppedOnPurpose) else { return }
        guard let datagram = try? outbound.protected(packet) else { return sent.refused += 1 }
        sender.queue(datagram, to: tracks[index].address, socket: socket)
        sent.packets += 1
        sent.bytes += UInt64(datagram.count)
    }

    /// Decrypts feedback; other datagrams are ignored.
    func receive(_ datagram: UnsafeMutableRawBufferPointer, at _: Int, from: millrace_address, now: Int64) {
        guard let base = datagram.baseAddress, DatagramKind(UnsafeRawBufferPointer(datagram)) == .rtcp else { return }
        var length = datagram.count
        guard (try? inbound.unprotectRTCP(base, length: &length)) != nil,
            let compound = try? RTCPCompound(parsing: UnsafeRawBufferPointer(start: base, count: length))
        else { return }
        for packet in compound {
            switch packet.kind {
            case .pli, .fir:
                sent.keyFrameRequests += 1
                media.requestKeyFrame(0)
            case .genericNACK:
                if let nack = try? GenericNACK(parsing: packet), nack.media == video?.ssrc {
                    requested += nack.sequences
                }
            default: break
            }
        }
    }

    func respond(now: Int64, with sender: PacketSender) {
        for number in requested {
            guard let video, let packet = video.packet(number) else { continue }
            sent.resent += 1
            guard !resending.drops(counting: &sent.droppedOnPurpose),
                let datagram = try? outbound.protected(packet)
            else { continue }
            sender.queue(datagram, to: video.address, socket: socket)
        }
        requested.removeAll(keepingCapacity: true)
        sender.flush(socket: socket)
    }

    private var video: OutgoingTrack? { tracks.first { $0.kind == .video } }

    func add(to totals: inout EndpointTotals, now: Int64) {
        totals.sent.add(sent)
        totals.sent.add(media.statistics)
    }
}
