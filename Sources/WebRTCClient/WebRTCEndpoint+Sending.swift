package import MediaBase
package import RTP
import SDP
import SRTP

extension WebRTCEndpoint {
    /// Returns the number of a track's encodings that the relay accepts; 0 before the answer.
    package func encodingCount(track: Int) -> Int { outgoing[track].count }

    /// Returns the sequence number of a track's next packet.
    func nextSequence(track: Int, encoding: Int = 0) -> UInt16 { outgoing[track][encoding].sequence }

    /// Sends one packet of media immediately.
    /// - Parameters:
    ///   - payload: at most 1,300 bytes.
    ///   - encoding: index among the encodings that the relay accepts.
    ///   - time: capture time, on the clock of `now`.
    ///   - level: audio level, for a packet of audio.
    ///   - descriptor: dependency descriptor, for a packet of video.
    ///   - sequence: sequence number of a packet that is forwarded, which may leave others out or be late; nil: the next one.
    ///   - payloadType: negotiated payload type of a packet that is not in the track's first format; nil: the first one.
    /// - Returns: false if the packet was not sent: not connected, track rejected, payload too long, or number in use.
    @discardableResult
    package func send(
        _ payload: UnsafeRawBufferPointer, track: Int, encoding: Int = 0, time: MediaTime, marker: Bool,
        level: AudioLevel? = nil, descriptor: [UInt8]? = nil, sequence: SequenceNumber? = nil,
        payloadType: PayloadType? = nil, now: MediaTime
    ) -> Bool {
        guard isConnected, outgoing.indices.contains(track), outgoing[track].indices.contains(encoding),
            payload.count <= 1300, let map = tracks[track]?.extensions, let mid = tracks[track]?.mid,
            sequence.map(outgoing[track][encoding].isFree) ?? true
        else { return false }
        let (header, length) = mediaHeader(
            track, encoding, time, marker: marker, level: level, descriptor: descriptor, sequence, payloadType, mid,
            map,
            now)
        let end = length + payload.count
        UnsafeMutableRawBufferPointer(rebasing: outgoingRoom[length..<end]).copyMemory(from: payload)
        let keepsPacket = outgoing[track][encoding].rtxSSRC == nil && tracks[track]?.feedback.contains(.nack) == true
        outgoing[track][encoding].note(
            OutgoingEncoding.Sent(
                sequence: header.sequenceNumber.rawValue, timestamp: header.timestamp, marker: marker,
                payload: Array(payload),
                packet: keepsPacket ? Array(outgoingRoom[..<end]) : []))
        guard transmit(end, now: now) else { return false }
        statistics.sentPackets += 1
        statistics.sentBytes += UInt64(end)
        return true
    }

    // Separate from `send`: if a copy of the encoding were alive when its history changes, the history would be copied.
    private func mediaHeader(
        _ track: Int, _ encoding: Int, _ time: MediaTime, marker: Bool, level: AudioLevel?, descriptor: [UInt8]?,
        _ sequence: SequenceNumber?, _ payloadType: PayloadType?, _ mid: MID, _ map: RTPExtensionMap, _ now: MediaTime
    ) -> (RTPHeader, length: Int) {
        let state = outgoing[track][encoding]
        var header = RTPHeader(
            payloadType: payloadType ?? state.payloadType, sequenceNumber: sequence ?? SequenceNumber(state.sequence),
            timestamp: state.timestamp(time), ssrc: state.ssrc, marker: marker)
        let form: RTPHeaderExtensions.Form = descriptor == nil ? .oneByte : .twoByte
        let length = write(&header, map: map, form: form, now: now) { writer in
            if !state.isKnown {
                writer.append(mid, as: map)
                if let rid = state.rid { writer.append(rid, as: map) }
            }
            if let level { writer.append(level, as: map) }
            if let descriptor, let id = map[.dependencyDescriptor] {
                _ = descriptor.withUnsafeBytes { writer.append(id: id, data: $0) }
            }
        }
        return (header, length)
    }

