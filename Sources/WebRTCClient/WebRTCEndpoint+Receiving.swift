import Forwarding
import MediaBase
import RTP
import SDP
import SRTP

extension WebRTCEndpoint {
    func receiveRTP(_ datagram: UnsafeRawBufferPointer, now: MediaTime) {
        guard let opener, datagram.count <= incomingRoom.count, let base = incomingRoom.baseAddress else {
            statistics.refused += 1
            return
        }
        incomingRoom.copyMemory(from: datagram)
        var length = datagram.count
        guard (try? opener.unprotect(base, length: &length)) != nil else {
            statistics.refused += 1
            return
        }
        let packet = UnsafeRawBufferPointer(start: base, count: length)
        guard let header = try? RTPHeader(parsing: packet), let track = track(of: header) else {
            statistics.refused += 1
            return
        }
        let description = tracks[track]
        let values = RTPExtensionValues(header, in: packet, map: description?.extensions ?? RTPExtensionMap())
        if let number = values.transportSequence {
            feedback.receive(sequence: number.number.rawValue, bytes: datagram.count, now: now)
        }
        if configuration.sendsREMB { received.receive(bytes: datagram.count, sent: values.sendTime, now: now) }
        if let codec = description?.codec(under: header.payloadType), header.payloadType == codec.rtxPayloadType {
            receiveRTX(codec, header, packet, track: track, values, now: now)
        } else {
            guard let index = addStream(header.ssrc, track: track) else { return }
            incoming[index].reception.receive(
                sequence: incoming[index].numbers.peek(header.sequenceNumber), timestamp: header.timestamp, now: now)
            take(header, packet, stream: index, values, isRetransmission: false, now: now)
        }
    }

    /// Returns the track of a packet, by SSRC if it is known, else by payload type.
    private func track(of header: RTPHeader) -> Int? {
        if let index = streamIndices[repairs[header.ssrc] ?? header.ssrc] { return incoming[index].track }
        // The relay's offers announce every SSRC that it sends.
        guard configuration.direction != .receive else { return nil }
        return tracks.firstIndex { $0?.codec(under: header.payloadType) != nil }
    }

    /// Unwraps a retransmission (RFC 4588 section 4): its payload begins with the original packet's sequence number, two bytes.
    private func receiveRTX(
        _ codec: CodecDescription, _ header: RTPHeader, _ packet: UnsafeRawBufferPointer, track: Int,
        _ values: RTPExtensionValues, now: MediaTime
    ) {
        guard header.payloadLength >= 2 else {
            statistics.padding += 1
            return
        }
        let media = repairs[header.ssrc]
        guard let index = media.map({ streamIndices[$0] }) ?? incoming.firstIndex(where: { $0.track == track }) else {
            statistics.padding += 1
            return
        }
        var original = header
        let number = UInt16(packet[header.payloadOffset]) << 8 | UInt16(packet[header.payloadOffset + 1])
        original.sequenceNumber = SequenceNumber(number)
        original.ssrc = incoming[index].ssrc
        original.payloadType = codec.payloadType
        original.payloadOffset += 2
        original.payloadLength -= 2
        take(original, packet, stream: index, values, isRetransmission: true, now: now)
    }

    private func take(
        _ header: RTPHeader, _ packet: UnsafeRawBufferPointer, stream index: Int, _ values: RTPExtensionValues,
        isRetransmission: Bool, now: MediaTime
    ) {
        let sequence = incoming[index].numbers.unwrap(header.sequenceNumber)
        guard incoming[index].isNew(sequence) else {
            statistics.duplicates += 1
            return
        }
        if asks(incoming[index]) { incoming[index].losses.receive(sequence: sequence, now: now) }
        statistics.receivedPackets += 1
        statistics.receivedBytes += UInt64(packet.count)
        if isRetransmission { statistics.recovered += 1 }
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        let codec = tracks[incoming[index].track]?.codec(under: header.payloadType)?.video
        if incoming[index].kind == .video, let codec,
            incoming[index].startsKeyFrame(payload, codec, timestamp: header.timestamp)
        {
            incoming[index].keyFrames.keyFrameArrived()
        }
        onPacket?(
            IncomingPacket(
                track: incoming[index].track, mid: incoming[index].mid, kind: incoming[index].kind, codec: codec,
                header: header, sequence: sequence, payload: payload, extensions: values,
                captured: values.captureTime?.time ?? incoming[index].clock.ntp(of: header.timestamp),
                isRetransmission: isRetransmission))
    }

    /// Returns whether missing packets of this stream are requested.
    func asks(_ stream: IncomingStream) -> Bool {
        configuration.asksForLostPackets && tracks[stream.track]?.feedback.contains(.nack) == true
    }

    /// Requests a key frame of a received track, at most twice a second.
    package func requestKeyFrame(track: Int) {
        for index in incoming.indices where incoming[index].track == track { incoming[index].keyFrames.request() }
    }
}
