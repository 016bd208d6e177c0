package import MediaBase
internal import RTP

/// Turns the packets of one stream into the frames of WebM files: the recording without threads, clocks and files.
///
/// A file begins with a key frame. Losses leave gaps: after one, pictures are left out until the next key frame. Sound and pictures
/// lie on one time line (`RecordingTimeline`). `insert` and `handleTimeout`, then `nextOutput` until nil.
package struct StreamRecording: Sendable {
    package struct Options: Sendable {
        /// How long the first frames are kept back for the sender reports that align them.
        package var alignmentWait: MediaTime = .seconds(1)
        /// How long sound waits for the first picture before it is recorded alone.
        package var videoWait: MediaTime = .seconds(3)
        package init() {}
    }

    package enum Output: Sendable {
        case open(Start)
        case frame(Frame)
        case close
    }

    /// A file begins.
    package struct Start: Sendable {
        /// Size of the first picture; nil for sound alone.
        package var width: Int?
        package var height: Int?
        package var hasAudio: Bool
        /// Relay time of the file's time zero.
        package var time: MediaTime
        /// The publisher's wall clock then, NTP format; nil without sender reports.
        package var captureNTP: UInt64?
    }

    package struct Frame: Sendable {
        package var kind: MediaKind
        /// From the start of the file.
        package var time: MediaTime
        package var duration: MediaTime
        package var isKeyFrame: Bool
        package var bytes: [UInt8]
    }

    struct Item: Sendable {
        var kind: MediaKind
        var ticks: Int64
        var arrival: MediaTime
        var isKeyFrame: Bool
        var width = 0
        var height = 0
        var bytes: [UInt8]
    }

    let options: Options
    var expected: Set<MediaKind>
    var timeline = RecordingTimeline()
    var assembler = VP8FrameAssembler()
    var sequencer = AudioSequencer()
    /// Kept back until the file begins.
    var held: [Item] = []
    var firstArrival: MediaTime?
    var firstKeyArrival: MediaTime?
    /// Pictures came before the first key frame: the stream was under way.
    var joinedLate = false
    /// The open file's time zero and tracks.
    var file: (zero: MediaTime, kinds: Set<MediaKind>)?
    var lastTime: [MediaKind: MediaTime] = [:]
    var pictureDuration: MediaTime = .milliseconds(33)
    var videoGaps: UInt64 = 0
    var lostVideoPackets: UInt64 = 0
    private var counted = RecordingStatistics()
    private var outputs: [Output] = []
    private var firstOutput = 0

    /// - Parameter kinds: the tracks that the stream is said to have; others are taken in when they come.
    package init(kinds: Set<MediaKind>, options: Options = Options()) {
        expected = kinds
        self.options = options
    }

    package var statistics: RecordingStatistics {
        var all = counted
        all.gaps = videoGaps &+ sequencer.gaps
        all.lostPackets = lostVideoPackets &+ sequencer.lostPackets
        all.droppedFrames = assembler.droppedFrames
        all.timeJumps = timeline.jumps
        return all
    }

    /// Pictures cannot go on without a key frame: ask for one, in moderation.
    package var needsKeyFrame: Bool { expected.contains(.video) && assembler.isWaitingForKeyFrame }

    /// When `handleTimeout` is due.
    package var nextTimeout: MediaTime? {
        var due = [assembler.nextTimeout, sequencer.nextTimeout].compactMap { $0 }
        if file == nil {
            if let firstKeyArrival { due.append(firstKeyArrival + options.alignmentWait) }
            if let firstArrival, !held.isEmpty { due.append(firstArrival + options.videoWait) }
        }
        return due.min()
    }

    /// Takes one packet as a tap hands it out; the payload is copied.
    package mutating func insert(
        _ kind: MediaKind, sequence: Int64, timestamp: Int64, marker: Bool, arrival: MediaTime, captureNTP: UInt64?,
        payload: UnsafeRawBufferPointer
    ) {
        if firstArrival == nil { firstArrival = arrival }
        expected.insert(kind)
        timeline.note(kind, ticks: timestamp, arrival: arrival, captureNTP: captureNTP)
        switch kind {
        case .video:
            assembler.insert(
                sequence: sequence, timestamp: timestamp, marker: marker, payload: payload, now: arrival)
        case .audio:
            // Padding only: a probe, not sound.
            guard !payload.isEmpty else { return }
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

    /// The stream has ended, or recording is to stop.
    package mutating func finish() {
        assembler.flush()
        sequencer.flush()
        collect(now: .never)
        if file != nil { outputs.append(.close) }
        file = nil
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

    private mutating func collect(now: MediaTime) {
        while let event = assembler.nextEvent() {
            switch event {
            case .gap(let gap):
                videoGaps += 1
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

    private mutating func take(_ frame: VP8Frame) {
        var item = Item(
            kind: .video, ticks: frame.timestamp, arrival: frame.arrival, isKeyFrame: frame.isKeyFrame,
            bytes: frame.bytes)
        if frame.isKeyFrame, frame.bytes.count >= 10 {
            // RFC 6386 section 9.1.
            item.width = (Int(frame.bytes[6]) | Int(frame.bytes[7]) << 8) & 0x3fff
            item.height = (Int(frame.bytes[8]) | Int(frame.bytes[9]) << 8) & 0x3fff
        }
        if firstKeyArrival == nil, frame.isKeyFrame {
            firstKeyArrival = frame.arrival
            joinedLate = assembler.droppedFrames > 0 || videoGaps > 0
        }
        take(item)
    }

    private mutating func take(_ item: Item) {
        guard let file else {
            held.append(item)
            return
        }
        if !file.kinds.contains(item.kind)
            || (item.isKeyFrame && item.kind == .video && !file.kinds.isSuperset(of: expected))
        {
            // A track that the header does not know begins: with its key frame in a new file.
            guard item.kind == .video, item.isKeyFrame else { return }
            outputs.append(.close)
            self.file = nil
            held = [item]
            begin(kinds: expected)
            return
        }
        write(item)
    }

    mutating func open(_ start: Start, kinds: Set<MediaKind>) {
        file = (start.time, kinds)
        lastTime = [:]
        outputs.append(.open(start))
    }

    mutating func write(_ item: Item) {
        guard let file, file.kinds.contains(item.kind), let at = timeline.time(item.kind, ticks: item.ticks) else {
            return
        }
        let time = at - file.zero
        let last = lastTime[item.kind]
        guard time >= .zero, last == nil || time > last! else {
            counted.unorderedFrames += 1
            return
        }
        let duration: MediaTime
        if item.kind == .video {
            if let last, time - last < .seconds(1) { pictureDuration = time - last }
            duration = pictureDuration
            counted.videoFrames += 1
        } else {
            let samples = item.bytes.withUnsafeBytes { try? OpusPayload(parsing: $0) }
            duration = samples?.duration ?? .milliseconds(20)
            counted.audioPackets += 1
        }
        lastTime[item.kind] = time
        outputs.append(
            .frame(
                Frame(kind: item.kind, time: time, duration: duration, isKeyFrame: item.isKeyFrame, bytes: item.bytes)))
    }
}
