import Codecs
import MediaBase
import MediaEngine
import RTP

@testable import Recording

/// A programme in virtual time: packets of taps in order of arrival, rounds of 10 ms, and the output.
struct ProgrammeRun {
    struct Arrival {
        var stream: String
        var packet: TestStream.Packet
        /// Audio level in -dBov; nil sends none.
        var level: UInt8?
    }

    /// A video frame of the output.
    struct Frame {
        /// Time from the origin of the programme.
        var time: MediaTime
        var bytes: [UInt8]
        var isKeyFrame: Bool
    }

    static let start: MediaTime = .seconds(100)
    static let wallClock: UInt64 = 0xe800_0000_0000_0000

    private(set) var programme: Programme
    private(set) var now = start
    private(set) var packets: [ProgrammePacket] = []
    private(set) var requests: [(stream: String, time: MediaTime)] = []

    init(codec: VideoCodec = .vp8, options: ProgrammeOptions = ProgrammeOptions()) throws {
        programme = try Programme(codec: codec, options: options, now: Self.start, wallClock: Self.wallClock)
    }

    /// Runs until a time. As taps do, it passes the video of only those streams that the programme needs.
    /// - Parameters:
    ///   - arrivals: packets in order of arrival.
    ///   - listing: state of the session at a time from the start; called every 200 ms.
    mutating func run(
        _ arrivals: [Arrival], until end: MediaTime, listing: (MediaTime) -> ProgrammeListing
    ) {
        var next = 0
        var round = 0
        while now < Self.start + end {
            if round % 20 == 0 { programme.update(listing(now - Self.start), now: now) }
            round += 1
            now += .milliseconds(10)
            while next < arrivals.count, arrivals[next].packet.arrival <= now {
                insert(arrivals[next])
                next += 1
            }
            programme.handleTimeout(now: now)
            collect()
        }
    }

    mutating func insert(_ arrival: Arrival) {
        guard arrival.packet.kind == .audio || programme.videoStreams.contains(arrival.stream) else { return }
        arrival.packet.withTapPacket(level: arrival.level) { programme.insert($0, of: arrival.stream) }
    }

    mutating func end(_ kind: MediaKind, of stream: String) { programme.end(kind, of: stream, now: now) }

    private mutating func collect() {
        while let output = programme.nextOutput() {
            switch output {
            case .packet(let packet): packets.append(packet)
            case .keyFrameRequest(let stream): requests.append((stream, now - Self.start))
            }
        }
    }

    func packets(_ kind: MediaKind) -> [ProgrammePacket] { packets.filter { $0.kind == kind } }

    /// Frames of the output, as a receiver assembles them.
    var frames: [Frame] {
        var assembler = FrameAssembler(programme.codec)
        var frames: [Frame] = []
        for packet in packets(.video) {
            packet.payload.withUnsafeBytes {
                assembler.insert(
                    sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, payload: $0,
                    now: packet.time)
            }
            while case .some(.frame(let frame)) = assembler.nextEvent() {
                frames.append(
                    Frame(
                        time: .nanoseconds(frame.timestamp * 100_000 / 9), bytes: frame.bytes,
                        isKeyFrame: frame.isKeyFrame))
            }
        }
        return frames
    }

    /// Decoded left channel of the output, and the sample at which it begins.
    func audio() throws -> (start: Int64, samples: [Int16]) {
        let decoder = try OpusDecoder(channels: 2)
        var samples: [Int16] = []
        let all = packets(.audio)
        for packet in all {
            let block = try decoder.decode(packet.payload)
            samples += stride(from: 0, to: block.samples.count, by: 2).map { block.samples[$0] }
        }
        return (all.first?.timestamp ?? 0, samples)
    }
}

extension TestStream.Packet {
    /// Passes the packet in the form of a tap.
    func withTapPacket(level: UInt8? = nil, _ body: (TapPacket) -> Void) {
        payload.withUnsafeBytes { payload in
            body(
                TapPacket(
                    kind: kind, sequence: sequence, timestamp: timestamp, marker: marker, arrival: arrival,
                    captureNTP: captureNTP, level: level.map { AudioLevel(level: $0, isVoice: true) },
                    payload: payload))
        }
    }
}
