package import MediaBase

/// Assembler of the frames of one video stream from packets that may arrive late, more than once or never (VP8: RFC 7741 section 4.4).
/// Emits complete frames in order. After a loss that can affect decoding it emits no frame until the next key frame.
///
/// A frame ends with the marker bit or a new timestamp; with VP8 also where another frame starts. If the sender sets the marker bit,
/// a frame without it is dropped if a key frame follows: the sender stopped within the frame. `FrameReader` reads the packets
/// of the other codecs, and `FrameDepacketizer` joins them to the bytes of a frame.
///
/// Sans-IO: call `insert` and `handleTimeout`, then `nextEvent` until it returns nil. Memory is bounded in packets and bytes; when
/// either limit is reached, the oldest gap counts as lost.
package struct FrameAssembler: Sendable {
    package enum Event: Sendable {
        case frame(VideoFrame)
        /// Packets that are no longer awaited.
        case gap(Gap)
    }

    package struct Gap: Hashable, Sendable {
        /// Extended sequence number of the first lost packet.
        package var firstSequence: Int64
        package var count: Int64
        /// True if frames are dropped from here until the next key frame.
        package var needsKeyFrame: Bool

        package init(firstSequence: Int64, count: Int64, needsKeyFrame: Bool) {
            self.firstSequence = firstSequence
            self.count = count
            self.needsKeyFrame = needsKeyFrame
        }
    }

    struct Packet: Sendable {
        var sequence: Int64
        var timestamp: Int64
        var marker: Bool
        var rotation: Rotation
        var arrival: MediaTime
        /// Descriptor and frame bytes; empty for a packet that only has padding.
        var payload: [UInt8]
    }

    /// A frame whose packets so far arrived without a gap.
    struct Partial: Sendable {
        var frame: VideoFrame
        /// True if a packet of the frame is lost and no other frame refers to it: only this frame is dropped.
        var isDamaged = false
    }

    /// Maximum time to wait for a gap to fill, from the arrival of the packet after it.
    package let maximumWait: MediaTime
    /// If true, a complete key frame after a gap ends the wait, as in players of live video.
    private let skipsToKeyFrames: Bool
    package let codec: VideoCodec
    /// Reads the packets in order of their sequence numbers; not used for VP8, whose descriptors need no state.
    private var reader: FrameReader
    private var depacketizer: FrameDepacketizer
    /// Sequence number of the first packet of the newest key frame after a gap.
    private var keyFrameStart: Int64?
    private let packetCapacity: Int
    private let byteCapacity: Int

    private var slots: [Packet?]
    private var bufferedPackets = 0
    private var bufferedBytes = 0
    /// Next sequence number to process: all below are processed or given up. Nil before the first packet.
    private var next: Int64?
    private var highest: Int64 = .min
    private var holeSince: MediaTime?
    /// Sequence number of the first packet after the latest lost ones.
    private var gapEnd: Int64?
    private var lastPictureID: (id: UInt16, width: UInt8)?
    private var partial: Partial?
    /// Whether a packet had the marker bit, so that the sender marks the ends of frames.
    private var setsMarkers = false
    private var events: [Event] = []
    private var firstEvent = 0

    /// True if no frame can be decoded until a key frame arrives: at the start and after a loss.
    package private(set) var isWaitingForKeyFrame = true
    /// Frames that were dropped because they, or frames that they refer to, had losses.
    package private(set) var droppedFrames: UInt64 = 0
    /// Complete frames with an invalid header (VP8: RFC 6386 section 9.1), and packets that cannot be read: the sender encrypts end to
    /// end, or sends another codec.
    package private(set) var malformedFrames: UInt64 = 0
    /// Packets that arrived more than once, or after their sequence number was given up.
    package private(set) var lateOrDuplicatePackets: UInt64 = 0

    /// - Parameter skipsToKeyFrames: VP8 only: gives up gaps once a later key frame is complete.
    /// - Precondition: `packetCapacity` and `byteCapacity` are positive.
    package init(
        _ codec: VideoCodec = .vp8, maximumWait: MediaTime = .milliseconds(200), packetCapacity: Int = 1_024,
        byteCapacity: Int = 4 << 20, skipsToKeyFrames: Bool = false
    ) {
        precondition(packetCapacity > 0 && byteCapacity > 0)
        self.codec = codec
        reader = FrameReader(codec)
        depacketizer = FrameDepacketizer(codec, byteCapacity: byteCapacity)
        self.maximumWait = maximumWait
        self.packetCapacity = packetCapacity
        self.byteCapacity = byteCapacity
        self.skipsToKeyFrames = skipsToKeyFrames && codec == .vp8
        slots = Array(repeating: nil, count: packetCapacity)
    }

    /// Adds one packet's payload.
    /// - Parameters:
    ///   - sequence: unwrapped sequence number.
    ///   - timestamp: unwrapped RTP timestamp.
    ///   - rotation: of the frame; that of the frame's last packet counts.
    ///   - payload: RTP payload without padding, including the codec's descriptor; it is copied.
    package mutating func insert(
        sequence: Int64, timestamp: Int64, marker: Bool, rotation: Rotation = .none, payload: UnsafeRawBufferPointer,
        now: MediaTime
    ) {
        let expected = next ?? sequence
        // No real stream reaches 2^60, and below it differences cannot overflow.
        guard sequence >= expected, sequence.magnitude < 1 << 60 else {
            lateOrDuplicatePackets += 1
            return
        }
        next = expected
        if sequence - expected >= Int64(packetCapacity) { makeRoom(for: sequence) }
        let slot = self.slot(of: sequence)
        guard slots[slot] == nil else {
            lateOrDuplicatePackets += 1
            return
        }
        slots[slot] = Packet(
            sequence: sequence, timestamp: timestamp, marker: marker, rotation: rotation, arrival: now,
            payload: Array(payload))
        bufferedPackets += 1
        bufferedBytes += payload.count
        highest = max(highest, sequence)
        drain()
        if skipsToKeyFrames, bufferedPackets > 0 { skip(to: sequence, payload) }
        while bufferedBytes > byteCapacity && bufferedPackets > 0 { giveUpHole() }
    }

    /// Gives up gaps older than `maximumWait`.
    package mutating func handleTimeout(now: MediaTime) {
        while let since = holeSince, now - since >= maximumWait { giveUpHole() }
    }

    /// Time at which `handleTimeout` is due; nil if no packet is awaited.
    package var nextTimeout: MediaTime? { holeSince.map { $0 + maximumWait } }

    /// Gives up every gap, at the end of the stream. Drops an incomplete frame.
    package mutating func flush() {
        while bufferedPackets > 0 { giveUpHole() }
        if partial != nil { dropPartial() }
    }

    package mutating func nextEvent() -> Event? {
        guard firstEvent < events.count else {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
            return nil
        }
        firstEvent += 1
        return events[firstEvent - 1]
    }

    private func slot(of sequence: Int64) -> Int {
        let remainder = Int(sequence % Int64(packetCapacity))
        return remainder < 0 ? remainder + packetCapacity : remainder
    }

    /// Processes the buffered packets up to the next gap.
    private mutating func drain() {
        guard var sequence = next else { return }
        let from = sequence
        while true {
            let slot = self.slot(of: sequence)
            guard let packet = slots[slot] else { break }
            slots[slot] = nil
            bufferedPackets -= 1
            bufferedBytes -= packet.payload.count
            sequence += 1
            next = sequence
            use(packet)
        }
        if bufferedPackets == 0 {
            holeSince = nil
        } else if holeSince == nil || sequence != from {
            holeSince = firstBuffered()?.arrival
        }
    }

    /// Gives up all packets before the newest key frame if that frame is complete.
    private mutating func skip(to sequence: Int64, _ payload: UnsafeRawBufferPointer) {
        if (try? VP8PayloadDescriptor(parsing: payload))?.isKeyFrameStart == true {
            keyFrameStart = max(keyFrameStart ?? sequence, sequence)
        }
        guard let start = keyFrameStart, let next, start > next else {
            keyFrameStart = nil
            return
        }
        guard let first = slots[slot(of: start)], sequence >= start else { return }
        var end = start
        while let packet = slots[slot(of: end)], packet.sequence == end, packet.timestamp == first.timestamp {
            if packet.marker {
                keyFrameStart = nil
                while let next = self.next, next < start, bufferedPackets > 0 { giveUpHole() }
                return
            }
            end += 1
        }
    }

    /// Returns the packet after the gap.
    private func firstBuffered() -> Packet? {
        guard bufferedPackets > 0, let next else { return nil }
        for step in 0..<Int64(packetCapacity) {
            if let packet = slots[slot(of: next + step)] { return packet }
        }
        return nil
    }

    private mutating func giveUpHole() {
        guard let behind = firstBuffered(), let first = next else {
            holeSince = nil
            return
        }
        lose(first, count: behind.sequence - first, behind: behind)
        next = behind.sequence
        holeSince = nil
        drain()
    }

    /// Gives up gaps, oldest first, until `sequence` fits into the buffer.
    private mutating func makeRoom(for sequence: Int64) {
        while bufferedPackets > 0, let next, sequence - next >= Int64(packetCapacity) { giveUpHole() }
        guard let next, sequence - next >= Int64(packetCapacity) else { return }
        lose(next, count: sequence - next, behind: nil)
        self.next = sequence
    }

    /// - Parameter behind: the packet after the lost ones.
    private mutating func lose(_ first: Int64, count: Int64, behind: Packet?) {
        guard count > 0 else { return }
        gapEnd = first + count
        var harmless = isWaitingForKeyFrame
        if let behind, let start = peek(behind) {
            if partial?.frame.isNonReference == true, behind.timestamp == partial?.frame.timestamp, !start.isFrameStart
            {
                partial?.isDamaged = true
                harmless = true
            } else if partial == nil, start.isFrameStart, let id = start.pictureID, let last = lastPictureID,
                id.width == last.width, id.id == (last.id &+ 1) & (last.width == 2 ? 0x7fff : 0x7f)
            {
                // No frame is missing between the two: the lost packets were padding.
                harmless = true
            }
        }
        if !harmless { isWaitingForKeyFrame = true }
        if partial?.isDamaged == false { dropPartial() }
        events.append(.gap(Gap(firstSequence: first, count: count, needsKeyFrame: isWaitingForKeyFrame)))
    }

    /// Returns the facts of a packet that is not processed yet; nil if they cannot be read.
    private func peek(_ packet: Packet) -> Facts? {
        var reader = reader
        return Self.facts(of: packet, codec, &reader)
    }

    /// Processes the next packet in order.
    private mutating func use(_ packet: Packet) {
        if packet.payload.isEmpty { return }
        guard let facts = Self.facts(of: packet, codec, &reader) else {
            malformedFrames += 1
            lose(packet.sequence, count: 1, behind: nil)
            return
        }
        if let current = partial,
            packet.timestamp != current.frame.timestamp || codec == .vp8 && facts.isFrameStart
        {
            // The sender did not set the marker bit. A browser that turns an encoding off discards the rest of its frame, and uses no
            // sequence numbers for it; the encoding begins again with a key frame.
            if setsMarkers, facts.isKeyFrameStart { dropPartial() } else { finish() }
        }
        if partial == nil {
            // A first slice of H.264 may follow lost parameter sets of its frame.
            let mayBeCut = codec == .h264 && packet.sequence == gapEnd && facts.width == 0
            guard facts.isFrameStart, !mayBeCut else {
                if !isWaitingForKeyFrame { lose(packet.sequence, count: 1, behind: nil) }
                return
            }
            partial = Partial(
                frame: VideoFrame(
                    codec: codec, bytes: [], timestamp: packet.timestamp, isKeyFrame: facts.isKeyFrameStart,
                    isNonReference: facts.isNonReference, pictureID: facts.pictureID?.id,
                    temporalID: facts.temporalID, sequences: packet.sequence...packet.sequence,
                    rotation: packet.rotation, arrival: packet.arrival))
            lastPictureID = facts.pictureID
            depacketizer.begin()
        }
        guard let first = partial?.frame.sequences.lowerBound, let size = partial?.frame.bytes.count,
            size + packet.payload.count <= byteCapacity, append(packet, facts)
        else {
            lose(packet.sequence, count: 1, behind: nil)
            return
        }
        partial?.frame.sequences = first...packet.sequence
        partial?.frame.rotation = packet.rotation
        if packet.marker {
            setsMarkers = true
            finish()
        }
    }

    private mutating func dropPartial() {
        partial = nil
        droppedFrames += 1
    }

    /// Appends the packet's part of the frame.
    /// - Returns: false if it cannot be read.
    private mutating func append(_ packet: Packet, _ facts: Facts) -> Bool {
        guard codec != .vp8 else {
            partial?.frame.bytes.append(contentsOf: packet.payload[facts.headerLength...])
            return true
        }
        // Taken out, so that appending does not copy it.
        guard var frame = partial?.frame else { return false }
        partial?.frame.bytes = []
        let isRead = packet.payload.withUnsafeBytes { payload in
            (try? depacketizer.append(payload, to: &frame.bytes)) != nil
        }
        // Its parameters may follow an access unit delimiter.
        if facts.isKeyFrameStart { frame.isKeyFrame = true }
        if facts.width > 0, frame.width == 0 { (frame.width, frame.height) = (facts.width, facts.height) }
        partial?.frame = frame
        if !isRead { malformedFrames += 1 }
        return isRead
    }

    private mutating func finish() {
        guard var done = partial else { return }
        partial = nil
        if codec != .vp8, (try? depacketizer.finish(&done.frame.bytes)) == nil {
            // Later frames may refer to it.
            malformedFrames += 1
            droppedFrames += 1
            isWaitingForKeyFrame = true
            return
        }
        if codec == .vp8, !done.isDamaged, !Self.isPossible(done.frame.bytes) { malformedFrames += 1 }
        if done.isDamaged || isWaitingForKeyFrame && !done.frame.isKeyFrame {
            droppedFrames += 1
            return
        }
        isWaitingForKeyFrame = false
        events.append(.frame(done.frame))
    }

    /// Returns whether the header is valid for a VP8 frame: frame tag, and start code of a key frame (RFC 6386 section 9.1).
    private static func isPossible(_ frame: [UInt8]) -> Bool {
        guard frame.count >= 3 else { return false }
        let tag = UInt32(frame[0]) | UInt32(frame[1]) << 8 | UInt32(frame[2]) << 16
        let isKeyFrame = tag & 1 == 0
        let headerLength = isKeyFrame ? 10 : 3
        // Versions above 3 are reserved; the first partition lies within the frame.
        guard (tag >> 1) & 7 <= 3, headerLength + Int(tag >> 5) <= frame.count else { return false }
        return !isKeyFrame || frame[3] == 0x9d && frame[4] == 0x01 && frame[5] == 0x2a
    }
}
