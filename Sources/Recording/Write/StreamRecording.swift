import Codecs
package import MediaBase
import RTP

/// Converts the packets of one stream into frames of WebM or Matroska files, without threads, clocks and IO.
///
/// A file begins with a key frame. After a loss or damage, video frames are dropped until the next key frame. Audio and
/// video share one timeline (`RecordingTimeline`), and the times of a track always increase, except those of reordered frames
/// of H.264 (B frames), which have the time at which they are shown. Call `insert` and
/// `handleTimeout`, then `nextOutput` until it returns nil.
package struct StreamRecording: Sendable {
    package enum Output: Sendable {
        case open(Start)
        case frame(Frame)
        /// All clock points of the open file, when there is a new one.
        case clock([ClockPoint])
        case close
    }

    /// Start of a file.
    package struct Start: Sendable {
        /// Size of the first frame; nil if there is none.
        package var width: Int?
        package var height: Int?
        package var hasAudio: Bool
        /// Whether the file has a video track. True without a size if video is muted and may start later.
        package var hasVideo: Bool
        package var codec: VideoCodec
        /// Decoder configuration of H.264 and AV1; empty for VP8 and VP9.
        package var codecPrivate: [UInt8]
        /// Rotation of the first frame.
        package var rotation: Rotation
        /// Relay time of the file's time zero.
        package var time: MediaTime
        /// Publisher's wall clock at that time in NTP format; nil without sender reports.
        package var captureNTP: UInt64?
    }

    package struct Frame: Sendable {
        package var kind: MediaKind
        /// Time from the start of the file.
        package var time: MediaTime
        package var duration: MediaTime
        package var isKeyFrame: Bool
        /// Size of a key frame; nil for other frames and for audio.
        package var size: FrameSize?
        /// Rotation of the file's video; known from its first video frame on.
        package var rotation: Rotation?
        package var bytes: [UInt8]
    }

    /// Minimum time between two frames of a track in a file, whose times are in milliseconds.
    private static let tick: MediaTime = .milliseconds(1)
    /// Maximum delay of a video frame whose time is not after the previous one.
    private static let maximumDelay: MediaTime = .seconds(1)
    /// Minimum length of a file before a change of rotation ends it, so that a publisher cannot create a file for each
    /// frame.
    private static let turnInterval: MediaTime = .seconds(5)
    let options: Options
    var expected: Set<MediaKind>
    /// Kinds that may have no packets for a long time; their tracks stay in the file.
    let muted: Set<MediaKind>
    /// Whether frames are encrypted end to end, so that the TOC byte of Opus cannot be read.
    let isEncrypted: Bool
    var timeline: RecordingTimeline
    var assembler: FrameAssembler
    var frames: ContainerFrames
    var sequencer = AudioSequencer()
    /// Frames held until the file begins.
    var held: [Item] = []
    var heldBytes = 0
    var firstArrival: MediaTime?
    var firstKeyArrival: MediaTime?
    /// Whether video was lost or dropped before the first key frame, because the recording started in the middle of the
    /// stream.
    var joinedLate = false
    /// Time zero and tracks of the open file, and the rotation of its video, known from the first video frame on.
    var file: (zero: MediaTime, kinds: Set<MediaKind>, rotation: Rotation?)?
    /// Whether the rotation of the video differs from the file's. The next key frame begins a new file.
    private var isTurned = false
    /// Whether a video frame was dropped, so that later ones cannot be decoded before a key frame.
    var isVideoBroken = false
    /// Latest time of each track.
    var lastTime: [MediaKind: MediaTime] = [:]
    /// Latest RTP time of the video in the open file.
    private var lastVideoTicks: Int64?
    /// Clock points of the open file.
    private var audioClock = ClockPoints(.audio)
    private var videoClock = ClockPoints(.video)
    var frameDuration: MediaTime = .milliseconds(33)
    var videoGaps: UInt64 = 0
    var lostVideoPackets: UInt64 = 0
    private var counted = RecordingStatistics()
    private var outputs: [Output] = []
    private var firstOutput = 0

    /// - Parameters:
    ///   - kinds: announced tracks of the stream; others are added when their packets arrive.
    ///   - codec: announced codec of video; packets may have another one.
    ///   - muted: tracks that are muted now.
    ///   - isEncrypted: whether frames are encrypted end to end.
    package init(
        kinds: Set<MediaKind>, codec: VideoCodec = .vp8, muted: Set<MediaKind> = [], isEncrypted: Bool = false,
        options: Options = Options()
    ) {
        assembler = FrameAssembler(codec)
        frames = ContainerFrames(codec)
        expected = kinds
        self.isEncrypted = isEncrypted
        self.muted = muted.intersection(kinds)
        self.options = options
        timeline = RecordingTimeline(maximumLead: options.maximumLead)
    }

    package var statistics: RecordingStatistics {
        var all = counted
        all.gaps = videoGaps &+ sequencer.gaps
        all.lostPackets = lostVideoPackets &+ sequencer.lostPackets
        all.droppedFrames = assembler.droppedFrames &+ counted.droppedFrames
        all.timeJumps = timeline.jumps
        return all
    }

    /// Whether video cannot continue without a key frame, which the caller requests at a bounded rate.
    package var needsKeyFrame: Bool {
        expected.contains(.video) && (assembler.isWaitingForKeyFrame || isVideoBroken || isTurned)
    }

    /// Time when `handleTimeout` is due.
    package var nextTimeout: MediaTime? {
        var due = [assembler.nextTimeout, sequencer.nextTimeout].compactMap { $0 }
        if file == nil {
            if let firstKeyArrival {
                due.append(firstKeyArrival + heldTime)
            } else if let firstArrival, !held.isEmpty {
                due.append(firstArrival + (expected.contains(.video) ? options.videoWait : options.settlingWait))
            }
        }
        return due.min()
    }

    /// Inserts a packet of a tap; copies the payload.
    package mutating func insert(
        _ kind: MediaKind, sequence: Int64, timestamp: Int64, marker: Bool, arrival: MediaTime, captureNTP: UInt64?,
        rotation: Rotation = .none, codec: VideoCodec = .vp8, payload: UnsafeRawBufferPointer
    ) {
        if kind == .video, codec != assembler.codec { change(to: codec) }
        if firstArrival == nil { firstArrival = arrival }
        expected.insert(kind)
        timeline.note(kind, sequence: sequence, ticks: timestamp, arrival: arrival, captureNTP: captureNTP)
        switch kind {
        case .video:
            assembler.insert(
                sequence: sequence, timestamp: timestamp, marker: marker, rotation: rotation, payload: payload,
                now: arrival)
        case .audio:
            // A payload of padding only is a probe, not audio.
            guard !payload.isEmpty else { return }
            guard isEncrypted || (try? OpusPacketInfo(payload)) != nil else {
                counted.damagedFrames &+= 1
                return
            }
            sequencer.insert(
                AudioSequencer.Packet(
                    sequence: sequence, timestamp: timestamp, arrival: arrival, bytes: Array(payload)))
        }
        collect(now: arrival)
    }

    package mutating func handleTimeout(now: MediaTime) {
        assembler.handleTimeout(now: now)
        sequencer.handleTimeout(now: now)
        collect(now: now)
    }

    /// Finishes the recording at the end of the stream or when it is stopped.
    package mutating func finish() {
        assembler.flush()
        sequencer.flush()
        collect(now: .never)
        if file != nil { close() }
    }

    /// Discards the open file after a write error; the next file begins with a key frame.
    package mutating func startOver() {
        file = nil
        held = []
        heldBytes = 0
        firstArrival = nil
        firstKeyArrival = nil
        joinedLate = true
        isVideoBroken = expected.contains(.video)
        outputs.removeAll()
        firstOutput = 0
    }

    package mutating func nextOutput() -> Output? {
        guard firstOutput < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            firstOutput = 0
            return nil
        }
        firstOutput += 1
        return outputs[firstOutput - 1]
    }

    /// Begins video of another codec, in a file of its own.
    private mutating func change(to codec: VideoCodec) {
        assembler.flush()
        collect(now: .zero)
        counted.droppedFrames &+= assembler.droppedFrames
        assembler = FrameAssembler(codec)
        frames = ContainerFrames(codec)
        isVideoBroken = false
        guard let file else {
            held.removeAll { $0.kind == .video }
            heldBytes = held.reduce(0) { $0 + $1.bytes.count }
            firstKeyArrival = nil
            return
        }
        guard file.kinds.contains(.video) else { return }
        close()
        firstArrival = nil
        firstKeyArrival = nil
        joinedLate = true
    }

    private mutating func collect(now: MediaTime) {
        while let event = assembler.nextEvent() {
            switch event {
            case .gap(let gap):
                videoGaps &+= 1
                lostVideoPackets &+= UInt64(clamping: gap.count)
            case .frame(let frame): take(frame)
            }
        }
        while let packet = sequencer.nextPacket() {
            take(
                Item(
                    kind: .audio, ticks: packet.timestamp, arrival: packet.arrival, isKeyFrame: true,
                    bytes: packet.bytes))
        }
        if file == nil { beginWhenReady(now: now) }
    }

    private mutating func take(_ frame: VideoFrame) {
        // The clear bytes of an encrypted frame are those of VP8.
        guard !isEncrypted || frame.codec == .vp8, let converted = frames.convert(frame) else {
            // Later frames may refer to this one, so they cannot be decoded either.
            counted.damagedFrames &+= 1
            isVideoBroken = true
            return
        }
        guard !converted.bytes.isEmpty else {
            // Frames need the key frame to which the parameters belong.
            isVideoBroken = true
            return
        }
        if frame.isKeyFrame { isVideoBroken = false }
        guard !isVideoBroken else {
            counted.droppedFrames &+= 1
            return
        }
        var item = Item(
            kind: .video, ticks: frame.timestamp, arrival: frame.arrival, isKeyFrame: frame.isKeyFrame,
            bytes: converted.bytes)
        item.width = converted.width
        item.height = converted.height
        if frame.isKeyFrame { item.codecPrivate = frames.codecPrivate ?? [] }
        item.rotation = frame.rotation
        if firstKeyArrival == nil, frame.isKeyFrame {
            firstKeyArrival = frame.arrival
            joinedLate = joinedLate || assembler.droppedFrames > 0 || videoGaps > 0
        }
        take(item)
    }

    private mutating func take(_ item: Item) {
        guard let file else {
            held.append(item)
            heldBytes += item.bytes.count
            return
        }
        if !file.kinds.contains(item.kind)
            || (item.isKeyFrame && item.kind == .video && !file.kinds.isSuperset(of: expected))
        {
            // The header lacks this track. Video starts a new file with its key frame.
            guard item.kind == .video, item.isKeyFrame else { return }
            close()
            held = [item]
            heldBytes = item.bytes.count
            begin(kinds: expected)
            return
        }
        if item.kind == .video, turns(item, file.rotation) {
            close()
            held = [item]
            heldBytes = item.bytes.count
            begin(kinds: file.kinds)
            return
        }
        write(item)
    }

    /// Handles a change of rotation. A file has one rotation; frames with another one stay in it until a key frame can
    /// begin the next file.
    /// - Returns: whether this frame begins a new file.
    private mutating func turns(_ item: Item, _ rotation: Rotation?) -> Bool {
        guard options.splitsAtRotation, let rotation, let file, rotation != item.rotation,
            let time = timeline.time(.video, ticks: item.ticks, arrival: item.arrival),
            time - file.zero >= Self.turnInterval
        else {
            isTurned = false
            return false
        }
        isTurned = !item.isKeyFrame
        return item.isKeyFrame
    }

    mutating func open(_ start: Start, kinds: Set<MediaKind>) {
        file = (start.time, kinds, nil)
        isTurned = false
        lastTime = [:]
        lastVideoTicks = nil
        audioClock = ClockPoints(.audio)
        videoClock = ClockPoints(.video)
        outputs.append(.open(start))
    }

    private mutating func close() {
        let isNew = (audio: audioClock.closeInterval(), video: videoClock.closeInterval())
        if isNew.audio || isNew.video { outputs.append(.clock(audioClock.points + videoClock.points)) }
        outputs.append(.close)
        file = nil
    }

    mutating func write(_ item: Item) {
        guard let file,
            let at = timeline.time(item.kind, ticks: item.ticks, arrival: item.arrival)
        else { return }
        write(item, at: at - file.zero)
    }

    /// Returns whether a frame is shown before one that was written: a B frame. Only H.264 has such frames. Its RTP time is before that of
    /// the other frame by less than 1 s; otherwise it is a jump of the publisher's clock.
    private mutating func isReordered(_ item: Item) -> Bool {
        guard item.kind == .video, frames.codec == .h264 else { return false }
        let delay = (lastVideoTicks ?? item.ticks) &- item.ticks
        guard delay > 0, delay < Int64(MediaKind.video.clockRate) else {
            lastVideoTicks = item.ticks
            return false
        }
        return !item.isKeyFrame
    }

    /// - Parameter offset: time from the start of the file.
    mutating func write(_ item: Item, at offset: MediaTime) {
        guard let file, file.kinds.contains(item.kind) else { return }
        let last = lastTime[item.kind]
        let earliest = last.map { $0 + Self.tick } ?? .zero
        var time = offset
        if isReordered(item) {
            time = max(.zero, offset)
        } else if time < earliest {
            // Later frames depend on a video frame, so it is delayed a little rather than dropped.
            guard item.kind == .video, earliest - time < Self.maximumDelay else {
                counted.unorderedFrames &+= 1
                if item.kind == .video { isVideoBroken = true }
                return
            }
            time = earliest
        }
        let duration: MediaTime
        if item.kind == .video {
            if let last, time > last, time - last < .seconds(1) { frameDuration = time - last }
            duration = frameDuration
            counted.videoFrames &+= 1
        } else {
            let info = isEncrypted ? nil : try? OpusPacketInfo(item.bytes)
            duration = info?.duration ?? .milliseconds(20)
            counted.audioPackets &+= 1
        }
        lastTime[item.kind] = max(time, last ?? time)
        let arrival = item.arrival - file.zero
        let steps = timeline.steps(item.kind, before: item.ticks, arrival: item.arrival)
        let isNewPoint =
            item.kind == .video
            ? videoClock.note(time: offset, arrival: arrival, steps: steps)
            : audioClock.note(time: offset, arrival: arrival, steps: steps)
        if isNewPoint { outputs.append(.clock(audioClock.points + videoClock.points)) }
        let size = item.width > 0 ? FrameSize(width: item.width, height: item.height) : nil
        if item.kind == .video, file.rotation == nil { self.file?.rotation = item.rotation }
        outputs.append(
            .frame(
                Frame(
                    kind: item.kind, time: time, duration: duration, isKeyFrame: item.isKeyFrame, size: size,
                    rotation: item.kind == .video ? self.file?.rotation : nil, bytes: item.bytes)))
    }
}
