import Forwarding
import MediaBase
import RTP

/// Receiver reports to publishers, and sender reports to subscribers with the publishers' clocks. This is not the packet path, so that arrays
/// are allowed.
extension EngineSession {
    private static let reportInterval = MediaTime.seconds(1)
    private static let senderReportInterval = MediaTime.seconds(2)
    /// Sender reports of one session in one call of housekeeping; each is a system call.
    private static let reportsPerSlice = 256

    /// Emits the reports that are due.
    func report(_ inbound: borrowing InboundTable, now: MediaTime) {
        guard now >= reportsAt else { return }
        for stream in streams {
            guard let transport = publisher(of: stream) else { continue }
            for producer in stream.producers { report(on: producer, of: stream, transport, inbound, now: now) }
        }
        guard reportToSubscribers(now: now) else { return }
        reportsAt = now + Self.reportInterval
        sentBytes /= 2
        retransmittedBytes /= 2
    }

    /// Emits a receiver report to a publisher, once a second.
    private func report(
        on producer: Producer, of stream: EngineStream, _ transport: PublishTransport,
        _ inbound: borrowing InboundTable, now: MediaTime
    ) {
        let last = stream.bytesAtReport[producer.tag]
        if let last, now - last.at < Self.reportInterval { return }
        if let last {
            let bits = Double(producer.bytes &- last.bytes) * 8
            stream.bitrate[producer.tag] = Bitrate(saturating: bits / (now - last.at).seconds)
        }
        stream.bytesAtReport[producer.tag] = (producer.bytes, now)
        guard let block = producer.reportBlock(now: now) else { return }
        var bytes: [UInt8] = []
        ReceiverReport(sender: transport.localSSRC, blocks: [block]).write(into: &bytes)
        SDES(chunks: [SDES.Chunk(source: transport.localSSRC, cname: "millrace")]).write(into: &bytes)
        if producer.kind == .video { allow(block, producer, transport, inbound, into: &bytes) }
        emit(.sendToPublisher(bytes, producer, transport))
    }

    /// Appends REMB with the allowed bit rate, for a publisher that supports REMB and no transport-wide feedback.
    private func allow(
        _ block: ReportBlock, _ producer: Producer, _ transport: PublishTransport, _ inbound: borrowing InboundTable,
        into bytes: inout [UInt8]
    ) {
        guard var allowance = transport.allowance else { return }
        var video: Int?
        var received = Int64(0)
        var sources: [SSRC] = []
        for index in transport.tracks {
            let track = inbound[index]
            if video == nil, track.pointee.kind == .video { video = index }
            received += track.pointee.stream.takeUnretainedValue().bitrate[index]?.rawValue ?? 0
            sources.append(track.pointee.ssrc)
        }
        // The allowance covers everything that the publisher sends, and is computed once per report interval.
        guard producer.tag == video else { return }
        let allowed = allowance.update(
            received: Bitrate(rawValue: received), loss: Double(block.fractionLost) / 256)
        transport.allowance = allowance
        REMB(sender: transport.localSSRC, bitrate: allowed, sources: sources).write(into: &bytes)
    }

    /// Emits sender reports to subscribers: the publisher's clock in the consumer's timestamps.
    /// - Returns: false if more reports are due than one call may send.
    func reportToSubscribers(now: MediaTime) -> Bool {
        var sent = 0
        for transport in subscribers.members {
            for track in transport.tracks {
                guard now - track.reportedAt >= Self.senderReportInterval || track.reportedAt == .zero,
                    let producer = track.producer, let reading = producer.clock.reading(now: now),
                    let at = producer.core.pointee.index(path: track.path)
                else { continue }
                let consumer = producer.core.pointee.consumers + at
                guard consumer.pointee.hasTimeline else { continue }
                guard sent < Self.reportsPerSlice else { return false }
                sent += 1
                let total = consumer.pointee.progress.payloadBytes
                if track.reportedAt > .zero, total >= track.reportedBytes {
                    let bits = Double(total - track.reportedBytes) * 8
                    track.bitrate = Bitrate(saturating: bits / (now - track.reportedAt).seconds)
                }
                track.reportedBytes = total
                track.reportedAt = now
                var bytes: [UInt8] = []
                SenderReport(
                    sender: track.ssrc, ntpTime: reading.ntp,
                    rtpTimestamp: RTPTimestamp(reading.timestamp.rawValue &+ consumer.pointee.rewrite.timestampOffset),
                    packetCount: UInt32(truncatingIfNeeded: consumer.pointee.progress.packets),
                    octetCount: UInt32(truncatingIfNeeded: consumer.pointee.progress.payloadBytes), blocks: []
                ).write(into: &bytes)
                SDES(chunks: [SDES.Chunk(source: track.ssrc, cname: "millrace")]).write(into: &bytes)
                emit(.sendToSubscriber(bytes, track, transport))
            }
        }
        return true
    }
}
