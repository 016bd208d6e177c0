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
    private var audio: OutgoingTrack?
    private var video: OutgoingTrack?
    private var lastAudio: (ticks: Int64, ready: Int64)?
    /// Sequence numbers of video that the relay has requested again.
    private var requested: [SequenceNumber] = []
    private var nextReport: Int64
    /// Zero of the video's RTP time, in monotonic nanoseconds.
    private let epoch = LoadClock.now

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
        sockets = [try UDPSocket(host: host, receiveBuffer: 256 << 10, coalescing: false)]
        nextReport = epoch + 200_000_000
    }

    private var socket: Int32 { sockets[0].descriptor }

    func send(now: Int64, with sender: PacketSender) -> Int64 {
        while let packet = media.takeAudio(now: now) {
            let ticks = packet.number * Int64(AudioSource.samplesPerPacket)
            lastAudio = (ticks, packet.ready)
            transmit(&audio, packet.payload, ticks: ticks, marker: false, with: sender)
        }
        while let frame = media.takeFrame(now: now) {
            let ticks = RTPTicks.ticks(nanoseconds: frame.captured - epoch, clockRate: 90_000)
            for payloads in frame.encodings.map(\.payloads) {
                for (i, payload) in payloads.enumerated() {
                    transmit(&video, payload, ticks: ticks, marker: i == payloads.count - 1, with: sender)
                }
            }
        }
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            sendReports(now: now, with: sender)
        }
        sender.flush(socket: socket)
        return min(media.deadline, nextReport)
    }

    private func transmit(
        _ track: inout OutgoingTrack?, _ payload: [UInt8], ticks: Int64, marker: Bool, with sender: PacketSender
    ) {
        guard let header = track?.header(ticks: ticks, marker: marker, payload: payload), let sent = track else {
            return
        }
        guard
            let length = sender.queue(
                header, payload: payload, context: outbound, to: sent.rtpAddress, socket: socket)
        else {
            media.statistics.refused += 1
            return
        }
        if loss.drops(stream: lossStream(sent.kind), packet: sent.packets) {
            sender.dropLast()
            media.statistics.droppedOnPurpose += 1
        } else {
            media.statistics.packets += 1
            media.statistics.bytes += UInt64(length)
        }
    }

    /// Returns the stream number for the loss pattern. It comes from the publisher's index, which is the same in every run, unlike
    /// its SSRC. `kind` is nil for retransmissions.
    private func lossStream(_ kind: MediaKind?) -> UInt64 {
        UInt64(index) << 2 | (kind == .audio ? 0 : kind == .video ? 1 : 2)
    }

    private func sendReports(now: Int64, with sender: PacketSender) {
        let ntp = NTPTime(unixNanoseconds: clock.unixNanoseconds(at: now))
        let audioTicks = lastAudio.map {
            $0.ticks + RTPTicks.ticks(nanoseconds: now - $0.ready, clockRate: Int64(MediaKind.audio.clockRate))
        }
        let videoTicks = RTPTicks.ticks(nanoseconds: now - epoch, clockRate: Int64(MediaKind.video.clockRate))
        for (track, ticks) in [(audio, audioTicks), (video, videoTicks)] {
            guard let track, let ticks, track.packets > 0 else { continue }
            let report = track.report(ntp: ntp, ticks: ticks, cname: "load-\(index)")
            _ = sender.queueRTCP(report, context: outbound, to: track.rtcpAddress, socket: socket)
        }
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
                media.statistics.keyFrameRequests += 1
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
            guard let video, let kept = video.kept(number) else { continue }
            media.statistics.resent += 1
            guard !loss.drops(stream: lossStream(nil), packet: media.statistics.resent) else {
                media.statistics.droppedOnPurpose += 1
                continue
            }
            _ = sender.queue(
                kept.header, payload: kept.payload, context: outbound, to: video.rtpAddress, socket: socket)
        }
        requested.removeAll(keepingCapacity: true)
        sender.flush(socket: socket)
    }

    func add(to totals: inout EndpointTotals, now: Int64) { totals.sent.add(media.statistics) }
}
