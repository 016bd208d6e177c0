package import MediaBase

/// One subscription's track out: who gets a producer's packets, and how they are rewritten. A plain struct in its producer's array.
package struct Consumer {
    package enum State: UInt8, Sendable {
        /// Every packet goes out as it comes.
        case live
        /// As `live`, but at each picture it is seen whether it can change as wanted.
        case adapting
        /// Reads the ring from the last key frame on, a few packets at a time, until it has caught up.
        case catchingUp
        /// Starts (again) at the next packet that a decoder can start with: a key frame, or any packet of audio.
        case waiting
        /// Nothing goes out until it is resumed.
        case paused
        /// Another producer feeds its viewer, until a key frame of this one comes.
        case expecting
        /// Fed its viewer until a switch, and answers requests for what it sent.
        case retired

        /// It is the one of its viewer's track that packets go out from, or will.
        @inline(__always)
        package var feeds: Bool { self != .expecting && self != .retired }
    }

    // What a packet needs comes first: it takes two or three lines of the cache.

    /// Index of the path in the router.
    package let path: Int
    package let ssrc: SSRC
    package let payloadType: PayloadType
    package var state: State
    /// Highest temporal layer that is wanted, 0...3 (all); `rewrite` has the one in effect.
    package internal(set) var temporalLimit: UInt8
    /// The producer is not the one that `progress` was made with: timestamps have to be joined.
    var joinsTimestamps: Bool
    package var rewrite = RTPRewrite()
    /// Producer's first packet under `rewrite`; an earlier one that comes late is not for this consumer.
    var first: Int64 = 0
    /// Next producer packet to read while catching up; else one after the latest that went out.
    var next: Int64 = 0
    /// One after the latest that went out.
    var sentEnd: Int64 = 0
    /// What the viewer was told last, so that a new start carries on from there.
    package var progress: Progress
    /// What goes out between header and payload.
    package var extensions = HeaderExtensionTemplate()

    /// Where missed packets go out again; nil: in place, as they went out first.
    package var rtx: RTXStream?
    /// What was to go out was thrown away: it goes on with a key frame that its viewer has nothing of.
    var isCutOff = false
    package var history = RewriteHistory()
    package var retransmitted: UInt64 = 0

    // Switches between encodings; see Router+Switching.
    /// The producer that the other consumer of a switch that is wanted is in.
    var partner: UnsafeMutablePointer<ProducerCore>?
    /// The producer whose consumer fed the viewer before.
    var predecessor: UnsafeMutablePointer<ProducerCore>?
    /// Expecting: the key frame that has begun.
    var keyFrame: (sequence: Int64, timestamp: UInt32)?
    /// Expecting: when the switch was asked for. Retired: until when it is kept.
    var since: MediaTime = .zero

    /// Where one viewer's RTP stream stands. Outlives the consumer: a stream that is published again goes on with it.
    package struct Progress: Sendable {
        /// Unwrapped; the rollover counter of SRTP is in it, so it never goes back under one key.
        package var sequence: Int64
        package var timestamp: UInt32 = 0
        package var sentAt: MediaTime = .zero
        package var pictureID: UInt16 = 0
        package var tl0PictureIndex: UInt8 = 0
        package var hasSent = false
        /// The last packet was the last of its picture.
        package var endsPicture = true
        package var packets: UInt64 = 0
        /// RTP payload bytes, as a sender report counts them (RFC 3550 section 6.4.1).
        package var payloadBytes: UInt64 = 0
        /// Of the last packet on the RTX stream, unwrapped as `sequence` is.
        package var rtxSequence: Int64
        /// Times that the stream has begun, or begun again, at a packet that a decoder can start with, for a cause of the relay's.
        package var starts: UInt64 = 0
        /// Packets up to this one are not sent again: some of them were dropped by this host, and a key frame replaces them.
        var abandoned = Int64.min

        /// - Parameter firstSequence: of the first packet that goes out; random. Its top bit is cleared: RFC 3711 section 3.3.1 wants
        ///   room before the first wrap.
        /// - Parameter firstRTXSequence: the same of the RTX stream.
        package init(firstSequence: UInt16, firstRTXSequence: UInt16 = 0) {
            sequence = Int64(firstSequence & 0x7fff) - 1
            rtxSequence = Int64(firstRTXSequence & 0x7fff) - 1
        }
    }

    package init(path: Int, ssrc: SSRC, payloadType: PayloadType, progress: Progress, temporalLimit: UInt8 = 3) {
        self.path = path
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.progress = progress
        self.temporalLimit = min(temporalLimit, LayerCounts.noLimit)
        state = .waiting
        joinsTimestamps = progress.hasSent
    }

    /// Its rewrite says where the producer's timestamps are on the viewer's timeline. What has sent, but nothing yet of this producer, cannot
    /// tell.
    package var hasTimeline: Bool { progress.hasSent && !joinsTimestamps }

    /// Goes live, or begins to catch up, at a producer's packet: the next consumer sequence number follows the last, and so do picture
    /// ids and, after a change of producer, timestamps.
    /// - Parameter timestamp: of the packet as it goes out; nil: as before, or by its arrival after a change of producer.
    mutating func begin(
        at packet: borrowing PendingPacket, state: State, timestamp: UInt32? = nil, cause: StartCause = .relay
    ) {
        rewrite.temporalLimit = temporalLimit
        rewrite.sequenceOffset =
            packet.sequence &- packet.layers.packets(above: temporalLimit) &- (progress.sequence &+ 1)
        rewrite.pictureIDOffset = packet.layers.pictures(above: temporalLimit)
        if progress.hasSent {
            if packet.vp8.pictureIDOffset != 0 {
                rewrite.pictureIDOffset &+= progress.pictureID &+ 1 &- packet.vp8.pictureID
            }
            if packet.vp8.tl0Offset != 0 {
                rewrite.tl0PictureIndexOffset = progress.tl0PictureIndex &+ 1 &- packet.vp8.tl0PictureIndex
            }
        }
        if let timestamp {
            rewrite.timestampOffset = timestamp &- packet.timestamp
        } else if joinsTimestamps {
            let ticks = Self.ticks(from: progress.sentAt, to: packet)
            rewrite.timestampOffset = progress.timestamp &+ UInt32(truncatingIfNeeded: ticks) &- packet.timestamp
        }
        joinsTimestamps = false
        isCutOff = false
        if cause == .relay { progress.starts &+= 1 }
        history.begin(at: packet.sequence, rewrite, out: rewrite.sequence(of: packet), sentEnd: sentEnd)
        first = packet.sequence
        next = packet.sequence
        sentEnd = packet.sequence
        self.state = state
    }

    /// Ticks of the packet's clock from a time to its arrival, at least 1.
    static func ticks(from time: MediaTime, to packet: borrowing PendingPacket) -> Int64 {
        let clockRate: Int64 = packet.isAudio ? 48_000 : 90_000
        return max(1, (packet.arrival - time).rawValue / 1000 &* clockRate / 1_000_000)
    }

    /// The rest of a picture of which a part went out stays away: the number after it is never used, so that nobody takes it for whole.
    mutating func cutPicture() {
        guard progress.hasSent, !progress.endsPicture else { return }
        progress.sequence &+= 1
        progress.endsPicture = true
        isCutOff = true
    }

    /// Notes that a packet went out.
    @inline(__always)
    mutating func sent(_ packet: borrowing PendingPacket, as sequence: Int64) {
        progress.packets &+= 1
        progress.payloadBytes &+= UInt64(packet.payloadLength)
        if packet.sequence >= next { next = packet.sequence &+ 1 }
        if sequence > progress.sequence {
            sentEnd = packet.sequence &+ 1
            progress.sequence = sequence
            progress.endsPicture = packet.markerBit != 0
            progress.timestamp = packet.timestamp &+ rewrite.timestampOffset
            progress.sentAt = packet.arrival
            progress.hasSent = true
            if packet.vp8.pictureIDOffset != 0 {
                progress.pictureID = packet.vp8.pictureID &+ rewrite.pictureIDShift(packet)
                progress.tl0PictureIndex = packet.vp8.tl0PictureIndex &+ rewrite.tl0PictureIndexOffset
            }
        }
    }
}
