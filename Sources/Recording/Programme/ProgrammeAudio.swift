import Codecs
import Forwarding
import MediaBase
import MediaEngine

/// Mixed audio of a programme: the loudest tracks are decoded, added with a limiter, and encoded once. Its output never pauses; silence is
/// encoded too.
struct ProgrammeAudio {
    /// Encoded mix of 20 ms.
    struct Packet {
        /// Time from the origin of the programme.
        var sample: Int64
        var bytes: [UInt8]
    }

    private struct Source {
        let id: Int
        var sequencer = AudioSequencer(maximumWait: ProgrammeAudio.maximumWait)
        /// Decoder; nil while the track is not among the loudest.
        var track: MixAudioTrack?
        var meter = PCMLoudnessMeter()
        /// Measured level in -dBov, for packets without one.
        var level = ProgrammeAudio.unknownLevel
    }

    /// Time that a missing packet is awaited. The rest of the programme's delay is for jitter.
    private static let maximumWait: MediaTime = .milliseconds(60)
    /// Level of a track that has none in its packets and was not decoded yet: loud enough to replace a silent track, which shows its level.
    private static let unknownLevel: UInt8 = 50
    /// Samples that the mix may be behind, as after a suspension of the machine, before it skips to the present.
    private static let maximumBacklog: Int64 = 48_000

    private let options: ProgrammeOptions
    private let origin: MediaTime
    private let encoder: OpusEncoder
    private var mixer = AudioMixer()
    private var loudest: LoudestSelector
    private var sources: [String: Source] = [:]
    private var nextID = 0
    private var blocks: [MixAudioTrack.Block] = []
    private(set) var damaged: UInt64 = 0
    private(set) var withheld: UInt64 = 0
    private(set) var late: UInt64 = 0

    /// - Parameter origin: time zero of the programme.
    init(options: ProgrammeOptions, origin: MediaTime) throws(CodecError) {
        self.options = options
        self.origin = origin
        encoder = try OpusEncoder(channels: 2, bitrate: options.audioBitrate, complexity: 5)
        loudest = LoudestSelector(limit: max(1, options.mixedTracks))
    }

    /// Sets the streams whose audio may be mixed.
    mutating func update(_ streams: some Sequence<String>) {
        let names = Set(streams)
        for name in sources.keys where !names.contains(name) { remove(name) }
        for name in names where sources[name] == nil { add(name) }
    }

    /// Forgets the state of a track whose next packets may have other sequence numbers.
    mutating func restart(_ stream: String) {
        guard sources[stream] != nil else { return }
        remove(stream)
        add(stream)
    }

    /// Inserts a packet whose time the clock has noted.
    mutating func insert(_ packet: borrowing TapPacket, of stream: String, _ clock: ProgrammeClock) {
        guard var source = sources[stream], !packet.payload.isEmpty else { return }
        guard (try? OpusPacketInfo(packet.payload)) != nil else {
            damaged &+= 1
            return
        }
        let decision = loudest.receive(
            id: source.id, level: packet.level?.level ?? source.level, voice: packet.level?.isVoice ?? false,
            now: packet.arrival)
        if decision == .withhold {
            withheld &+= 1
            if source.track != nil {
                source.track = nil
                source.sequencer = AudioSequencer(maximumWait: Self.maximumWait)
                source.level = Self.unknownLevel
                sources[stream] = source
            }
            return
        }
        if source.track == nil { source.track = try? MixAudioTrack(preSkip: 0) }
        source.sequencer.insert(
            AudioSequencer.Packet(
                sequence: packet.sequence, timestamp: packet.timestamp, arrival: packet.arrival,
                bytes: Array(packet.payload)))
        decode(&source, clock)
        sources[stream] = source
    }

    /// Gives up missing packets.
    mutating func handleTimeout(now: MediaTime, _ clocks: [String: ProgrammeClock]) {
        for (name, var source) in sources where source.sequencer.nextTimeout.map({ $0 <= now }) ?? false {
            guard let clock = clocks[name] else { continue }
            source.sequencer.handleTimeout(now: now)
            decode(&source, clock)
            sources[name] = source
        }
    }

    /// Returns the mix of the time that is over.
    mutating func mix(now: MediaTime) -> [Packet] {
        let due = AudioMixer.sample(at: now - origin - options.delay)
        let length = Int64(AudioMixer.blockLength)
        if due - mixer.position > Self.maximumBacklog { mixer.skip(to: due / length * length) }
        var packets: [Packet] = []
        while mixer.position + length <= due {
            // The encoder delays audio by its lookahead.
            let sample = mixer.position - Int64(encoder.lookahead)
            guard let bytes = try? encoder.encode(mixer.take()) else { continue }
            packets.append(Packet(sample: sample, bytes: bytes))
        }
        return packets
    }

    private mutating func decode(_ source: inout Source, _ clock: ProgrammeClock) {
        while let packet = source.sequencer.nextPacket() {
            let time = clock.time(.audio, ticks: packet.timestamp, arrival: packet.arrival)
            let start = AudioMixer.sample(at: time - origin)
            if start < mixer.position { late &+= 1 }
            source.track?.decode(packet.bytes, at: start, to: &blocks)
        }
        // After a pause the decoder conceals its beginning, which has been mixed as silence.
        for block in blocks where block.end > mixer.position {
            mixer.add(block.samples, at: block.start, of: source.id)
            source.meter.note(block.samples, end: block.end)
            source.level = UInt8(max(0, min(127, -source.meter.loudness(at: block.end))))
        }
        blocks.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ stream: String) {
        sources[stream] = Source(id: nextID)
        nextID += 1
    }

    private mutating func remove(_ stream: String) {
        guard let source = sources.removeValue(forKey: stream) else { return }
        loudest.remove(id: source.id)
    }
}
