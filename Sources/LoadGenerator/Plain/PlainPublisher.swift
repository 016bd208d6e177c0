import CLinuxNet
import MediaBase
import MediaEngine
import RTP
import SRTP

/// Synthetic publisher over plain SRTP, with its socket, keys and RTP state.
final class PlainPublisher: LoadEndpoint {
    let sockets: [UDPSocket]
    let publishes = true

    private let index: Int
    private let outbound: SRTPContext
    private let inbound: SRTPContext
    private let clock: LoadClock
    private let loss: LossPattern
    private var media: MediaSchedule
    private var sent = SendStatistics()
    private var audio: OutgoingTrack?
    private var video: OutgoingTrack?
    /// Sequence numbers of video that the relay has requested again.
    private var requested: [SequenceNumber] = []
    private var nextReport = LoadClock.now + 200_000_000

    /// - Parameter index: unique in the run.
    init(
        _ index: Int, _ transport: PlainTransport, _ source: MediaSchedule.Source, host: String, clock: LoadClock,
        loss: LossPattern
    ) throws(LoadError) {
        self.index = index
        self.clock = clock
        self.loss = loss
        do {
            outbound = try SRTPContext(key: transport.clientKey, direction: .outbound)
            inbound = try SRTPContext(key: transport.relayKey, direction: .inbound)
        } catch { throw .media("SRTP: \(error)") }
        audio = try transport.audio.map { track throws(LoadError) in
            try OutgoingTrack(track, of: transport, kind: .audio, history: 0)
        }
        video = try transport.video.map { track throws(LoadError) in
            try OutgoingTrack(track, of: transport, kind: .video, history: 512)
        }
        media = MediaSchedule(source, audio: audio != nil, encodings: video == nil ? [] : [0])
        sockets = [try UDPSocket(host: host, receiveBuffer: 256 << 10)]
    }

    private var socket: Int32 { sockets[0].descriptor }

    func send(now: Int64, with sender: PacketSender) -> Int64 {
        let next = media.send(now: now) { payload in
            if payload.kind == .audio {
                transmit(payload, on: &audio, with: sender)
            } else {
                transmit(payload, on: &video, with: sender)
            }
        }
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            for case let track? in [audio, video] where track.packets > 0 {
                let report = try? outbound.protectedRTCP(track.report(clock, now: now, cname: "load-\(index)"))
                if let report { sender.queue(report, to: track.rtcpAddress, socket: socket) }
            }
        }
        sender.flush(socket: socket)
        return min(next, nextReport)
    }

    private func transmit(
        _ payload: MediaSchedule.Payload, on track: inout OutgoingTrack?, with sender: PacketSender
    ) {
        guard let packet = track?.packet(payload), let address = track?.rtpAddress, let number = track?.packets
        else { return }
        guard !loss.drops(stream: lossStream(payload.kind), packet: number) else {
            sent.droppedOnPurpose += 1
            return
        }
        guard let datagram = try? outbound.protected(packet) else {
            sent.refused += 1
            return
        }
        sender.queue(datagram, to: address, socket: socket)
        sent.packets += 1
        sent.bytes += UInt64(datagram.count)
    }

    /// Returns the stream number for the loss pattern. It comes from the publisher's index, which is the same in every run, unlike
    /// its SSRC. `kind` is nil for retransmissions.
    private func lossStream(_ kind: MediaKind?) -> UInt64 {
        UInt64(index) << 2 | (kind == .audio ? 0 : kind == .video ? 1 : 2)
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
                if let nack = try? GenericNACK(parsing: packet), nack.media.rawValue == video?.ssrc {
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
            guard !loss.drops(stream: lossStream(nil), packet: sent.resent) else {
                sent.droppedOnPurpose += 1
                continue
            }
            if let datagram = try? outbound.protected(packet) {
                sender.queue(datagram, to: video.rtpAddress, socket: socket)
            }
        }
        requested.removeAll(keepingCapacity: true)
        sender.flush(socket: socket)
    }

    func add(to totals: inout EndpointTotals, now: Int64) {
        totals.sent.add(sent)
        totals.sent.add(media.statistics)
    }
}
