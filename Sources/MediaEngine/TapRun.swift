import Forwarding
import MediaBase

/// Packets of a stream as taps see them: one run of audio and one of video.
struct TapRun {
    private var audio = TapJoin(.audio)
    private var video = TapJoin(.video)

    /// Returns a received packet as taps see it; nil if they see another encoding.
    /// - Parameters:
    ///   - canStart: whether a decoder can start with the packet.
    ///   - wanted: the encoding that taps should see.
    mutating func join(_ packet: TapPacket, canStart: Bool, of producer: Producer, wanted: Producer?) -> TapPacket? {
        switch producer.kind {
        case .audio: audio.join(packet, canStart: canStart, of: producer, wanted: wanted)
        case .video: video.join(packet, canStart: canStart, of: producer, wanted: wanted)
        }
    }

    /// Replays cached video to a new tap from the newest key frame on, if the ring still holds it and all packets after it.
    /// - Returns: the number of packets that the tap dropped.
    mutating func replay(_ producer: Producer, to tap: PacketTap) -> UInt64 {
        guard let start = producer.cachedKeyFrame() else { return 0 }
        var dropped: UInt64 = 0
        for sequence in start.pointee.sequence...producer.latestSequence {
            guard let slot = producer.core.pointee.ring.find(sequence) else { break }
            let length = Int(slot.pointee.payloadLength) - Int(slot.pointee.paddingLength)
            let payload = UnsafeRawBufferPointer(
                start: producer.core.pointee.ring.payload(of: slot.pointee), count: length)
            guard let packet = video.replay(TapPacket(slot.pointee, payload, of: producer), of: producer) else {
                break
            }
            if !tap.push(packet) { dropped &+= 1 }
        }
        tap.flush()
        return dropped
    }

    /// Ends the run of a producer's packets, because the producer ended or continues with new sequence numbers and timestamps.
    mutating func interrupt(_ producer: Producer) {
        switch producer.kind {
        case .audio: audio.interrupt(producer)
        case .video: video.interrupt(producer)
        }
    }

    /// Records that the relay drops the packets of a kind from now on.
    mutating func pause(_ kind: MediaKind) {
        switch kind {
        case .audio: audio.pause()
        case .video: video.pause()
        }
    }

    /// Returns whether the video is that of a producer.
    func shows(_ producer: Producer) -> Bool { video.isOf(producer) }
}
