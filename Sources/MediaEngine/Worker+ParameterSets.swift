import Forwarding
import MediaBase
import RTP

/// H.264 whose parameter sets are in the publisher's session description only.
extension Worker {
    /// Forwards a packet under its number after the insertion, and the parameter sets before it if it starts a key frame without them.
    /// Allocates nothing; the parameter sets are retained once for each key frame.
    @inline(never)
    func insertParameterSets(
        _ header: RTPHeader, _ payload: UnsafeRawBufferPointer, _ extensions: RTPExtensionValues,
        _ descriptor: UnsafeRawBufferPointer?, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime
    ) {
        track.pointee.producer._withUnsafeGuaranteedRef { producer in
            // A payload type that the producer refuses says nothing about H.264.
            guard header.payloadType == producer.configuration.payloadType else {
                counters.droppedPayloadType &+= 1
                return
            }
            guard let numbers = producer.inserter?.take(header, payload, now: now) else {
                counters.count(.tooOld)
                return
            }
            var header = header
            if let number = numbers.sets, let sets = producer.inserter?.payload {
                let head = RTPHeader(
                    payloadType: header.payloadType, sequenceNumber: number, timestamp: header.timestamp,
                    ssrc: header.ssrc, payloadLength: sets.count)
                sets.withUnsafeBytes { forward(head, $0, of: track, now: now, isNumbered: true) }
            }
            header.sequenceNumber = numbers.packet
            forward(header, payload, extensions, descriptor: descriptor, of: track, now: now, isNumbered: true)
            track.pointee.insertsParameterSets = producer.inserter?.isNeeded ?? false
        }
    }
}
