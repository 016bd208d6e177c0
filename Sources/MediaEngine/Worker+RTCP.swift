internal import CLinuxNet
internal import Forwarding
internal import MediaBase
internal import RTP
internal import SRTP

/// RTCP in both directions, and what happens by the clock. Not on the path of a packet: arrays are fine here.
extension Worker {
    static let reportInterval = MediaTime.seconds(1)
    static let senderReportInterval = MediaTime.seconds(2)
    static let firstReportDelay = MediaTime.milliseconds(100)
    private static let idleHousekeeping = MediaTime.milliseconds(100)
    private static let candidatesPerAddress = 8
    private static let sessionsPerSlice = 256
    private static let sliceInterval = MediaTime.milliseconds(1)
    /// Sender reports of one session in one slice; each is a system call.
    private static let reportsPerSlice = 256

    // MARK: in

    func receiveRTCP(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: UnsafePointer<millrace_address>, onRTCPSocket: Bool,
        now: MediaTime
    ) {
        guard length >= 8 else {
            counters.droppedMalformedRTCP &+= 1
            return
        }
        let source = SocketAddress(
            kernelBytes: UnsafeRawBufferPointer(start: from, count: Int(from.pointee.length)))
        let ssrc = SSRC(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        var plain = length
        if let index = inboundTable.find(ssrc) {
            let track = inbound + index
            let transport = track.pointee.transport.takeUnretainedValue()
            do {
                try protector.unprotectRTCP(transport.leg, bytes, length: &plain)
            } catch {
                counters.droppedUnauthenticRTCP &+= 1
                return
            }
            if let source { track.pointee.rtcpAddress = source }
            transport.lastAuthentic = now
            read(bytes, plain) { publisherSent($0, track: track, now: now) }
        } else if let source, let candidates = subscribersByAddress[source] {
            guard let (session, transport) = authenticate(bytes, &plain, candidates) else {
                counters.droppedUnauthenticRTCP &+= 1
                return
            }
            read(bytes, plain) { subscriberSent($0, transport, in: session, now: now) }
        } else {
            counters.droppedUnknownRTCP &+= 1
        }
    }

    /// Whose keys fit, of those who share an address: the oldest few, so that nobody is cut off and a datagram's cost stays bounded.
    private func authenticate(
        _ bytes: UnsafeMutableRawPointer, _ length: inout Int,
        _ candidates: [(session: EngineSession, transport: SubscribeTransport)]
    ) -> (EngineSession, SubscribeTransport)? {
        let whole = length
        return withUnsafeTemporaryAllocation(byteCount: whole, alignment: 8) { copy in
            // A wrong key may have overwritten the datagram.
            if candidates.count > 1 { copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: whole)) }
            for (i, candidate) in candidates.prefix(Self.candidatesPerAddress).enumerated() {
                if i > 0 { bytes.copyMemory(from: copy.baseAddress!, byteCount: whole) }
                do {
                    try protector.unprotectRTCP(candidate.transport.leg, bytes, length: &length)
                    return candidate
                } catch {
                    length = whole
                }
            }
            return nil
        }
    }

    private func read(_ bytes: UnsafeMutableRawPointer, _ length: Int, _ body: (RTCPPacket) -> Void) {
        do {
            let compound = try RTCPCompound(parsing: UnsafeRawBufferPointer(start: bytes, count: length))
            counters.rtcpReceived &+= 1
            for packet in compound { body(packet) }
        } catch {
            counters.droppedMalformedRTCP &+= 1
        }
    }

    private func publisherSent(_ packet: RTCPPacket, track: UnsafeMutablePointer<InboundTrack>, now: MediaTime) {
        let stream = track.pointee.stream.takeUnretainedValue()
        switch packet.kind {
        case .senderReport:
            guard let report = try? SenderReport(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            guard
                let producer = [stream.audio, stream.video].compactMap({ $0 }).first(where: {
                    $0.configuration.ssrc == report.sender
                })
            else { return }
            let isFirst = producer.clock.ntp == nil
            producer.clock.report(ntp: report.ntpTime, timestamp: report.rtpTimestamp, now: now)
            // Viewers cannot align sound and picture before they have had one.
            if isFirst { _ = self.report(toSubscribersOf: track.pointee.session.takeUnretainedValue(), now) }
        // A plain publisher that says goodbye may come back under the same SSRC: its transport stays until it is deleted or times out.
        case .bye, .receiverReport, .sdes, .genericNACK, .transportCC, .pli, .fir, .remb, .xr, .other:
            break
        }
    }

    private func subscriberSent(
        _ packet: RTCPPacket, _ transport: SubscribeTransport, in session: EngineSession, now: MediaTime
    ) {
        switch packet.kind {
        case .genericNACK:
            guard let nack = try? GenericNACK(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            counters.nacksReceived &+= UInt64(nack.sequences.count)
            guard let (track, producer) = subscription(nack.media, transport, session) else { return }
            retransmit(nack.sequences, track, producer, session)
        case .pli:
            guard let pli = try? PLI(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            wantKeyFrame(pli.media, transport, session, now)
        case .fir:
            guard let fir = try? FIR(parsing: packet) else { return counters.droppedMalformedRTCP &+= 1 }
            for entry in fir.entries { wantKeyFrame(entry.source, transport, session, now) }
        case .senderReport, .receiverReport, .sdes, .bye, .transportCC, .remb, .xr, .other:
            break
        }
    }

    private func subscription(
        _ ssrc: SSRC, _ transport: SubscribeTransport, _ session: EngineSession
    ) -> (SubscribedTrack, Producer)? {
        guard let track = transport.tracks.first(where: { $0.ssrc == ssrc }),
            let producer = session.stream(named: track.streamName)?.producer(track.kind)
        else { return nil }
        return (track, producer)
    }

    private func retransmit(
        _ sequences: [SequenceNumber], _ track: SubscribedTrack, _ producer: Producer, _ session: EngineSession
    ) {
        let percent = UInt64(configuration.limits.retransmissionPercent)
        guard session.retransmittedBytes <= session.sentBytes / 100 &* percent,
            mayRetransmit(to: track, producer, percent)
        else {
            counters.retransmissionsLimited &+= UInt64(sequences.count)
            return
        }
        forwardAll()
        let before = session.sentBytes
        let sent = session.router.retransmit(sequences, path: track.path, producer: producer, into: &batch) {
            send(&$0, for: session)
        }
        session.retransmittedBytes &+= session.sentBytes &- before
        counters.packetsRetransmitted &+= UInt64(sent)
    }

    /// One viewer's share is of its own packets, so that it cannot use up the session's.
    private func mayRetransmit(to track: SubscribedTrack, _ producer: Producer, _ percent: UInt64) -> Bool {
        guard let i = producer.core.pointee.index(path: track.path) else { return false }
        let consumer = producer.core.pointee.consumers + i
        return consumer.pointee.retransmitted <= consumer.pointee.progress.packets &* percent / 100
    }

    private func wantKeyFrame(_ ssrc: SSRC, _ transport: SubscribeTransport, _ session: EngineSession, _ now: MediaTime)
    {
        counters.keyFrameRequestsReceived &+= 1
        guard let (_, producer) = subscription(ssrc, transport, session), producer.kind == .video else { return }
        requestKeyFrame(of: producer)
    }

    // MARK: by the clock

    /// Reports, publishers that fell silent, taps that were closed: a slice of the sessions a call, so that packets do not wait for
    /// thousands of them.
    func housekeeping(_ now: MediaTime) {
        forwardAll()
        if sweep.isEmpty { sweep = Array(sessions.values) }
        for session in sweep.suffix(Self.sessionsPerSlice) { lookAfter(session, now) }
        sweep.removeLast(min(sweep.count, Self.sessionsPerSlice))
        nextHousekeeping = now + (sweep.isEmpty ? Self.idleHousekeeping : Self.sliceInterval)
    }

    /// Nothing may be pending.
    private func lookAfter(_ session: EngineSession, _ now: MediaTime) {
        let timeout = configuration.limits.publisherTimeout
        var expired: [PublishTransport] = []
        for stream in session.streams {
            if !stream.taps.isEmpty { stream.taps.removeAll { $0.isClosed } }
            if timeout > .zero, now - stream.transport.lastAuthentic > timeout { expired.append(stream.transport) }
        }
        for transport in expired { close(transport, in: session) }
        // A session of this sweep may have ended since, and another may have its name.
        if !expired.isEmpty, session.isEmpty, sessions[session.name] === session { sessions[session.name] = nil }
        guard now >= session.reportsAt else { return }
        for stream in session.streams {
            for kind in MediaKind.allCases {
                if let producer = stream.producer(kind) { report(on: producer, of: stream, now) }
            }
        }
        guard report(toSubscribersOf: session, now) else { return }
        session.reportsAt = now + Self.reportInterval
        session.sentBytes /= 2
        session.retransmittedBytes /= 2
    }

    /// The receiver report to a publisher, once a second.
    private func report(on producer: Producer, of stream: EngineStream, _ now: MediaTime) {
        let last = stream.bytesAtReport[producer.kind]
        if let last, now - last.at < Self.reportInterval { return }
        if let last {
            let bits = Int64(producer.bytes &- last.bytes) * 8
            stream.bitrate[producer.kind] = Bitrate(bitsPerSecond: Int64(Double(bits) / (now - last.at).seconds))
        }
        stream.bytesAtReport[producer.kind] = (producer.bytes, now)
        guard let block = producer.reportBlock(now: now) else { return }
        var bytes: [UInt8] = []
        ReceiverReport(sender: stream.transport.localSSRC, blocks: [block]).write(into: &bytes)
        SDES(chunks: [SDES.Chunk(source: stream.transport.localSSRC, cname: "millrace")]).write(into: &bytes)
        send(bytes, to: producer, of: stream.transport)
    }

    /// Sender reports to subscribers: the publisher's clock in the consumer's timestamps.
    /// - Returns: false where there are more to send than one call may.
    private func report(toSubscribersOf session: EngineSession, _ now: MediaTime) -> Bool {
        var sent = 0
        for transport in session.subscribers.values {
            for i in transport.tracks.indices {
                let track = transport.tracks[i]
                guard now - track.reportedAt >= Self.senderReportInterval || track.reportedAt == .zero,
                    let producer = session.stream(named: track.streamName)?.producer(track.kind),
                    let reading = producer.clock.reading(now: now),
                    let at = producer.core.pointee.index(path: track.path)
                else { continue }
                let consumer = producer.core.pointee.consumers + at
                guard consumer.pointee.progress.hasSent else { continue }
                guard sent < Self.reportsPerSlice else { return false }
                sent += 1
                transport.tracks[i].reportedAt = now
                var bytes: [UInt8] = []
                SenderReport(
                    sender: track.ssrc, ntpTime: reading.ntp,
                    rtpTimestamp: RTPTimestamp(reading.timestamp.rawValue &+ consumer.pointee.rewrite.timestampOffset),
                    packetCount: UInt32(truncatingIfNeeded: consumer.pointee.progress.packets),
                    octetCount: UInt32(truncatingIfNeeded: consumer.pointee.progress.payloadBytes), blocks: []
                ).write(into: &bytes)
                SDES(chunks: [SDES.Chunk(source: track.ssrc, cname: "millrace")]).write(into: &bytes)
                send(bytes, transport.leg, to: track.rtcpAddress, transport.rtcpMux ? rtpSocket : rtcpSocket)
            }
        }
        return true
    }

    // MARK: out

    func send(_ bytes: [UInt8], to producer: Producer, of transport: PublishTransport) {
        guard let index = inboundTable.find(producer.configuration.ssrc) else { return }
        let track = inbound[index]
        if transport.rtcpMux {
            guard track.rtpAddress.length > 0 else { return }
            send(bytes, transport.leg, to: track.rtpAddress, rtpSocket)
        } else {
            // Where its own RTCP comes from, else by convention the port after RTP's.
            var address = track.rtcpAddress
            if address.length == 0 {
                guard track.rtpAddress.length > 0, track.rtpAddress.port < 65_535 else { return }
                address = track.rtpAddress
                address.port += 1
            }
            send(bytes, transport.leg, to: address, rtcpSocket)
        }
    }

    private func send(
        _ bytes: [UInt8], _ leg: UnsafeMutablePointer<EgressLeg>, to address: SocketAddress, _ socket: Int32
    ) {
        let capacity = bytes.count + leg.pointee.suite.rtcpOverhead
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { buffer in
            buffer.copyBytes(from: bytes)
            var length = bytes.count
            do {
                try protector.protectRTCP(leg, buffer.baseAddress!, length: &length, capacity: capacity)
            } catch {
                return  // the index is used up after 2^31 packets (RFC 3711 section 9.2)
            }
            withUnsafePointer(to: address) { address in
                var message = EgressMessage(
                    data: buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), address: address,
                    length: UInt32(length), segment: UInt32(length))
                withUnsafeBytes(of: &message) {
                    transmit($0.assumingMemoryBound(to: millrace_message.self).baseAddress!, 1, socket)
                }
            }
            counters.rtcpSent &+= 1
        }
    }
}
