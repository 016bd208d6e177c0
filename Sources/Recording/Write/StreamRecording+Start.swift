import MediaBase

/// Start of a file.
extension StreamRecording {
    /// Maximum audio before the first video frame, if the recording started with the stream.
    private static let leadAtStart: MediaTime = .seconds(2)
    /// Maximum audio before the first video frame, if the recording started later: the packet that overlaps the key
    /// frame.
    private static let leadUnderWay: MediaTime = .milliseconds(20)
    /// Maximum number of frames held for a first key frame or for sender reports.
    private static let heldPackets = 1_000
    /// Maximum bytes of held frames, once there is a key frame.
    private static let heldBytes = 8 << 20

    /// Time that frames are held from the first key frame on.
    var heldTime: MediaTime {
        let isAligned =
            expected.count == 1 || expected.allSatisfy { timeline.hasReport($0) && timeline.hasPackets($0) }
        return isAligned ? options.settlingWait : max(options.settlingWait, options.alignmentWait)
    }

    mutating func beginWhenReady(now: MediaTime) {
        let isFull = held.count > Self.heldPackets || heldBytes > Self.heldBytes
        if isFull, firstKeyArrival == nil, expected.contains(.video) {
            for item in held.prefix(max(1, held.count - Self.heldPackets)) { heldBytes -= item.bytes.count }
            held.removeFirst(max(1, held.count - Self.heldPackets))
        }
        guard let firstArrival, !held.isEmpty else { return }
        if let firstKeyArrival {
            guard isFull || now - firstKeyArrival >= heldTime || now == .never else { return }
            begin(kinds: expected)
        } else if !expected.contains(.video) {
            guard isFull || now - firstArrival >= options.settlingWait || now == .never else { return }
            begin(kinds: [.audio])
        } else if now == .never || now - firstArrival >= options.videoWait {
            // Muted video is part of this file, so that no new file is needed when it is unmuted. The header of H.264 and AV1 needs
            // parameters of the first key frame, which begins another file.
            begin(kinds: muted.contains(.video) && frames.codecPrivate != nil ? expected : [.audio])
        }
    }

    /// Opens the file and writes the held frames in order of time.
    mutating func begin(kinds: Set<MediaKind>) {
        let items = held
        held = []
        heldBytes = 0
        let key = items.first { $0.kind == .video && $0.isKeyFrame }
        timeline.setReference(key == nil ? .audio : .video)
        guard let lead = key ?? items.first,
            let leadTime = timeline.time(lead.kind, ticks: lead.ticks, arrival: lead.arrival)
        else { return }
        let earliest = key == nil ? leadTime : leadTime - (joinedLate ? Self.leadUnderWay : Self.leadAtStart)

        var timed: [(position: MediaTime, index: Int, time: MediaTime)] = []
        var latest: [MediaKind: MediaTime] = [:]
        for (index, item) in items.enumerated() {
            guard let time = timeline.time(item.kind, ticks: item.ticks, arrival: item.arrival) else { continue }
            // Frames of a track keep their order regardless of their timestamps, and no video frame precedes the key
            // frame.
            let own = item.kind == .video ? max(time, leadTime) : time
            let position = max(own, latest[item.kind] ?? own)
            guard position >= earliest else { continue }
            latest[item.kind] = position
            // A frame of H.264 may be shown before the previous one.
            timed.append((position, index, frames.codec == .h264 && item.kind == .video ? own : position))
        }
        timed.sort { ($0.position, $0.index) < ($1.position, $1.index) }
        guard let zero = timed.first?.position else { return }
        open(
            Start(
                width: key.flatMap { $0.width > 0 ? $0.width : nil },
                height: key.flatMap { $0.height > 0 ? $0.height : nil }, hasAudio: kinds.contains(.audio),
                hasVideo: kinds.contains(.video), codec: assembler.codec, codecPrivate: key?.codecPrivate ?? [],
                rotation: key?.rotation ?? .none, time: zero, captureNTP: timeline.wallClock(at: zero)), kinds: kinds)
        for item in timed { write(items[item.index], at: item.time - zero) }
    }
}
