import Codecs
package import MediaBase
import RTP

/// Turns the packets of one stream into the frames of WebM files: the recording without threads, clocks and files.
///
/// A file begins with a key frame. Losses and damage leave gaps: after one, video frames are left out until the next key frame. Audio and
/// video lie on one time line (`RecordingTimeline`), and the times of a track always increase. `insert` and `handleTimeout`, then
/// `nextOutput` until nil.
package struct StreamRecording: Sendable {
    package struct Options: Sendable {
        /// How long the first frames are kept back for the sender reports that align them.
        package var alignmentWait: MediaTime = .seconds(1)
        /// How long sound waits for the first picture before it is recorded alone.
        package var videoWait: MediaTime = .seconds(3)
        /// Time between two attempts to write again after an error.
        package var retryInterval: MediaTime = .seconds(5)
        /// After a full disk, free bytes before writing begins again: fewer would be used up at once.
        package var minimumFreeBytes: Int64 = 16 << 20
        package init() {}
    }

    package enum Output: Sendable {
        case open(Start)
        case frame(Frame)
        case close
    }

    /// A file begins.
    package struct Start: Sendable {
        /// Size of the first frame; nil if there is none.
        package var width: Int?
        package var height: Int?
        package var hasAudio: Bool
        /// True without a size if video is muted, and may come later.
        package var hasVideo: Bool
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
        /// Size of a key frame; nil for other frames and for audio.
        package var size: FrameSize?
        /// Rotation of the file's video, from its first key frame on.
        package var rotation: Rotation?
        package var bytes: [UInt8]
    }

    struct Item: Sendable {
        var kind: MediaKind
        var ticks: Int64
        var arrival: MediaTime
        var isKeyFrame: Bool
        var width = 0
        var height = 0
        var rotation = Rotation.none
        var bytes: [UInt8]
    }

    /// Least time between two frames of a track in a file, which counts in milliseconds.
    private static let tick: MediaTime = .milliseconds(1)
    /// A video frame is moved by less than this to follow the one before it.
    private static let maximumDelay: MediaTime = .seconds(1)
    /// Least length of a file that ends because the video's rotation has changed, so that a publisher cannot make a file of each frame.
    private static let turnInterval: MediaTime = .seconds(5)
    let options: Options
    var expected: Set<MediaKind>
    /// Kinds that may stay without packets for long; their tracks stay in the file.
    let muted: Set<MediaKind>
    /// Whether frames are encrypted end to end, so that the TOC byte of Opus cannot be read.
    let isEncrypted: Bool
    var timeline = RecordingTimeline()
    var assembler = VP8FrameAssembler()
    var sequencer = AudioSequencer()
    /// Kept back until the file begins.
    var held: [Item] = []
    var heldBytes = 0
    var firstArrival: MediaTime?
    var firstKeyArrival: MediaTime?
    /// Pictures came before the first key frame: the stream was under way.
    var joinedLate = false
    /// The open file's time zero, its tracks, and the rotation of its video, which has come with the first frame.
    var file: (zero: MediaTime, kinds: Set<MediaKind>, rotation: Rotation?)?
    /// The video's rotation is not that of the file any more: a new file begins with the next key frame.
    private var isTurned = false
    /// A video frame was left out, so that those after it cannot be decoded until a key frame.
    var isVideoBroken = false
    var lastTime: [MediaKind: MediaTime] = [:]
    var pictureDuration: MediaTime = .milliseconds(33)
    var videoGaps: UInt64 = 0
    var lostVideoPackets: UInt64 = 0
    private var counted = RecordingStatistics()
    private var outputs: [Output] = []
    private var firstOutput = 0

    /// - Parameters:
    ///   - kinds: the tracks that the stream is said to have; others are taken in when they come.
    ///   - muted: those of them that are muted now.
    package init(
        kinds: Set<MediaKind>, muted: Set<MediaKind> = [], isEncrypted: Bool = false, options: Options = Options()
    ) {
        expected = kinds
        self.isEncrypted = isEncrypted
        self.muted = muted.intersection(kinds)
        self.options = options
    }

    package var statistics: RecordingStatistics {
        var all = counted
        all.gaps = videoGaps &+ sequencer.gaps
        all.lostPackets = lostVideoPackets &+ sequencer.lostPackets
        all.droppedFrames = assembler.droppedFrames &+ counted.droppedFrames
        all.timeJumps = timeline.jumps
        return all
    }

    /// Pictures cannot go on without a key frame: ask for one, in moderation.
    package var needsKeyFrame: Bool {
        expected.contains(.video) && (assembler.isWaitingForKeyFrame || isVideoBroken || isTurned)
    }

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
        rotation: Rotation = .none, payload: UnsafeRawBufferPointer
    ) {
        if firstArrival == nil { firstArrival = arrival }
        expected.insert(kind)
        timeline.note(kind, sequence: sequence, ticks: timestamp, arrival: arrival, captureNTP: captureNTP)
        switch kind {
        case .video:
            assembler.insert(
                sequence: sequence, timestamp: timestamp, marker: marker, rotation: rotation, payload: payload,
                now: arrival)
        case .audio:
            // Padding only: a probe, not audio.
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

    /// The stream has ended, or recording is to stop.
    package mutating func finish() {
        assembler.flush()
        sequencer.flush()
        collect(now: .never)
        if file != nil { outputs.append(.close) }
        file = nil
    }

    /// Gives up the open file, which cannot be written, and begins another with the next key frame.
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

    private mutating func take(_ frame: VP8Frame) {
        guard let size = Self.checked(frame) else {
            // Its reference, or what it would have been the reference of, is unknown.
            counted.damagedFrames &+= 1
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
            bytes: frame.bytes)
        item.width = size.width
        item.height = size.height
        item.rotation = frame.rotation
        if firstKeyArrival == nil, frame.isKeyFrame {
            firstKeyArrival = frame.arrival
            joinedLate = joinedLate || assembler.droppedFrames > 0 || videoGaps > 0
        }
        take(item)
    }

    /// Checks the parts of a frame that decoders refuse (RFC 6386 section 9.1).
    /// - Returns: the size of a key frame, zero for other frames; nil for a damaged frame.
    private static func checked(_ frame: VP8Frame) -> (width: Int, height: Int)? {
        guard let info = try? VP8FrameInfo(frame.bytes), info.isKeyFrame == frame.isKeyFrame,
            info.firstPartitionSize <= frame.bytes.count - (info.isKeyFrame ? 10 : 3)
        else { return nil }
        guard let width = info.width, let height = info.height else { return (0, 0) }
        return width * height <= FrameSize.maximumPixels ? (width, height) : nil
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
            // A track that the header does not know begins: with its key frame in a new file.
            guard item.kind == .video, item.isKeyFrame else { return }
            outputs.append(.close)
            self.file = nil
            held = [item]
            heldBytes = item.bytes.count
            begin(kinds: expected)
            return
        }
        if item.kind == .video, turns(item, file.rotation) {
            outputs.append(.close)
            self.file = nil
            held = [item]
            heldBytes = item.bytes.count
            begin(kinds: file.kinds)
            return
        }
        write(item)
    }

    /// A file has one rotation. Frames of another one stay in it until a key frame can begin the next file.
    /// - Returns: whether a new file begins with this frame.
    private mutating func turns(_ item: Item, _ rotation: Rotation?) -> Bool {
        guard let rotation, let file, rotation != item.rotation,
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
        outputs.append(.open(start))
    }

    mutating func write(_ item: Item) {
        guard let file,
            let at = timeline.time(item.kind, ticks: item.ticks, arrival: item.arrival)
        else { return }
        write(item, at: at - file.zero)
    }

    /// - Parameter place: from the start of the file.
    mutating func write(_ item: Item, at place: MediaTime) {
        guard let file, file.kinds.contains(item.kind) else { return }
        let last = lastTime[item.kind]
        let earliest = last.map { $0 + Self.tick } ?? .zero
        var time = place
        if time < earliest {
            // Video frames depend on each other, so that one is moved a little rather than left out.
            guard item.kind == .video, earliest - time < Self.maximumDelay else {
                counted.unorderedFrames &+= 1
                if item.kind == .video { isVideoBroken = true }
                return
            }
            time = earliest
        }
        let duration: MediaTime
        if item.kind == .video {
            if let last, time - last < .seconds(1) { pictureDuration = time - last }
            duration = pictureDuration
            counted.videoFrames &+= 1
        } else {
            let info = isEncrypted ? nil : try? OpusPacketInfo(item.bytes)
            duration = info?.duration ?? .milliseconds(20)
            counted.audioPackets &+= 1
        }
        lastTime[item.kind] = time
        let size = item.width > 0 ? FrameSize(width: item.width, height: item.height) : nil
        if item.kind == .video, file.rotation == nil { self.file?.rotation = item.rotation }
        outputs.append(
            .frame(
                Frame(
                    kind: item.kind, time: time, duration: duration, isKeyFrame: item.isKeyFrame, size: size,
                    rotation: item.kind == .video ? self.file?.rotation : nil, bytes: item.bytes)))
    }
}