    /// Continues an encoding under a new SSRC with new numbers and timestamps, without an offer, as browsers do when they restart
    /// an encoder.
    package func restartEncoding(track index: Int, encoding: Int = 0) {
        guard var track = tracks[index], outgoing[index].indices.contains(encoding) else { return }
        track.kind = offered[index].kind
        let before = outgoing[index][encoding]
        var fresh = TrackDescription.Encoding(rid: before.rid)
        fresh.ssrc = SSRC(.random(in: 1 ... .max, using: &random))
        if before.rtxSSRC != nil { fresh.rtxSSRC = SSRC(.random(in: 1 ... .max, using: &random)) }
        outgoing[index][encoding] = OutgoingEncoding(
            fresh, of: track, history: configuration.history, using: &random)
    }

    /// Retransmits packets that the relay requested: on the RTX stream (RFC 4588) if there is one, else as exact copies.
    func sendAgain(_ numbers: [SequenceNumber], track: Int, encoding: Int, now: MediaTime) {
        for number in numbers {
            let state = outgoing[track][encoding]
            guard let sent = state.find(number) else {
                statistics.forgotten += 1
                continue
            }
            let isSent = state.rtxSSRC != nil ? sendRTX(sent, track, encoding, now) : repeatPacket(sent, now)
            if isSent { statistics.retransmissions += 1 }
        }
    }

    func sendRTX(_ sent: OutgoingEncoding.Sent, _ track: Int, _ encoding: Int, _ now: MediaTime) -> Bool {
        let state = outgoing[track][encoding]
        guard let description = tracks[track], let rtxSSRC = state.rtxSSRC, let type = state.rtxPayloadType else {
            return false
        }
        let map = description.extensions
        var header = RTPHeader(
            payloadType: type, sequenceNumber: outgoing[track][encoding].takeRTXSequence(),
            timestamp: sent.timestamp, ssrc: rtxSSRC, marker: sent.marker)
        let length = write(&header, map: map, now: now) { writer in
            writer.append(description.mid, as: map)
            if let rid = state.rid { writer.append(rid, kind: .repairedRID, as: map) }
        }
        outgoingRoom.storeBytes(of: sent.sequence.bigEndian, toByteOffset: length, as: UInt16.self)
        let end = length + 2 + sent.payload.count
        outgoingRoom[(length + 2)..<end].copyBytes(from: sent.payload)
        return transmit(end, now: now)
    }

    /// Sends a packet again, byte for byte: other bytes under the same SRTP index would reuse the keystream.
    private func repeatPacket(_ sent: OutgoingEncoding.Sent, _ now: MediaTime) -> Bool {
        guard !sent.packet.isEmpty else { return false }
        outgoingRoom.copyBytes(from: sent.packet)
        return transmit(sent.packet.count, now: now)
    }

    /// Writes header and extensions into `outgoingRoom`: the extensions of every packet, and those that `body` adds.
    /// - Returns: the number of bytes before the payload.
    private func write(
        _ header: inout RTPHeader, map: RTPExtensionMap, form: RTPHeaderExtensions.Form = .oneByte, now: MediaTime,
        _ body: (inout RTPHeaderExtensionWriter) -> Void
    ) -> Int {
        let form: RTPHeaderExtensions.Form = map.needsTwoByteForm ? .twoByte : form
        let room = UnsafeMutableRawBufferPointer(rebasing: outgoingRoom[RTPHeader.fixedLength..<200])
        var writer = RTPHeaderExtensionWriter(buffer: room, form: form)
        isNumbered = writer.append(TransportSequence(SequenceNumber(transportSequence)), as: map)
        if isNumbered { transportSequence &+= 1 }
        writer.append(AbsoluteSendTime(now), as: map)
        body(&writer)
        let length = writer.finish()
        if length > 0 {
            header.hasExtension = true
            header.extensionProfile = form.profile
            header.extensionLength = length - 4
        }
        return header.write(into: outgoingRoom)
    }

    /// Protects and sends the first `length` bytes of `outgoingRoom`.
    private func transmit(_ length: Int, now: MediaTime) -> Bool {
        var length = length
        // Recorded even if the packet is not sent: the numbers in the record must not shift.
        defer {
            if isNumbered { uplink?.noteSent(bytes: length, probe: probeNumber, now: now) }
            isNumbered = false
        }
        guard let address, let protector, let base = outgoingRoom.baseAddress,
            (try? protector.protect(base, length: &length, capacity: outgoingRoom.count)) != nil
        else { return false }
        outputs.append(.transmit(Array(outgoingRoom[..<length]), to: address))
        return true
    }
}
