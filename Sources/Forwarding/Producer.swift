package import MediaBase
package import RTP

/// One track in: what a publisher sends under one SSRC. Takes decrypted packets, keeps the last of them, and says what to ask the
/// publisher for.
package final class Producer {
    package struct Configuration: Sendable {
        package var kind: MediaKind
        package var ssrc: SSRC
        package var payloadType: PayloadType
        /// Kept packets and bytes; powers of two.
        package var ringPackets: Int
        package var ringBytes: Int

        package init(kind: MediaKind, ssrc: SSRC, payloadType: PayloadType, retransmissionBytes: Int = 4 << 20) {
            self.kind = kind
            self.ssrc = ssrc
            self.payloadType = payloadType
            // 2 s of 20 ms audio is 100 packets; 2,048 packets of video are 2 s at 10 Mb/s.
            ringPackets = kind == .audio ? 256 : 2048
            var bytes = 128 << 10
            while kind == .video, bytes * 2 <= retransmissionBytes { bytes *= 2 }
            ringBytes = bytes
        }
    }

    package enum Outcome: Sendable {
        case forward
        /// Payload type or size that the track was not announced with.
        case wrongPayloadType
        case tooOld
        case duplicate
        case malformed
        case muted
    }

    /// Its SSRC is the one that the publisher sends under now.
    package private(set) var configuration: Configuration
    /// An older key frame is not what a joiner starts with: a publisher that sends one on request is asked for a new one instead.
    package var replayLimit = MediaTime.never
    /// Number that the owner knows it by.
    package var tag = -1
    package let core: UnsafeMutablePointer<ProducerCore>
    package private(set) var statistics: ReceptionStatistics
    package var nack = NACKGenerator()
    package var keyFrames = KeyFrameRequestThrottle()
    package var clock: SenderClock {
        get { core.pointee.clock }
        _modify { yield &core.pointee.clock }
    }
    /// Drops at the relay, whatever the publisher sends.
    package private(set) var isMuted = false
    /// Newest of the video's orientation; holds until a packet says another.
    package private(set) var rotation = Rotation.none
    /// Unwrapped, of the newest packet; -1 before the first.
    package private(set) var latestSequence: Int64 = -1
    package private(set) var latestTimestamp: Int64 = 0
    /// First packet of the newest key frame; -1 when none was seen.
    package private(set) var keyFrameStart: Int64 = -1
    package private(set) var pictureSize: (width: Int, height: Int)?
    package private(set) var packets: UInt64 = 0
    package private(set) var bytes: UInt64 = 0
    package var lastArrival: MediaTime
    /// Newest packet that came while muted: what is not newer was said in that time, or before it, and stays unheard.
    private var mutedThrough = Int64.min
    /// Newest packet from before the last `startAnew`: no viewer begins with it or with what was before it.
    private var anewAfter = Int64.min
    private var sequences = SequenceUnwrapper()
    private var timestamps = TimestampUnwrapper()
    private var counter = LayerCounter()
    private var rates = RateMeter()

    package var kind: MediaKind { configuration.kind }

    package init(_ configuration: Configuration, now: MediaTime) {
        self.configuration = configuration
        core = .allocate(capacity: 1)
        core.initialize(
            to: ProducerCore(
                ring: PacketRing(slots: configuration.ringPackets, bytes: configuration.ringBytes),
                isAudio: configuration.kind == .audio, source: configuration.ssrc,
                clock: SenderClock(clockRate: configuration.kind.clockRate)))
        statistics = ReceptionStatistics(clockRate: configuration.kind.clockRate)
        lastArrival = now
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Takes one authentic packet. On `.forward` its slot is in `stored`, valid until the ring has gone round.
    package func receive(
        _ header: RTPHeader, payload: UnsafeRawBufferPointer, extensions: RTPExtensionValues = RTPExtensionValues(),
        now: MediaTime, stored: inout UnsafeMutablePointer<StoredPacket>?
    ) -> Outcome {
        guard header.payloadType == configuration.payloadType else { return .wrongPayloadType }
        lastArrival = now
        packets &+= 1
        bytes &+= UInt64(payload.count)
        let sequence = sequences.unwrap(header.sequenceNumber)
        let timestamp = timestamps.unwrap(header.timestamp)
        statistics.receive(sequence: sequence, timestamp: header.timestamp, now: now)
        let isLate = sequence <= latestSequence
        if isLate {
            if core.pointee.ring.find(sequence) != nil { return .duplicate }
            // One that has given way went out already, and what comes under its number now may be another: two packets under one number
            // would share a keystream.
            if latestSequence - sequence >= Int64(configuration.ringPackets) || core.pointee.ring.hasLost(sequence) {
                return .tooOld
            }
        }
        nack.receive(sequence: sequence, now: now)
        if isMuted || sequence <= mutedThrough {
            if !isLate { latestSequence = sequence }
            return .muted
        }
        guard payload.count <= PacketRing.maximumPayload else { return .malformed }
        if payload.isEmpty, kind == .video {
            return keepPlace(of: sequence, timestamp: timestamp, isLate: isLate, now: now, stored: &stored)
        }

        var flags: StoredPacket.Flags = header.marker ? .marker : []
        if isLate { flags.insert(.late) }
        var fields = VP8RewriteFields()
        if kind == .video {
            guard let descriptor = try? VP8PayloadDescriptor(parsing: payload) else { return .malformed }
            fields = VP8RewriteFields(descriptor)
            if descriptor.isFrameStart { flags.insert(.frameStart) }
            if descriptor.hasTemporalID, descriptor.layerSync { flags.insert(.layerSync) }
            if descriptor.isKeyFrameStart, sequence > anewAfter {
                flags.insert(.keyFrameStart)
                let frame = UnsafeRawBufferPointer(rebasing: payload[descriptor.headerLength...])
                if let size = VP8FrameHeader.keyFrameSize(of: frame) { pictureSize = size }
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
                layers = counter.take(timestamp: timestamp, fields)
            }
        }
        let slot = core.pointee.ring.store(sequence: sequence, payload: payload)
        slot.pointee.timestamp = timestamp
        slot.pointee.arrival = now
        slot.pointee.flags = flags
        slot.pointee.vp8 = fields
        slot.pointee.layers = layers
        rates.add(
            payload: payload.count, layer: fields.temporalLayer,
            startsFrame: kind == .audio || flags.contains(.frameStart), now: now)
        slot.pointee.extensions = PassedExtensions(extensions)
        if let orientation = extensions.videoOrientation { rotation = orientation.rotation }
        if !isLate {
            latestSequence = sequence
            latestTimestamp = timestamp
        }
        stored = slot
        return .forward
    }

    /// Padding alone: a publisher that has no RTX stream probes like that, between pictures. It has a number of the media's and nothing to
    /// forward, so it is kept as what a filler stands for: each viewer gets one, whatever layers it gets, and nobody takes it for lost.
    private func keepPlace(
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
        // As with what comes late, it is no part of the picture that goes out, and where it is left out there is a filler.
        slot.pointee.flags = .late
        slot.pointee.vp8.temporalLayer = VP8RewriteFields.noLayer
        slot.pointee.layers = layers
        if !isLate {
            latestSequence = sequence
            latestTimestamp = timestamp
        }
        stored = slot
        return .forward
    }

    /// A late packet's: those of the next packet that is there, since all between the two were taken for packets that go out.
    private func layersOfLate(_ sequence: Int64) -> LayerCounts? {
        var next = sequence + 1
        while next <= latestSequence {
            if let neighbour = core.pointee.ring.find(next) { return neighbour.pointee.layers }
            next += 1
        }
        return nil
    }

    /// Mutes or unmutes. After it consumers start again where a decoder can: for video the caller of an unmute asks for a key frame.
    package func setMuted(_ muted: Bool) {
        guard muted != isMuted else { return }
        isMuted = muted
        keyFrameStart = -1
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

    /// From here on it is for others than before. Consumers that get it go on with it; who begins does so with a key frame that has still to
    /// come, and sees nothing that was made for the others. Whoever lets one begin asks for that key frame.
    package func startAnew() {
        anewAfter = latestSequence
        keyFrameStart = -1
        keyFrames.startAnew()
        for i in 0..<core.pointee.consumerCount where core.pointee.consumers[i].state == .expecting {
            core.pointee.consumers[i].keyFrame = nil
        }
    }

    /// The publisher has started its encoder again: what comes from here on has another SSRC, and numbers and timestamps of its own. Consumers
    /// go on where a decoder can, without a break in their numbers and on their timelines, and what they were sent before can still be sent
    /// again. For video the caller asks for a key frame. Nothing of it may be pending.
    /// - Parameter first: of the packet that comes first.
    package func restart(ssrc: SSRC, first: SequenceNumber) {
        configuration.ssrc = ssrc
        core.pointee.source = ssrc
        // Beyond all that was there, and so far that what comes behind the first is not taken for it.
        let least = latestSequence + Self.restartRoom
        let step = Int64(first.rawValue &- UInt16(truncatingIfNeeded: least))
        sequences = SequenceUnwrapper(reference: least + step)
        timestamps = TimestampUnwrapper()
        statistics = ReceptionStatistics(clockRate: kind.clockRate)
        clock = SenderClock(clockRate: kind.clockRate)
        nack = NACKGenerator()
        startAnew()
        for i in 0..<core.pointee.consumerCount {
            let consumer = core.pointee.consumers + i
            switch consumer.pointee.state {
            case .live, .adapting, .catchingUp, .waiting, .paused:
                if kind == .video { consumer.pointee.cutPicture() }
                consumer.pointee.joinsTimestamps = consumer.pointee.progress.hasSent
                if consumer.pointee.state != .paused { consumer.pointee.state = .waiting }
            case .expecting, .retired: break
            }
        }
        core.pointee.catchingUp = 0
    }

    private static let restartRoom: Int64 = 1_000

    /// The first packet of the newest key frame where the ring still holds everything from there on: what a joiner can start with.
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

    /// When the publisher is to be asked for missing packets or a key frame; nil with nothing to ask for.
    @inline(__always)
    package var requestsDue: MediaTime? {
        guard nack.missingCount > 0 || nack.needsKeyFrame || keyFrames.isWanted else { return nil }
        if nack.needsKeyFrame { return .zero }
        return min(nack.deadline ?? .never, keyFrames.deadline ?? .never)
    }

    /// Silence after which a producer counts as stopped.
    package static let activity = MediaTime.seconds(2)

    /// A packet came within the last two seconds.
    package func isActive(now: MediaTime) -> Bool { packets > 0 && now - lastArrival < Self.activity }

    /// What came in the last second up to each temporal layer, with headers, and the frames of it; the last is everything.
    package func measured(now: MediaTime) -> (bitrates: [Bitrate], frameRates: [Double]) { rates.read(now: now) }

    /// What the relay reports to the publisher of its reception since the last report.
    package func reportBlock(now: MediaTime) -> ReportBlock? {
        statistics.reportBlock(source: configuration.ssrc, clock: clock, now: now)
    }
}

extension VP8RewriteFields {
    init(_ descriptor: VP8PayloadDescriptor) {
        self.init()
        if descriptor.hasPictureID {
            pictureID = descriptor.pictureID
            pictureIDOffset = descriptor.pictureIDOffset
            pictureIDIsWide = descriptor.pictureIDWidth == 2
        }
        if descriptor.hasTL0PicIdx {
            tl0PictureIndex = descriptor.tl0PicIdx
            tl0Offset = descriptor.tl0PicIdxOffset
        }
        temporalLayer = descriptor.temporalID
    }
}
