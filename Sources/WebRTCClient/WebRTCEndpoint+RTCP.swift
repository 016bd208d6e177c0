import Forwarding
import MediaBase
import RTP
import SRTP

extension WebRTCEndpoint {
    func receiveRTCP(_ datagram: UnsafeRawBufferPointer, now: MediaTime) {
        guard let opener, datagram.count <= incomingRoom.count, let base = incomingRoom.baseAddress else {
            statistics.refused += 1
            return
        }
        incomingRoom.copyMemory(from: datagram)
        var length = datagram.count
        guard (try? opener.unprotectRTCP(base, length: &length)) != nil,
            let packets = try? RTCPCompound(parsing: UnsafeRawBufferPointer(start: base, count: length))
        else {
            statistics.refused += 1
            return
        }
        for packet in packets where (try? take(packet, now: now)) == nil { statistics.refused += 1 }
    }

    private func take(_ packet: RTCPPacket, now: MediaTime) throws(RTPError) {
        switch packet.kind {
        case .senderReport:
            let report = try SenderReport(parsing: packet)
            statistics.reportsReceived += 1
            if let index = streamIndices[report.sender] {
                incoming[index].clock.report(ntp: report.ntpTime, timestamp: report.rtpTimestamp, now: now)
            }
            note(report.blocks, now: now)
        case .receiverReport:
            statistics.reportsReceived += 1
            note(try ReceiverReport(parsing: packet).blocks, now: now)
        case .genericNACK:
            let request = try GenericNACK(parsing: packet)
            guard configuration.sendsLostPacketsAgain, let (track, encoding) = indices(of: request.media) else {
                return
            }
            sendAgain(request.sequences, track: track, encoding: encoding, now: now)
        case .pli: keyFrameWanted(try PLI(parsing: packet).media)
        case .fir: for entry in try FIR(parsing: packet).entries { keyFrameWanted(entry.source) }
        case .transportCC:
            let feedback = try TransportCC(parsing: packet)
            statistics.feedbackReceived += 1
            statistics.acknowledged += UInt64(feedback.arrivals.count)
            uplink?.receive(feedback, now: now)
            // The result of a probe may start the next one at once.
            beginProbe(now: now)
        case .remb: statistics.reportedBitrate = try REMB(parsing: packet).bitrate
        case .sdes, .bye, .xr, .other: break
        }
    }

    private func indices(of ssrc: SSRC) -> (track: Int, encoding: Int)? {
        for track in outgoing.indices {
            if let encoding = outgoing[track].firstIndex(where: { $0.ssrc == ssrc }) { return (track, encoding) }
        }
        return nil
    }

    private func keyFrameWanted(_ ssrc: SSRC) {
        guard let (track, encoding) = indices(of: ssrc) else { return }
        statistics.keyFrameRequestsReceived += 1
        outputs.append(.keyFrameWanted(track: track, encoding: encoding))
    }

    private func note(_ blocks: [ReportBlock], now: MediaTime) {
        for block in blocks {
            guard let (track, encoding) = indices(of: block.source) else { continue }
            outgoing[track][encoding].isKnown = true
            statistics.reportedLoss = block.fractionLost
            if let roundTrip = block.roundTripTime(now: ntp(now)) { statistics.roundTrip = roundTrip }
        }
    }

    private func ntp(_ time: MediaTime) -> NTPTime {
        NTPTime(unixNanoseconds: (configuration.wallClock + time).rawValue)
    }

    /// Sends the reports, requests and feedback that are due.
    func sendDueRTCP(now: MediaTime) {
        if configuration.sendsTransportFeedback {
            while let feedback = feedback.take(now: now) {
                var bytes: [UInt8] = []
                feedback.write(into: &bytes)
                if transmitRTCP(bytes) { statistics.feedbackSent += 1 }
            }
        }
        if configuration.sendsREMB, let bitrate = received.take(now: now) {
            var bytes: [UInt8] = []
            REMB(sender: configuration.reporter, bitrate: bitrate, sources: incoming.map(\.ssrc)).write(into: &bytes)
            _ = transmitRTCP(bytes)
        }
        for index in incoming.indices { ask(stream: index, now: now) }
        guard nextReport <= now else { return }
        nextReport = now + Self.reportInterval
        for bytes in reports(now: now) where transmitRTCP(bytes) { statistics.reportsSent += 1 }
    }

    private func ask(stream index: Int, now: MediaTime) {
        let media = incoming[index].ssrc
        if asks(incoming[index]) {
            let numbers = incoming[index].losses.take(now: now)
            if !numbers.isEmpty {
                var bytes: [UInt8] = []
                GenericNACK(sender: configuration.reporter, media: media, sequences: numbers).write(into: &bytes)
                if transmitRTCP(bytes) { statistics.requests += UInt64(numbers.count) }
            }
            if incoming[index].losses.needsKeyFrame {
                incoming[index].losses.keyFrameRequested()
                if incoming[index].kind == .video { incoming[index].keyFrames.request() }
            }
        }
        guard incoming[index].keyFrames.take(now: now) else { return }
        var bytes: [UInt8] = []
        PLI(sender: configuration.reporter, media: media).write(into: &bytes)
        if transmitRTCP(bytes) { statistics.keyFrameRequestsSent += 1 }
    }

    /// Returns sender reports of sent streams, receiver reports of received streams, and their SDES, in as many packets as needed.
    private func reports(now: MediaTime) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var bytes: [UInt8] = []
        var chunks: [SDES.Chunk] = []
        for state in outgoing.joined() where state.packets > 0 {
            if chunks.count == Self.reportsPerPacket {
                SDES(chunks: chunks).write(into: &bytes)
                packets.append(bytes)
                bytes = []
                chunks = []
            }
            SenderReport(
                sender: state.ssrc, ntpTime: ntp(now), rtpTimestamp: state.timestamp(now), packetCount: state.packets,
                octetCount: state.octets
            ).write(into: &bytes)
            chunks.append(SDES.Chunk(source: state.ssrc, cname: configuration.cname))
        }
        var blocks: [ReportBlock] = []
        for index in incoming.indices {
            let stream = incoming[index]
            if let block = incoming[index].reception.reportBlock(source: stream.ssrc, clock: stream.clock, now: now) {
                blocks.append(block)
            }
        }
        while !blocks.isEmpty {
            ReceiverReport(
                sender: configuration.reporter, blocks: Array(blocks.prefix(Self.blocksPerReport))
            ).write(into: &bytes)
            blocks.removeFirst(min(blocks.count, Self.blocksPerReport))
            chunks.append(SDES.Chunk(source: configuration.reporter, cname: configuration.cname))
            SDES(chunks: chunks).write(into: &bytes)
            packets.append(bytes)
            bytes = []
            chunks = []
        }
        if !chunks.isEmpty {
            SDES(chunks: chunks).write(into: &bytes)
            packets.append(bytes)
        }
        return packets
    }

    private static let reportsPerPacket = 8
    /// Maximum number of report blocks in a report (RFC 3550 section 6.4.2).
    private static let blocksPerReport = 31

    private func transmitRTCP(_ bytes: [UInt8]) -> Bool {
        var length = bytes.count
        guard let address, let protector, let base = outgoingRoom.baseAddress, length <= outgoingRoom.count else {
            return false
        }
        outgoingRoom.copyBytes(from: bytes)
        guard (try? protector.protectRTCP(base, length: &length, capacity: outgoingRoom.count)) != nil else {
            return false
        }
        outputs.append(.transmit(Array(outgoingRoom[..<length]), to: address))
        return true
    }
}
