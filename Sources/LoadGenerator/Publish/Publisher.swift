import CLinuxNet
import MediaBase
import RTP
import SRTP

/// Synthetic publisher with its socket, keys and RTP state; confined to the sending thread.
final class Publisher {
    let setup: PublisherSetup
    let socket: UDPSocket
    private(set) var statistics = SendStatistics()

    private let rtpAddress: (audio: millrace_address, video: millrace_address)
    private let rtcpAddress: (audio: millrace_address, video: millrace_address)
    private let outbound: SRTPContext
    private let inbound: SRTPContext
    private let clock: LoadClock
    private let loss: LossPattern
    private var audio: OutgoingTrack
    private var video: OutgoingTrack
    private var nextAudio: Int64
    private var nextPicture: Int64
    private var pendingAudio: AudioSource.Packet?
    private var pendingPicture: VideoPicture?
    private var hasKeyFrame = false
    private var lastAudio: (ticks: Int64, ready: Int64)?
    private var nextReport: Int64
    /// Zero of the video's RTP time, in monotonic nanoseconds.
    private let epoch: Int64
    private let name: String

    init(_ setup: PublisherSetup, host: String, clock: LoadClock, loss: LossPattern) throws(LoadError) {
        self.setup = setup
        self.clock = clock
        self.loss = loss
        let transport = setup.transport
        func address(_ port: UInt16?) throws(LoadError) -> millrace_address {
            guard let address = SocketAddress(transport.address, port: port ?? 0) else {
                throw .address(transport.address)
            }
            return millrace_address(address)
        }
        rtpAddress = (try address(transport.audio?.port), try address(transport.video?.port))
        rtcpAddress =
            transport.rtcpMux
            ? rtpAddress : (try address(transport.audio?.rtcpPort), try address(transport.video?.rtcpPort))
        do {
            outbound = try SRTPContext(key: transport.clientKey, direction: .outbound)
            inbound = try SRTPContext(key: transport.relayKey, direction: .inbound)
        } catch { throw .media("SRTP: \(error)") }
        socket = try UDPSocket(host: host, receiveBuffer: 256 << 10, coalescing: false)
        audio = OutgoingTrack(transport.audio, kind: .audio, history: 0)
        video = OutgoingTrack(transport.video, kind: .video, history: 512)
        nextAudio = setup.audio?.nextNumber ?? 0
        nextPicture = setup.video?.nextNumber ?? 0
        epoch = LoadClock.now
        nextReport = epoch + 200_000_000
        name = "load-\(setup.index)"
        // A new publisher's first frame must be a key frame.
        setup.video?.requestKeyFrame()
    }

    /// Sends everything that is due. Returns the time of the next known event, or `Int64.max`.
    func send(now: Int64, with sender: PacketSender) -> Int64 {
        var next = Int64.max
        if let source = setup.audio, audio.isPresent { next = min(next, sendAudio(source, now: now, with: sender)) }
        if let source = setup.video, video.isPresent { next = min(next, sendVideo(source, now: now, with: sender)) }
        if now >= nextReport {
            nextReport = now + 1_000_000_000
            sendReports(now: now, with: sender)
        }
        sender.flush(socket: socket.descriptor)
        return min(next, nextReport)
    }

    private func sendAudio(_ source: AudioSource, now: Int64, with sender: PacketSender) -> Int64 {
        while true {
            if pendingAudio == nil { pendingAudio = source.packet(nextAudio, tone: setup.tone) }
            guard let packet = pendingAudio else { return .max }
            let due = packet.ready + setup.audioOffset
            guard due <= now else { return due }
            statistics.account(late: now - due, missed: packet.number - nextAudio)
            let ticks = packet.number * Int64(AudioSource.samplesPerPacket)
            lastAudio = (ticks, packet.ready)
            transmit(&audio, packet.payload, ticks: ticks, marker: false, to: rtpAddress.audio, with: sender)
            nextAudio = packet.number + 1
            pendingAudio = nil
        }
    }

