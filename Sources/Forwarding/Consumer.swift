package import MediaBase

/// Outgoing track of a subscription: the state of the forwarding and the rewrite of a producer's packets for one path. A plain struct
/// in its producer's array.
package struct Consumer {
    package enum State: UInt8, Sendable {
        /// Every packet is sent when it arrives.
        case live
        /// Like `live`, but with a change of layers or encoding pending, which is tried at each frame.
        case adapting
        /// Reads packets from the ring, a few at a time, until it has caught up.
        case catchingUp
        /// Starts, or restarts, at the next packet that a decoder can start with: a key frame, or any audio packet.
        case waiting
        /// Sends nothing until it is resumed.
        case paused
        /// Waits for a key frame of its producer to take over the track; another producer's consumer feeds the track until then.
        case expecting
        /// Fed the track until a switch; answers requests for packets that it sent.
        case retired

        /// True if this consumer sends the track's packets, or will send them.
        @inline(__always)
        package var feeds: Bool { self != .expecting && self != .retired }
    }

    // The fields used for every packet come first; they take two or three cache lines.

    /// Index of the path in the router.
    package let path: Int
    package let ssrc: SSRC
    package let payloadType: PayloadType
    /// Payload type of redundant audio (RFC 2198); nil if the subscriber gets the primary blocks alone.
    package var redPayloadType: PayloadType?
    package var state: State
    /// Requested highest layer, 0...3 (all): a temporal layer, or a position in the producer's `LayerOrder`. The limit in effect is in
    /// `rewrite`.
    package internal(set) var layerLimit: UInt8
    /// True if `progress` was made with another producer, so that the timestamps must be aligned.
    var joinsTimestamps: Bool
    package var rewrite = RTPRewrite()
    /// The producer's first packet under `rewrite`. Late packets before it need an earlier rewrite.
    var first: Int64 = 0
    /// Next producer packet to read while catching up; else one after the latest packet that was sent.
    var next: Int64 = 0
    /// Producer packet after the latest one that was sent.
    var sentEnd: Int64 = 0
    /// State of the subscriber's stream after the last packet. A new start continues from it.
    package var progress: Progress
    /// Header extension block of the consumer's packets.
    package var extensions = HeaderExtensionTemplate()

    /// Headers of the latest packets, if packets that are sent again have to repeat them; else nil.
    var sentHeaders: SentHeaderLog?

    /// Stream for retransmissions; nil if they are sent on the media stream with their original sequence numbers.
    package var rtx: RTXStream?
    /// Whether the subscriber may request missing packets.
    package var takesRequests = true
    /// True if packets were discarded. The track must continue at a new key frame, no part of which was sent.
    var isCutOff = false
    /// True if a key frame must be requested when the subscriber requests a packet up to `progress.abandoned`.
    var replacesAbandoned = false
    package var history = RewriteHistory()
    package var retransmitted: UInt64 = 0

    // Switches between encodings; see Router+Switching.
    /// Producer that holds the other consumer of a pending switch.
    var partner: UnsafeMutablePointer<ProducerCore>?
    /// Producer whose consumer fed the track before.
    var predecessor: UnsafeMutablePointer<ProducerCore>?
    /// In state `expecting`: the key frame that has begun.
    var keyFrame: (sequence: Int64, timestamp: UInt32)?
    /// In state `expecting`: time of the switch request. In state `retired`: time of removal.
    var since: MediaTime = .zero
    /// Time at which another spatial layer of the same encoding was requested that is not sent yet; nil: there is none.
    var spatialSince: MediaTime?

    /// Progress of one subscriber's RTP stream. Outlives the consumer: a stream that is published again continues from it.
    package struct Progress: Sendable {
        /// Unwrapped sequence number. It includes the SRTP rollover counter, so it never goes back under one key.
        package var sequence: Int64
        package var timestamp: UInt32 = 0
        package var sentAt: MediaTime = .zero
        package var pictureID: UInt16 = 0
        package var tl0PictureIndex: UInt8 = 0
        /// Frame number of the last dependency descriptor.
        package var frameNumber: UInt16 = 0
        package var hasSent = false
        /// Arrival of the first packet that was sent; `never` before it.
        package internal(set) var firstArrival = MediaTime.never
        /// True if the last packet ended its frame.
        package var endsFrame = true
        package var packets: UInt64 = 0
        /// RTP payload bytes, as a sender report counts them (RFC 3550 section 6.4.1).
        package var payloadBytes: UInt64 = 0
        /// Unwrapped sequence number of the last packet on the RTX stream.
        package var rtxSequence: Int64
        /// Number of times that the relay made the stream start, or start again, at a packet that a decoder can start with
        /// (`StartCause.relay`).
        package var starts: UInt64 = 0
        /// Packets up to this one are not retransmitted: some of them were dropped by this host or congested the path, and a key frame replaces
        /// them.
        var abandoned = Int64.min

        /// - Parameters:
        ///   - firstSequence: random number for the first packet. Its top bit is cleared, to leave room before the first wrap (RFC 3711
        ///     section 3.3.1).
        ///   - firstRTXSequence: the same for the RTX stream.
        package init(firstSequence: UInt16, firstRTXSequence: UInt16 = 0) {
            sequence = Int64(firstSequence & 0x7fff) - 1
            rtxSequence = Int64(firstRTXSequence & 0x7fff) - 1
        }
    }

    package init(path: Int, ssrc: SSRC, payloadType: PayloadType, progress: Progress, layerLimit: UInt8 = 3) {
        self.path = path
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.progress = progress
        self.layerLimit = min(layerLimit, LayerCounts.noLimit)
        state = .waiting
        joinsTimestamps = progress.hasSent
    }

    /// Frees the manually allocated memory. The consumer must not be used afterwards.
    func deallocate() {
        history.deallocate()
        sentHeaders?.deallocate()
    }

    /// True if `rewrite` maps the producer's timestamps to the subscriber's timeline. False if the track has sent packets, but none of this
    /// producer.
    package var hasTimeline: Bool { progress.hasSent && !joinsTimestamps }

    /// Starts at a producer's packet, either live or catching up. The next sequence number, PictureIDs and, after a change of producer,
    /// timestamps follow the last ones that were sent.
    /// - Parameter timestamp: timestamp to send the packet with. If nil, the offset stays as it was, or is taken from the packet's arrival
    ///   after a change of producer.
    mutating func begin(
        at packet: borrowing PendingPacket, state: State, timestamp: UInt32? = nil, cause: StartCause = .relay
    ) {
        rewrite.layerLimit = layerLimit
        rewrite.sequenceOffset =
            packet.sequence &- packet.layers.packets(above: layerLimit) &- (progress.sequence &+ 1)
        rewrite.pictureIDOffset = packet.layers.frames(above: layerLimit)
        if !progress.hasSent { progress.firstArrival = packet.arrival }
        if progress.hasSent {
            if packet.fields.pictureIDOffset != 0 {
                rewrite.pictureIDOffset &+= progress.pictureID &+ 1 &- packet.fields.pictureID
            }
            if packet.fields.tl0Offset != 0 {
                rewrite.tl0PictureIndexOffset = progress.tl0PictureIndex &+ 1 &- packet.fields.tl0PictureIndex
            }
        }
        if let timestamp {
            rewrite.timestampOffset = timestamp &- packet.timestamp
        } else if joinsTimestamps {
            let ticks = Self.ticks(from: progress.sentAt, to: packet)
            rewrite.timestampOffset = progress.timestamp &+ UInt32(truncatingIfNeeded: ticks) &- packet.timestamp
        }
        if joinsTimestamps, let number = packet.frameNumber {
            rewrite.frameNumberOffset = progress.frameNumber &+ 1 &- number
        }
        joinsTimestamps = false
        isCutOff = false
        replacesAbandoned = false
        spatialSince = nil
        if cause == .relay { progress.starts &+= 1 }
        history.begin(at: packet.sequence, rewrite, out: rewrite.sequence(of: packet), sentEnd: sentEnd)
        first = packet.sequence
        next = packet.sequence
        sentEnd = packet.sequence
        self.state = state
    }

    /// Returns the ticks of the packet's clock from `time` to its arrival, at least 1.
    static func ticks(from time: MediaTime, to packet: borrowing PendingPacket) -> Int64 {
        let clockRate: Int64 = packet.isAudio ? 48_000 : 90_000
        return max(1, (packet.arrival - time).rawValue / 1000 &* clockRate / 1_000_000)
    }

    /// Cuts off a frame that was partly sent. The next sequence number is skipped, so that no receiver takes the frame for complete.
    mutating func cutFrame() {
        guard progress.hasSent, !progress.endsFrame else { return }
        progress.sequence &+= 1
        progress.endsFrame = true
        isCutOff = true
    }

    /// Records that a packet was sent.
    @inline(__always)
    mutating func sent(_ packet: borrowing PendingPacket, as sequence: Int64) {
        progress.packets &+= 1
        let leftOut = packet.redundancy != 0 && redPayloadType == nil ? packet.redundancy : 0
        progress.payloadBytes &+= UInt64(packet.payloadLength &- leftOut)
        if packet.sequence >= next { next = packet.sequence &+ 1 }
        if sequence > progress.sequence {
            sentEnd = packet.sequence &+ 1
            progress.sequence = sequence
            progress.endsFrame = (packet.markerBit | rewrite.addedMarkerBit(packet)) != 0
            progress.timestamp = packet.timestamp &+ rewrite.timestampOffset
            progress.sentAt = packet.arrival
            progress.hasSent = true
            if let number = packet.frameNumber { progress.frameNumber = number &+ rewrite.frameNumberOffset }
            if packet.fields.pictureIDOffset != 0 {
                progress.pictureID = packet.fields.pictureID &+ rewrite.pictureIDShift(packet)
                progress.tl0PictureIndex = packet.fields.tl0PictureIndex &+ rewrite.tl0PictureIndexOffset
            }
        }
    }
}
