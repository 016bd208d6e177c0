package import MediaBase
package import RTP

/// Incoming track: the packets that a publisher sends under one SSRC. Takes decrypted packets, stores the latest of them, and decides
/// which retransmissions and key frames to request from the publisher.
package final class Producer {
    package struct Configuration: Sendable {
        package var kind: MediaKind
        /// Codec of the packets if `kind` is video.
        package var codec: VideoCodec
        package var ssrc: SSRC
        package var payloadType: PayloadType
        /// Payload type of redundant audio (RFC 2198), whose primary blocks have `payloadType`; nil: there is none.
        package var redPayloadType: PayloadType?
        /// Capacity of the ring in packets; `ringBytes` is the largest one in bytes, and `firstRingBytes` the one at first. All are powers of
        /// two.
        package var ringPackets: Int
        package var ringBytes: Int
        package var firstRingBytes: Int
        /// Whether missing packets are requested. Otherwise gaps in the sequence numbers mean nothing.
        package var requestsMissing = true
        /// Times at which missing packets are requested.
        package var requestTiming = NACKGenerator.Timing.video
        /// H.264: parameter sets of the publisher's session description.
        package var parameterSets: H264ParameterSets?

        /// Size of the ring of audio, in packets: 2.5 s of packets of 10 ms. Packets that are older are not sent again, and are not forwarded
        /// if they arrive late.
        package static let audioPackets = 256
        /// Size of the ring of audio, in bytes: the least that `PacketRing` permits.
        package static let audioBytes = 128 << 10

        /// - Parameters:
        ///   - retransmissionBytes: capacity of the ring of video.
        ///   - followsRate: the ring begins with 256 KiB and grows with the bit rate to hold `PacketRing.window`. Otherwise it has its full
        ///     size at once, for a publisher whose key frames may be older than that when a subscriber starts with them.
        package init(
            kind: MediaKind, codec: VideoCodec = .vp8, ssrc: SSRC, payloadType: PayloadType,
            retransmissionBytes: Int = 4 << 20, followsRate: Bool = false, parameterSets: H264ParameterSets? = nil
        ) {
            self.kind = kind
            self.codec = codec
            self.ssrc = ssrc
            self.payloadType = payloadType
            self.parameterSets = parameterSets
            // 2,048 packets of video are 2 s at 10 Mb/s.
            ringPackets = kind == .audio ? Self.audioPackets : 2048
            var bytes = Self.audioBytes
            while kind == .video, bytes * 2 <= retransmissionBytes { bytes *= 2 }
            ringBytes = bytes
            firstRingBytes = followsRate ? min(bytes, 256 << 10) : bytes
        }
    }

    /// Configuration. Its SSRC is the publisher's current one.
    package private(set) var configuration: Configuration
    /// Maximum age of a cached key frame that a new subscriber starts with. A publisher that sends key frames on request is asked for a new
    /// one instead of an older cached one.
    package var replayLimit = MediaTime.never
    /// Number that the owner identifies the producer by.
    package var tag = -1
    package let core: UnsafeMutablePointer<ProducerCore>
    package private(set) var statistics: ReceptionStatistics
    package var nack: NACKGenerator
    package var keyFrames = KeyFrameRequestThrottle()
    package var clock: SenderClock {
        get { core.pointee.clock }
        _modify { yield &core.pointee.clock }
    }
    /// True if the relay drops all packets of this producer.
    package private(set) var isMuted = false
    /// Latest video orientation. It applies until a packet carries another one.
    package private(set) var rotation = Rotation.none
    /// Unwrapped sequence number of the newest packet; -1 before the first.
    package private(set) var latestSequence: Int64 = -1
    package private(set) var latestTimestamp: Int64 = 0
    /// Sequence number of the first packet of the newest key frame; -1 if there is none.
    package private(set) var keyFrameStart: Int64 = -1
    package internal(set) var frameSize: (width: Int, height: Int)?
    private var order = FrameOrder()
    /// Whether H.264 has frames that are not sent in the order in which they are shown (B frames).
    package var reordersFrames: Bool { order.isReordered }
    package private(set) var packets: UInt64 = 0
    package private(set) var bytes: UInt64 = 0
    package var lastArrival: MediaTime
    /// Sequence number of the newest packet received while muted. Packets up to it belong to the muted time or before it, and are not
    /// forwarded.
    private var mutedThrough = Int64.min
    /// Sequence number of the newest packet before the last call of `startAnew`. No subscriber starts at it or at an earlier one.
    private var anewAfter = Int64.min
    private var sequences = SequenceUnwrapper()
    private var timestamps = TimestampUnwrapper()
    private var frames: FrameReader
    private var layerReader = LayerReader()
    /// Inserts parameter sets that only the session description has; nil if it has none. Packets pass through it before `receive`, whose
    /// sequence numbers are those after the insertion.
    package var inserter: ParameterSetInserter?
    private var counter = LayerCounter()
    private var rates = RateMeter()
    /// Latest rates that another relay has announced, and when; nil: none.
    package internal(set) var announcement: (rates: AnnouncedRates, at: MediaTime)?

    package var kind: MediaKind { configuration.kind }
    /// Whether dependency descriptors are forwarded.
    package var canHaveSpatialLayers: Bool { frames.canHaveSpatialLayers }
    /// Layers of the encoding, by its dependency descriptors.
    package var layerOrder: LayerOrder { layerReader.order }
    /// Codec of video; nil for audio.
    package var codec: VideoCodec? { kind == .video ? configuration.codec : nil }

    package init(_ configuration: Configuration, now: MediaTime) {
        self.configuration = configuration
        nack = NACKGenerator(configuration.requestTiming)
        frames = FrameReader(configuration.codec)
        inserter = configuration.parameterSets.map { ParameterSetInserter($0) }
        core = .allocate(capacity: 1)
        core.initialize(
            to: ProducerCore(
                ring: PacketRing(
                    slots: configuration.ringPackets, bytes: configuration.firstRingBytes,
                    maximumBytes: configuration.ringBytes),
                isAudio: configuration.kind == .audio, source: configuration.ssrc,
                clock: SenderClock(clockRate: configuration.kind.clockRate)))
        statistics = ReceptionStatistics(clockRate: configuration.kind.clockRate)
        lastArrival = now
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Takes over the frame size that another producer of the same packets knows.
    package func assume(frameSize: (width: Int, height: Int)?) { self.frameSize = self.frameSize ?? frameSize }

    /// Handles one authenticated packet. On `.forward`, `stored` is its slot, which is valid until the ring reuses it.
    /// - Parameter descriptor: data of the packet's dependency descriptor, if it has one.
    package func receive(
        _ header: RTPHeader, payload: UnsafeRawBufferPointer, extensions: RTPExtensionValues = RTPExtensionValues(),
        descriptor: UnsafeRawBufferPointer? = nil, now: MediaTime, stored: inout UnsafeMutablePointer<StoredPacket>?
    ) -> Outcome {
        var redundancy = 0
        if header.payloadType != configuration.payloadType {
            guard header.payloadType == configuration.redPayloadType else { return .wrongPayloadType }
            guard let red = try? REDPayload(parsing: payload) else { return .malformed }
            guard red.payloadType == configuration.payloadType else { return .wrongPayloadType }
            redundancy = red.primaryOffset
        }
        lastArrival = now
        packets &+= 1
        bytes &+= UInt64(payload.count)
        let sequence = sequences.unwrap(header.sequenceNumber)
        let timestamp = timestamps.unwrap(header.timestamp)
        statistics.receive(sequence: sequence, timestamp: header.timestamp, now: now)
        let isLate = sequence <= latestSequence
        if isLate {
            if core.pointee.ring.find(sequence) != nil { return .duplicate }
            // A packet that the ring has discarded was sent already, and a second packet under its number may differ. Two packets under one
            // number would share a keystream.
            if latestSequence - sequence >= Int64(configuration.ringPackets) || core.pointee.ring.hasLost(sequence) {
                return .tooOld
            }
        }
        if configuration.requestsMissing { nack.receive(sequence: sequence, now: now) }
        if isMuted || sequence <= mutedThrough {
            if !isLate { latestSequence = sequence }
            return .muted
        }
        guard payload.count <= PacketRing.maximumPayload else { return .malformed }
        if payload.isEmpty, kind == .video {
            return keepNumber(of: sequence, timestamp: timestamp, isLate: isLate, now: now, stored: &stored)
        }

        var flags: StoredPacket.Flags = header.marker ? .marker : []
        if isLate { flags.insert(.late) }
        var fields = RewriteFields()
        var numberedLayer: UInt8 = 0
        if kind == .video {
            guard var facts = try? frames.read(payload, timestamp: timestamp) else { return .malformed }
            if descriptor != nil || layerReader.hasStructure, frames.readsDescriptors {
                layerReader.read(descriptor, sequence: sequence, into: &facts)
            }
            numberedLayer = facts.numberedLayer
            fields = facts.fields
            if facts.isFrameStart {
                flags.insert(.frameStart)
                if !isLate, configuration.codec == .h264 {
                    order.note(facts.parameterSets, timestamp: timestamp, after: latestTimestamp)
                }
            }
            if facts.isLayerSync { flags.insert(.layerSync) }
            if facts.isKeyFrameStart, sequence > anewAfter {
                flags.insert(.keyFrameStart)
                if facts.width > 0 { frameSize = (Int(facts.width), Int(facts.height)) }
                if sequence > keyFrameStart { keyFrameStart = sequence }
                keyFrames.keyFrameArrived()
            }
        }
        var layers = LayerCounts()
        if kind == .video {
            if isLate {
                guard let found = layersOfLate(sequence) else { return .tooOld }
                layers = found
            } else {
                layers = counter.take(timestamp: timestamp, fields, numberedLayer: numberedLayer)
            }
        }
        // Receivers of one spatial layer find frames without the descriptor.
        let passed = layerReader.order.spatialLayers > 1 ? descriptor : nil
        let slot = core.pointee.ring.store(
            sequence: sequence, payload: payload,
            descriptor: DependencyDescriptor.isPassable(passed) ? passed : nil)
        core.pointee.ring.measure(now: now)
        slot.pointee.timestamp = timestamp
        slot.pointee.arrival = now
        slot.pointee.flags = flags
        slot.pointee.redundancy = UInt16(truncatingIfNeeded: redundancy)
        slot.pointee.fields = fields
        slot.pointee.layers = layers
        if !isLate {
            decideEnd(before: sequence, timestamp: timestamp, layer: fields.layer)
            noteEnd(of: slot)
        }
        rates.add(
            payload: payload.count, layer: fields.layer,
            startsFrame: kind == .audio || flags.contains(.frameStart), now: now)
        slot.pointee.extensions.read(extensions)
        if let orientation = extensions.videoOrientation { rotation = orientation.rotation }
        if !isLate {
            latestSequence = sequence
            latestTimestamp = timestamp
        }
        stored = slot
        return .forward
    }

    /// Stores a packet that contains only padding. A publisher without an RTX stream sends such packets between frames as probes, with
    /// sequence numbers of the media stream. Each subscriber gets a filler instead, whatever layers it receives, so that no subscriber
    /// takes the number for a lost packet.
    private func keepNumber(
        of sequence: Int64, timestamp: Int64, isLate: Bool, now: MediaTime,
        stored: inout UnsafeMutablePointer<StoredPacket>?
    ) -> Outcome {
        var layers = counter.peek(timestamp: timestamp)
        if isLate {
            guard let found = layersOfLate(sequence) else { return .tooOld }
            layers = found
        }
        let slot = withUnsafeBytes(of: UInt8(1)) { core.pointee.ring.store(sequence: sequence, payload: $0) }
        slot.pointee.paddingLength = 1
        slot.pointee.timestamp = timestamp
        slot.pointee.arrival = now
        // Like a late packet, it is no part of the current frame, and a consumer whose temporal limit excludes it gets a filler.
        slot.pointee.flags = .late
        slot.pointee.fields.layer = RewriteFields.noLayer
        slot.pointee.layers = layers
        if !isLate {
            decideEnd(before: sequence, timestamp: timestamp, layer: nil)
            latestSequence = sequence
            latestTimestamp = timestamp
        }
        stored = slot
        return .forward
    }

    /// Returns the layer counts of a late packet: those of the next stored packet. Missing packets between the two were counted as
    /// forwarded ones.
    private func layersOfLate(_ sequence: Int64) -> LayerCounts? {
        var next = sequence + 1
        while next <= latestSequence {
            if let neighbour = core.pointee.ring.find(next) { return neighbour.pointee.layers }
            next += 1
        }
        return nil
    }

    /// Whether the ring is too small for the bit rate. The owner then calls `makeRoom()` before the next packet.
    @inline(__always)
    package var needsRoom: Bool { core.pointee.ring.needsRoom }

    /// Doubles the ring, unless a packet of the producer is pending, which points into it.
    package func makeRoom() {
        guard core.pointee.pendingSince < 0 else { return }
        core.pointee.ring.grow()
    }

    /// Mutes or unmutes. Afterwards consumers wait for a packet that a decoder can start with. After unmuting video, the caller must
    /// request a key frame.
    package func setMuted(_ muted: Bool) {
        guard muted != isMuted else { return }
        isMuted = muted
        keyFrameStart = -1
        forgetEnd()
        if !muted { mutedThrough = latestSequence }
        for i in 0..<core.pointee.consumerCount {
            switch core.pointee.consumers[i].state {
            case .live, .adapting, .catchingUp, .waiting: core.pointee.consumers[i].state = .waiting
            case .expecting: core.pointee.consumers[i].keyFrame = nil
            case .paused, .retired: break
            }
        }
        core.pointee.catchingUp = 0
    }

    /// Excludes all stored packets from new consumers, because the audience of the producer changes. Existing consumers continue. A new
    /// consumer starts at a later key frame and gets nothing from before the change. The caller that adds a consumer must request that key
    /// frame.
    package func startAnew() {
        anewAfter = latestSequence
        keyFrameStart = -1
        excludeEnd()
        keyFrames.startAnew()
        for i in 0..<core.pointee.consumerCount where core.pointee.consumers[i].state == .expecting {
            core.pointee.consumers[i].keyFrame = nil
        }
    }

    /// Continues with a publisher that has restarted its encoder: the packets from here on have another SSRC, and unrelated sequence
    /// numbers and timestamps. Consumers continue at a packet that a decoder can start with; their sequence numbers and timelines have no
    /// break, and earlier packets can still be retransmitted. For video, the caller must request a key frame. No packet of the producer may
    /// be pending.
    /// - Parameter first: sequence number of the first packet after the restart.
    package func restart(ssrc: SSRC, first: SequenceNumber) {
        configuration.ssrc = ssrc
        core.pointee.source = ssrc
        // The new numbers begin so far beyond the old ones that packets reordered around the first cannot fall into the old range.
        let least = latestSequence + Self.restartRoom
        let step = Int64(first.rawValue &- UInt16(truncatingIfNeeded: least))
        sequences = SequenceUnwrapper(reference: least + step)
        timestamps = TimestampUnwrapper()
        frames = FrameReader(configuration.codec)
        layerReader = LayerReader()
        inserter?.restart()
        order = FrameOrder()
        statistics = ReceptionStatistics(clockRate: kind.clockRate)
        clock = SenderClock(clockRate: kind.clockRate)
        nack = NACKGenerator(configuration.requestTiming)
        startAnew()
        forgetEnd()
        for i in 0..<core.pointee.consumerCount {
            let consumer = core.pointee.consumers + i
            switch consumer.pointee.state {
            case .live, .adapting, .catchingUp, .waiting, .paused:
                if kind == .video { consumer.pointee.cutFrame() }
                consumer.pointee.joinsTimestamps = consumer.pointee.progress.hasSent
                if consumer.pointee.state != .paused { consumer.pointee.state = .waiting }
            case .expecting, .retired: break
            }
        }
        core.pointee.catchingUp = 0
    }

    private static let restartRoom: Int64 = 1_000

    /// Returns the first packet of the newest key frame if the ring still holds all packets from there on, so that a new subscriber can
    /// start with it.
    package func cachedKeyFrame() -> UnsafeMutablePointer<StoredPacket>? {
        guard keyFrameStart >= 0, !isMuted, let start = core.pointee.ring.find(keyFrameStart),
            lastArrival - start.pointee.arrival <= replayLimit
        else { return nil }
        var sequence = keyFrameStart + 1
        while sequence <= latestSequence {
            guard core.pointee.ring.find(sequence) != nil else { return nil }
            sequence += 1
        }
        return start
    }

    /// Time at which to request missing packets or a key frame from the publisher; nil if there is nothing to request.
    @inline(__always)
    package var requestsDue: MediaTime? {
        guard nack.missingCount > 0 || nack.needsKeyFrame || keyFrames.isWanted else { return nil }
        if nack.needsKeyFrame { return .zero }
        return min(nack.deadline ?? .never, keyFrames.deadline ?? .never)
    }

    /// Returns the bit rate (headers included) and frame rate of the last second, up to each temporal layer. The last entry covers the
    /// whole stream. If another relay announces them, they are those at that relay.
    package func measured(now: MediaTime) -> (bitrates: [Bitrate], frameRates: [Double]) {
        announcedRates(now: now)?.measured ?? rates.read(now: now)
    }

    /// Returns the relay's report block for the publisher, for the time since the last one.
    package func reportBlock(now: MediaTime) -> ReportBlock? {
        var block = statistics.reportBlock(source: configuration.ssrc, clock: clock, now: now)
        if let inserter { block?.highestSequence &-= UInt32(truncatingIfNeeded: inserter.insertions) }
        return block
    }

    /// Takes the parameter sets of a new session description.
    package func replace(parameterSets sets: H264ParameterSets?) {
        configuration.parameterSets = sets
        if inserter == nil { inserter = sets.map { ParameterSetInserter($0) } } else { inserter?.replace(sets) }
    }
}
