package import MediaBase

/// One subscription's track out: who gets a producer's packets, and how they are rewritten. A plain struct in its producer's array.
package struct Consumer {
    package enum State: UInt8, Sendable {
        /// Every packet goes out as it comes.
        case live
        /// Reads the ring from the last key frame on, a few packets at a time, until it has caught up.
        case catchingUp
        /// Starts (again) at the next packet that a decoder can start with: a key frame, or any packet of audio.
        case waiting
        /// Nothing goes out until it is resumed.
        case paused
    }

    /// Index of the path in the router.
    package let path: Int
    package let ssrc: SSRC
    package let payloadType: PayloadType
    package var state: State
    package var rewrite = RTPRewrite()
    package var history = RewriteHistory()
    /// Producer's first packet under `rewrite`; an earlier one that comes late is not for this consumer.
    var first: Int64 = 0
    /// Next producer packet to read while catching up; else one after the latest that went out.
    var next: Int64 = 0
    /// Latest consumer sequence number that went out; starts as one before the first.
    package var lastSequence: Int64
    /// Latest producer timestamp that went out, and its picture id and TL0PICIDX as the viewer got them.
    var lastPictureID: UInt16 = 0
    var lastTL0PictureIndex: UInt8 = 0
    var hasSent = false

    package var packets: UInt64 = 0
    /// RTP payload bytes, as a sender report counts them (RFC 3550 section 6.4.1).
    package var payloadBytes: UInt64 = 0
    package var retransmitted: UInt64 = 0

    /// - Parameter firstSequence: of the first packet that goes out; random, below 2^15 (RFC 3711 section 3.3.1 wants room before
    ///   the first wrap).
    package init(path: Int, ssrc: SSRC, payloadType: PayloadType, state: State, firstSequence: UInt16) {
        self.path = path
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.state = state
        lastSequence = Int64(firstSequence & 0x7fff) - 1
    }

    /// Goes live, or begins to catch up, at the producer's packet `sequence`: the next consumer sequence number follows the last, and so
    /// do picture ids.
    mutating func begin(at sequence: Int64, vp8: VP8RewriteFields, state: State) {
        rewrite.sequenceOffset = sequence &- (lastSequence &+ 1)
        if hasSent {
            if vp8.pictureIDOffset != 0 {
                rewrite.pictureIDOffset = lastPictureID &+ 1 &- vp8.pictureID
            }
            if vp8.tl0Offset != 0 {
                rewrite.tl0PictureIndexOffset = lastTL0PictureIndex &+ 1 &- vp8.tl0PictureIndex
            }
        }
        first = sequence
        next = sequence
        history.begin(at: sequence, rewrite)
        self.state = state
    }

    /// Notes that a packet went out.
    @inline(__always)
    mutating func sent(_ packet: borrowing PendingPacket) {
        packets &+= 1
        payloadBytes &+= UInt64(packet.payloadLength)
        if packet.sequence >= next {
            next = packet.sequence &+ 1
            lastSequence = rewrite.sequence(of: packet.sequence)
            if packet.vp8.pictureIDOffset != 0 {
                lastPictureID = packet.vp8.pictureID &+ rewrite.pictureIDOffset
                lastTL0PictureIndex = packet.vp8.tl0PictureIndex &+ rewrite.tl0PictureIndexOffset
            }
            hasSent = true
        }
    }
}
