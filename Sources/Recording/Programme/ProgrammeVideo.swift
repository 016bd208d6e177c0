import DequeModule
import MediaBase
import MediaEngine
import RTP

/// Video of a programme: the frames of one stream at a time, passed through.
///
/// Another stream takes over with a key frame that arrived completely; until then the frames of the shown stream continue. Frames are put
/// into packets again, so that sequence numbers and the numbers in the codec's descriptors continue without a jump, and no packet of a frame
/// is missing.
struct ProgrammeVideo {
    private struct Source {
        let name: String
        var assembler: FrameAssembler
        /// Arrival from which packets count. Earlier ones come from the relay's cache and would be shown in a burst.
        let since: MediaTime
        var askedAt: MediaTime?

        mutating func insert(_ packet: borrowing TapPacket) {
            assembler.insert(
                sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                rotation: packet.rotation,
                payload: packet.payload, now: packet.arrival)
        }

        /// Returns whether a key frame may be requested now, and notes it.
        mutating func isDue(_ now: MediaTime) -> Bool {
            if let askedAt, now - askedAt < ProgrammeVideo.keyFrameInterval { return false }
            askedAt = now
            return true
        }
    }

    private struct Held {
        var frame: VideoFrame
        var time: MediaTime
    }

    /// Minimum time between two frames: files have times in milliseconds.
    private static let tick: MediaTime = .milliseconds(1)
    private static let keyFrameInterval: MediaTime = .seconds(1)

    private let options: ProgrammeOptions
    private let origin: MediaTime
    private var selector: ProgrammeSelector
    private var packetizer: VideoPacketizer
    private var current: Source?
    /// Source that takes over with its next key frame.
    private var next: Source?
    private var held: Deque<Held> = []
    private var heldBytes = 0
    /// Time of the last frame that was sent.
    private var last: MediaTime?
    private var nextSequence: Int64 = 0
    /// Whether frames are missing, so that none can be decoded before the next key frame.
    private var isBroken = false
    private var isKeyFrameWanted = false
    private(set) var changes: UInt64 = 0
    private(set) var frames: UInt64 = 0
    private(set) var damaged: UInt64 = 0

    init(codec: VideoCodec, options: ProgrammeOptions, origin: MediaTime) {
        self.options = options
        self.origin = origin
        selector = ProgrammeSelector(codec: codec)
        packetizer = VideoPacketizer(codec)
    }

    /// Streams whose packets are needed.
    var streams: [String] { [current?.name, next?.name].compactMap { $0 } }

    /// Requests a key frame of the shown stream, for a reader that joins.
    mutating func requestKeyFrame() { isKeyFrameWanted = true }

    /// Chooses the stream to show.
    mutating func select(_ listing: ProgrammeListing, now: MediaTime) {
        if let name = current?.name, !listing.streams.contains(where: { $0.name == name && $0.codec == selector.codec })
        {
            current = nil
        }
        let choice = selector.choice(listing, at: now)
        if choice == current?.name {
            next = nil
        } else if let choice, choice != next?.name {
            next = source(choice, since: now)
        } else if choice == nil {
            next = nil
        }
    }

    /// Forgets the state of a stream whose next packets may have other sequence numbers.
    mutating func restart(_ stream: String, now: MediaTime) {
        if current?.name == stream {
            current = source(stream, since: now)
            isBroken = true
        }
        if next?.name == stream { next = source(stream, since: now) }
    }

    /// Inserts a packet whose time the clock has noted.
    mutating func insert(_ packet: borrowing TapPacket, of stream: String, _ clock: ProgrammeClock) {
        guard packet.codec == selector.codec else { return }
        if let source = current, source.name == stream, packet.arrival >= source.since {
            current?.insert(packet)
            collectCurrent(clock)
        } else if let source = next, source.name == stream, packet.arrival >= source.since {
            next?.insert(packet)
            collectNext(clock)
        }
    }

    mutating func handleTimeout(now: MediaTime, _ clocks: [String: ProgrammeClock]) {
        if let name = current?.name, let clock = clocks[name] {
            current?.assembler.handleTimeout(now: now)
            collectCurrent(clock)
        }
        if let name = next?.name, let clock = clocks[name] {
            next?.assembler.handleTimeout(now: now)
            collectNext(clock)
        }
    }

    /// Returns the streams whose key frames are requested now.
    mutating func keyFrameRequests(now: MediaTime) -> [String] {
        var streams: [String] = []
        if next?.isDue(now) == true { streams.append(next?.name ?? "") }
        let isNeeded = isKeyFrameWanted || isBroken || current?.assembler.isWaitingForKeyFrame == true
        if isNeeded, current?.isDue(now) == true {
            isKeyFrameWanted = false
            streams.append(current?.name ?? "")
        }
        return streams
    }

    /// Returns the packets of the frames whose time has come.
    mutating func packets(now: MediaTime) -> [ProgrammePacket] {
        var packets: [ProgrammePacket] = []
        while let first = held.first, first.time + options.delay <= now || heldBytes > options.heldBytes {
            held.removeFirst()
            heldBytes -= first.frame.bytes.count
            send(first, now: now, to: &packets)
        }
        return packets
    }

    private func source(_ name: String, since: MediaTime) -> Source {
        Source(name: name, assembler: FrameAssembler(selector.codec), since: since)
    }

    private mutating func collectCurrent(_ clock: ProgrammeClock) {
        while case .some(let event) = current?.assembler.nextEvent() {
            if case .frame(let frame) = event { hold(frame, clock) }
        }
    }

    private mutating func collectNext(_ clock: ProgrammeClock) {
        while case .some(let event) = next?.assembler.nextEvent() {
            // The first frame of an assembler is a key frame.
            guard case .frame(let frame) = event, let source = next else { continue }
            let time = clock.time(.video, ticks: frame.timestamp, arrival: frame.arrival)
            while let newest = held.last, newest.time >= time {
                heldBytes -= newest.frame.bytes.count
                held.removeLast()
            }
            current = source
            next = nil
            isBroken = false
            changes &+= 1
            selector.change(to: source.name, at: frame.arrival)
            hold(frame, clock)
            collectCurrent(clock)
        }
    }

    private mutating func hold(_ frame: VideoFrame, _ clock: ProgrammeClock) {
        if frame.isKeyFrame { isBroken = false }
        guard !isBroken else { return }
        let time = clock.time(.video, ticks: frame.timestamp, arrival: frame.arrival)
        held.append(Held(frame: frame, time: max(time, held.last?.time ?? time)))
        heldBytes += frame.bytes.count
    }

    private mutating func send(_ held: Held, now: MediaTime, to packets: inout [ProgrammePacket]) {
        let time = last.map { max(held.time, $0 + Self.tick) } ?? held.time
        guard let payloads = try? packetizer.payloads(of: held.frame.bytes, nonReference: held.frame.isNonReference),
            !payloads.isEmpty
        else {
            damaged &+= 1
            isBroken = true
            return
        }
        last = time
        frames &+= 1
        for (index, payload) in payloads.enumerated() {
            packets.append(
                ProgrammePacket(
                    kind: .video, sequence: nextSequence, timestamp: Self.ticks(time - origin),
                    marker: index == payloads.count - 1, isKeyFrame: held.frame.isKeyFrame, time: now, captureNTP: 0,
                    rotation: held.frame.rotation, codec: selector.codec, payload: payload))
            nextSequence += 1
        }
    }

    /// Returns a time in units of 90 kHz.
    private static func ticks(_ time: MediaTime) -> Int64 {
        let (seconds, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * 90_000 + rest * 9 / 100_000
    }
}
