import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// RTP and RTCP of connected WebRTC peers.
extension Worker {
    /// Receives RTP of a publisher.
    func receiveRTP(
        _ bytes: UnsafeMutableRawPointer, length: Int, _ inbound: PublishTransport, of peer: WebRTCPeer,
        from: PeerAddress,
        now: MediaTime
    ) {
        var plain = length
        do throws(SRTPFailure) {
            try inbound.context.unprotect(bytes, length: &plain)
        } catch {
            counters.count(error)
            return
        }
        peer.transport.received(from: from, now: now)
        receive(authentic: UnsafeRawBufferPointer(start: bytes, count: plain), length: length, inbound, now: now)
    }

    /// Handles an authentic RTP packet.
    /// - Parameters:
    ///   - packet: decrypted packet.
    ///   - length: length before decryption.
    func receive(authentic packet: UnsafeRawBufferPointer, length: Int, _ inbound: PublishTransport, now: MediaTime) {
        inbound.lastAuthentic = now
        guard var header = try? RTPHeader(parsing: packet) else {
            counters.droppedMalformed &+= 1
            return
        }
        let values = RTPExtensionValues(header, in: packet, map: inbound.extensions)
        if let sequence = values.transportSequence {
            let isSooner = inbound.feedback.receive(sequence: sequence.number.rawValue, bytes: length, now: now)
            if isSooner, let peer = peers[inbound.id] { peers.schedule(peer, now: now) }
        }
        guard let binding = inbound.binding(of: header.ssrc) ?? learn(header, values, in: packet, inbound, now: now)
        else {
            counters.droppedUnknownSSRC &+= 1
            return
        }
        if binding.isRTX {
            // A retransmission from before a change of the codec must not be taken for a packet of the new one.
            let payloadType = inbound.sections[binding.section].track.rtxPayloadType
            guard payloadType == nil || payloadType == header.payloadType else {
                counters.droppedPayloadType &+= 1
                return
            }
            // A stream that has not begun has no packets to repeat.
            guard let producer = inbound.producers[binding.section][binding.encoding],
                header.unwrapRetransmission(in: packet, of: producer.configuration)
            else { return }
            counters.rtxReceived &+= 1
        }
        // A packet with only padding is a probe of the publisher: only its transport-wide sequence number matters.
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        let producer =
            inbound.producers[binding.section][binding.encoding]
            ?? begin(binding, ssrc: header.ssrc, inbound, now: now)
        if producer.configuration.ssrc != header.ssrc {
            guard inbound.takesBack(binding, from: producer, now: now) else {
                counters.droppedUnknownSSRC &+= 1
                return
            }
            move(producer, to: header, inbound, binding, isReturn: true)
        }
        forward(
            header, payload, values, descriptor: values.dependencyDescriptor(in: packet),
            of: self.inbound[producer.tag], now: now)
    }

    /// Binds an SSRC that no description named. If its encoding already has an SSRC, the encoding continues under the new one: browsers
    /// restart encoders with a new SSRC without a new offer.
    private func learn(
        _ header: RTPHeader, _ values: RTPExtensionValues, in packet: UnsafeRawBufferPointer,
        _ inbound: PublishTransport,
        now: MediaTime
    ) -> PublishTransport.Binding? {
        let isReturn = inbound.isSuperseded(header.ssrc)
        guard let binding = inbound.learn(header, values, in: packet, now: now) else { return nil }
        guard !binding.isRTX, let producer = inbound.producers[binding.section][binding.encoding],
            producer.configuration.ssrc != header.ssrc
        else { return binding }
        move(producer, to: header, inbound, binding, isReturn: isReturn && binding.origin != .guessed)
        return inbound.binding(of: header.ssrc)
    }

    /// Continues an encoding under another SSRC.
    private func move(
        _ producer: Producer, to header: RTPHeader, _ inbound: PublishTransport, _ binding: PublishTransport.Binding,
        isReturn: Bool
    ) {
        let quiesced = flush()
        inbound.session.move(
            producer, to: header, of: inbound, binding, isReturn: isReturn, &self.inbound, quiesced)
        carryOut(inbound.session)
    }

    /// Creates the producer of an encoding with its first packet.
    private func begin(
        _ binding: PublishTransport.Binding, ssrc: SSRC, _ inbound: PublishTransport, now: MediaTime
    ) -> Producer {
        let quiesced = flush()
        let producer = inbound.session.begin(
            binding, ssrc: ssrc, of: inbound, now: now, &self.inbound, &numbers, besides: plain, quiesced)
        carryOut(inbound.session)
        return producer
    }

    func receiveRTCP(
        _ bytes: UnsafeMutableRawPointer, length: Int, _ peer: WebRTCPeer, from: PeerAddress, now: MediaTime
    ) {
        guard let leg = peer.leg, length >= 8 else {
            counters.droppedMalformedRTCP &+= 1
            return
        }
        var plain = length
        do {
            try egress.protector.unprotectRTCP(leg, bytes, length: &plain)
        } catch {
            counters.droppedUnauthenticRTCP &+= 1
            return
        }
        peer.transport.received(from: from, now: now)
        if let inbound = peer.inbound {
            read(bytes, plain) { publisherSent($0, inbound, now: now) }
        }
        if let outbound = peer.outbound {
            read(bytes, plain) { packet in
                subscriberSent(packet, outbound, now: now)
                if allocator.measure(packet, outbound, now: now, &counters) { peers.schedule(peer, now: now) }
            }
        }
    }
}