    private func sendVideo(_ source: VideoSource, now: Int64, with sender: PacketSender) -> Int64 {
        while true {
            if pendingPicture == nil { pendingPicture = source.picture(nextPicture) }
            guard let picture = pendingPicture else { return .max }
            let due = picture.ready + setup.videoOffset
            guard due <= now else { return due }
            let missed = picture.number - nextPicture
            nextPicture = picture.number + 1
            pendingPicture = nil
            // Frames before the first key frame cannot be decoded.
            let encoded = picture.encodings[0]
            hasKeyFrame = hasKeyFrame || encoded.isKeyFrame
            guard hasKeyFrame else { continue }
            statistics.account(late: now - due, missed: missed)
            let ticks = RTPTicks.ticks(nanoseconds: picture.captured - epoch, clockRate: 90_000)
            for (i, payload) in encoded.payloads.enumerated() {
                let isLast = i == encoded.payloads.count - 1
                transmit(&video, payload, ticks: ticks, marker: isLast, to: rtpAddress.video, with: sender)
            }
        }
    }

    private func transmit(
        _ track: inout OutgoingTrack, _ payload: [UInt8], ticks: Int64, marker: Bool, to address: millrace_address,
        with sender: PacketSender
    ) {
        let header = track.header(ticks: ticks, marker: marker, payload: payload)
        guard
            let length = sender.queue(
                header, payload: payload, context: outbound, to: address, socket: socket.descriptor)
        else {
            statistics.refused += 1
            return
        }
        if loss.drops(stream: lossStream(track.kind), packet: track.packets) {
            sender.dropLast()
            statistics.droppedOnPurpose += 1
        } else {
            statistics.packets += 1
            statistics.bytes += UInt64(length)
        }
    }

    /// Returns the stream number for the loss pattern. It comes from the publisher's index, which is the same in every run, unlike
    /// its SSRC. `kind` is nil for retransmissions.
    private func lossStream(_ kind: MediaKind?) -> UInt64 {
        UInt64(setup.index) << 2 | (kind == .audio ? 0 : kind == .video ? 1 : 2)
    }

    private func sendReports(now: Int64, with sender: PacketSender) {
        let ntp = NTPTime(unixNanoseconds: clock.unixNanoseconds(at: now))
        if audio.packets > 0, let lastAudio {
            let ticks = lastAudio.ticks + RTPTicks.ticks(nanoseconds: now - lastAudio.ready, clockRate: 48_000)
            let report = audio.report(ntp: ntp, ticks: ticks, cname: name)
            _ = sender.queueRTCP(report, context: outbound, to: rtcpAddress.audio, socket: socket.descriptor)
        }
        if video.packets > 0 {
            let ticks = RTPTicks.ticks(nanoseconds: now - epoch, clockRate: 90_000)
            let report = video.report(ntp: ntp, ticks: ticks, cname: name)
            _ = sender.queueRTCP(report, context: outbound, to: rtcpAddress.video, socket: socket.descriptor)
        }
    }

    /// Processes a datagram from the relay; only RTCP feedback matters. Decrypts `bytes` in place.
    func receive(_ bytes: UnsafeMutableRawBufferPointer, with sender: PacketSender) {
        guard let base = bytes.baseAddress, DatagramKind(UnsafeRawBufferPointer(bytes)) == .rtcp else { return }
        var length = bytes.count
        guard (try? inbound.unprotectRTCP(base, length: &length)) != nil,
            let compound = try? RTCPCompound(parsing: UnsafeRawBufferPointer(start: base, count: length))
        else { return }
        for packet in compound {
            switch packet.kind {
            case .pli, .fir:
                statistics.keyFrameRequests += 1
                setup.video?.requestKeyFrame()
            case .genericNACK:
                if let nack = try? GenericNACK(parsing: packet), nack.media.rawValue == video.ssrc {
                    resend(nack.sequences, with: sender)
                }
            default: break
            }
        }
        sender.flush(socket: socket.descriptor)
    }

    private func resend(_ numbers: [SequenceNumber], with sender: PacketSender) {
        for number in numbers {
            guard let kept = video.kept(number) else { continue }
            statistics.resent += 1
            guard !loss.drops(stream: lossStream(nil), packet: statistics.resent) else {
                statistics.droppedOnPurpose += 1
                continue
            }
            _ = sender.queue(
                kept.header, payload: kept.payload, context: outbound, to: rtpAddress.video, socket: socket.descriptor)
        }
    }
}
