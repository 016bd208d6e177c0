import Forwarding
import MediaBase
import RTP

/// RTP of a connected publisher: finds the encoding of each packet by SSRC, or by the identifiers in the packet.
extension PublishTransport {
    /// Packet of an encoding. A retransmission has the header of the packet that it repeats.
    struct Packet {
        let header: RTPHeader
        let payload: UnsafeRawBufferPointer
        let extensions: RTPExtensionValues
        let descriptor: UnsafeRawBufferPointer?
        /// Index of the inbound track.
        let track: Int
    }

    /// Handles an authentic packet. It may begin an encoding, or continue one under another SSRC, which sends all pending packets first.
    /// - Parameters:
    ///   - packet: decrypted packet.
    ///   - length: length before decryption.
    ///   - counters: memory that `egress` also writes.
    /// - Returns: nil instead of a packet that was dropped and counted, or repeats nothing; whether feedback may be due earlier than before.
    func receive(
        _ packet: UnsafeRawBufferPointer, length: Int, now: MediaTime, _ inbound: inout InboundTable,
        _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress, _ egress: Egress,
        _ counters: UnsafeMutablePointer<EngineCounters>
    ) -> (packet: Packet?, isFeedbackSooner: Bool) {
        lastAuthentic = now
        guard let header = try? RTPHeader(parsing: packet) else {
            counters.pointee.droppedMalformed &+= 1
            return (nil, false)
        }
        let values = RTPExtensionValues(header, in: packet, map: extensions)
        var isFeedbackSooner = false
        if let sequence = values.transportSequence {
            isFeedbackSooner = feedback.receive(sequence: sequence.number.rawValue, bytes: length, now: now)
        }
        let attributed = attribute(
            header, values, in: packet, now: now, &inbound, &numbers, besides: plain, egress, counters)
        return (attributed, isFeedbackSooner)
    }

    /// Finds the encoding of a packet.
    private func attribute(
        _ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer, now: MediaTime,
        _ inbound: inout InboundTable, _ numbers: inout IdentifierSource, besides plain: borrowing PlainIngress,
        _ egress: Egress, _ counters: UnsafeMutablePointer<EngineCounters>
    ) -> Packet? {
        guard
            let binding = binding(of: header.ssrc)
                ?? learn(header, values, in: packet, now: now, &inbound, egress)
        else {
            counters.pointee.droppedUnknownSSRC &+= 1
            return nil
        }
        var header = header
        if binding.isRTX {
            // A retransmission from before a change of the codec must not be taken for a packet of the new one.
            let payloadType = sections[binding.section].track.rtxPayloadType
            guard payloadType == nil || payloadType == header.payloadType else {
                counters.pointee.droppedPayloadType &+= 1
                return nil
            }
            // A stream that has not begun has no packets to repeat.
            guard let producer = producers[binding.section][binding.encoding],
                header.unwrapRetransmission(in: packet, of: producer.configuration)
            else { return nil }
            counters.pointee.rtxReceived &+= 1
        }
        // A packet with only padding is a probe of the publisher: only its transport-wide sequence number matters.
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        let producer =
            producers[binding.section][binding.encoding]
            ?? session.begin(
                binding, ssrc: header.ssrc, of: self, now: now, &inbound, &numbers, besides: plain,
                Quiesced(flushing: egress))
        if producer.configuration.ssrc != header.ssrc {
            guard takesBack(binding, from: producer, now: now) else {
                counters.pointee.droppedUnknownSSRC &+= 1
                return nil
            }
            session.move(
                producer, to: header, of: self, binding, isReturn: true, &inbound, Quiesced(flushing: egress))
        }
        return Packet(
            header: header, payload: payload, extensions: values,
            descriptor: values.dependencyDescriptor(in: packet), track: producer.tag)
    }

    /// Binds an SSRC that no description named. If its encoding already has an SSRC, the encoding continues under the new one: browsers
    /// restart encoders with a new SSRC without a new offer.
    private func learn(
        _ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer, now: MediaTime,
        _ inbound: inout InboundTable, _ egress: Egress
    ) -> Binding? {
        let isReturn = isSuperseded(header.ssrc)
        guard let binding = learn(header, values, in: packet, now: now) else { return nil }
        guard !binding.isRTX, let producer = producers[binding.section][binding.encoding],
            producer.configuration.ssrc != header.ssrc
        else { return binding }
        session.move(
            producer, to: header, of: self, binding, isReturn: isReturn && binding.origin != .guessed, &inbound,
            Quiesced(flushing: egress))
        return self.binding(of: header.ssrc)
    }
}
