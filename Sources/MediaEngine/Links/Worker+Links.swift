import Forwarding
import MediaBase
import RTP

/// Packets of published streams on their way to the other parts of their session.
extension Worker {
    // MARK: home worker

    /// Copies a packet to the workers that have parts of its session.
    @inline(never)
    func copyToParts(
        _ slot: UnsafeMutablePointer<StoredPacket>, _ header: RTPHeader, _ payload: UnsafeRawBufferPointer,
        _ descriptor: UnsafeRawBufferPointer?, of track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer,
        now: MediaTime
    ) {
        var record = LinkRecord(kind: .packet, track: track.pointee.number, arrival: now.rawValue)
        record.marker = header.marker
        record.payloadType = header.payloadType.rawValue
        record.sequence = header.sequenceNumber.rawValue
        record.timestamp = header.timestamp.rawValue
        record.ssrc = header.ssrc.rawValue
        record.extensions = slot.pointee.extensions
        let described = descriptor ?? UnsafeRawBufferPointer(start: nil, count: 0)
        record.descriptorLength = UInt16(clamping: described.count)
        let isVideo = producer.kind == .video
        let dropped = links.append(
            record, payload, described, isVideo: isVideo, startsVideo: slot.pointee.flags.contains(.keyFrameStart),
            to: track.pointee.session._withUnsafeGuaranteedRef { $0.parts.receivers })
        guard dropped > 0 else { return }
        counters.droppedLink &+= UInt64(dropped)
        // The mirror continues with the next key frame.
        if isVideo { requestKeyFrame(of: producer) }
    }

    /// Tells the other parts that the track is withheld.
    func withholdFromParts(_ track: UnsafeMutablePointer<InboundTrack>, now: MediaTime) {
        links.append(
            LinkRecord(kind: .withheld, track: track.pointee.number, arrival: now.rawValue),
            to: track.pointee.session._withUnsafeGuaranteedRef { $0.parts.receivers })
    }

    /// Passes a publisher's clock on to the other parts.
    func copyToParts(_ report: SenderReport, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime) {
        var record = LinkRecord(kind: .clock, track: track.pointee.number, arrival: now.rawValue)
        record.ntp = report.ntpTime.rawValue
        record.timestamp = report.rtpTimestamp.rawValue
        links.append(record, to: track.pointee.session._withUnsafeGuaranteedRef { $0.parts.receivers })
    }

    /// Serves a key frame request of another part.
    /// - Parameters:
    ///   - number: number of the track.
    ///   - isAwaited: a subscriber receives nothing before that key frame.
    func requestKeyFrame(ofTrack number: UInt64, session name: String, isAwaited: Bool) {
        guard let session = sessions[name] else { return }
        for stream in session.streams {
            for encoding in stream.encodings where inbound[encoding.producer.tag].pointee.number == number {
                return requestKeyFrame(of: encoding.producer, isAwaited: isAwaited)
            }
        }
    }

    // MARK: other workers

    /// Asks the origin of a mirrored track for the key frame that is due.
    func requestFromOrigin(_ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer, now: MediaTime) {
        let isAwaited = producer.keyFrames.isAwaited
        if producer.keyFrames.take(now: now) {
            let number = track.pointee.number
            let name = track.pointee.session.takeUnretainedValue().name
            _ = totals.post(
                { $0.requestKeyFrame(ofTrack: number, session: name, isAwaited: isAwaited) },
                to: track.pointee.origin, isUrgent: true)
        }
        inbound.askWhenDue(track, producer)
    }

    /// Handles records of all links, a limited number of each.
    func readLinks() {
        for reader in links.readers.indices {
            read(reader, atMost: WorkerLinks.recordsPerTurn, before: links[reader].messages + 1)
        }
    }

    /// Handles the records of a link that precede a message, so that the message takes effect after them.
    func readRecords(of reader: Int, before message: UInt64) { read(reader, atMost: .max, before: message) }

    private func read(_ reader: Int, atMost limit: Int, before message: UInt64) {
        // The link is held, not read from the table for each record: handling a record may change the table.
        let link = links[reader].link
        var count = 0
        while count < limit {
            let isRead: Void? = link.ring.next(LinkRecord.self, where: { $0.messages < message }) { record, bytes in
                if let index = links[reader].tracks[record.track] { receive(record, bytes, of: inbound[index]) }
            }
            guard isRead != nil else { return }
            count += 1
        }
    }

    private func receive(
        _ record: LinkRecord, _ bytes: UnsafeRawBufferPointer, of track: UnsafeMutablePointer<InboundTrack>
    ) {
        let arrival = MediaTime(rawValue: record.arrival)
        let session = track.pointee.session.takeUnretainedValue()
        let producer = track.pointee.producer.takeUnretainedValue()
        switch record.kind {
        case .withheld:
            session.withhold(track, producer, egress)
            track.pointee.isWithheld = false
        case .clock:
            session.receive(
                ntp: NTPTime(rawValue: record.ntp), timestamp: RTPTimestamp(record.timestamp), of: track, now: arrival)
            carryOut(session)
        case .packet:
            let length = bytes.count - Int(record.descriptorLength)
            guard length >= 0 else { return }
            let header = RTPHeader(
                payloadType: PayloadType(record.payloadType), sequenceNumber: SequenceNumber(record.sequence),
                timestamp: RTPTimestamp(record.timestamp), ssrc: SSRC(record.ssrc), marker: record.marker,
                payloadLength: length)
            if producer.configuration.ssrc != header.ssrc { restart(track, producer, with: header) }
            forward(
                header, UnsafeRawBufferPointer(rebasing: bytes[..<length]), record.extensions.values,
                descriptor: record.descriptorLength > 0 ? UnsafeRawBufferPointer(rebasing: bytes[length...]) : nil,
                of: track, now: arrival)
        }
    }

    /// Continues a mirrored track whose publisher continues under another SSRC.
    private func restart(
        _ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer, with header: RTPHeader
    ) {
        let quiesced = flush()
        // Must run before the SSRC changes, because completed switches name the old one.
        follow(track.pointee.session.takeUnretainedValue(), quiesced)
        producer.restart(ssrc: header.ssrc, first: header.sequenceNumber)
        track.pointee.ssrc = header.ssrc
        if producer.kind == .video { requestKeyFrame(of: producer) }
    }
}
