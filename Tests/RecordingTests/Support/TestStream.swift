import Codecs
import Foundation
import MediaBase
import MediaEngine
import RTP

@testable import Recording

/// A publisher's stream as a tap delivers it: encoded frames and audio in packets.
struct TestStream {
    struct Packet {
        var kind: MediaKind
        var sequence: Int64
        var timestamp: Int64
        var marker: Bool
        var arrival: MediaTime
        var captureNTP: UInt64?
        var payload: [UInt8]
        /// Number of its frame.
        var frame: Int
    }

    static let width = 160
    static let height = 120

    struct Encoded {
        var bytes: [UInt8]
        var isKeyFrame: Bool
    }

    /// Four seconds at 30 a second, a key frame each second.
    static let video: [Encoded] = encode(count: 120, width: width, height: height)

    static func encode(count: Int, width: Int, height: Int) -> [Encoded] {
        do {
            let encoder = try VP8Encoder(
                VP8EncoderConfiguration(width: width, height: height, bitrate: .kilobits(600), keyFrameInterval: 30))
            return try (0..<count).compactMap { index in
                var frame = I420Frame(width: width, height: height)
                for y in 0..<height {
                    for x in 0..<width { frame.bytes[y * width + x] = UInt8(16 + (x * 3 + y * 2 + index * 7) % 220) }
                }
                return try encoder.encode(frame, timestamp: Int64(index) * 3000).map {
                    Encoded(bytes: $0.bytes, isKeyFrame: $0.isKeyFrame)
                }
            }
        } catch {
            preconditionFailure("the encoder of the tests failed: \(error)")
        }
    }

    /// Four seconds of 20 ms each.
    static let audio: [[UInt8]] = {
        do {
            let encoder = try OpusEncoder(channels: 2, bitrate: .kilobits(48))
            return try (0..<200).map { packet in
                let samples = (0..<960).flatMap { index -> [Int16] in
                    let value = Int16(9000 * sin(2 * Double.pi * 500 * Double(packet * 960 + index) / 48_000))
                    return [value, value]
                }
                return try encoder.encode(PCMBlock(channels: 2, samples: samples))
            }
        } catch {
            preconditionFailure("the encoder of the tests failed: \(error)")
        }
    }()

    var start: MediaTime = .seconds(100)
    /// RTP timestamps of the first frames: arbitrary values.
    var videoTicks: Int64 = 4_294_960_000
    var audioTicks: Int64 = 77_777
    /// Delay of audio from its capture to its arrival.
    var audioDelay: MediaTime = .zero
    /// The publisher's wall clock at `start`; nil sends no reports.
    var wallClock: UInt64?
    var reportsFrom: MediaTime = .zero

    /// Returns both tracks in order of arrival.
    func packets(video: [Encoded] = TestStream.video, audio: [[UInt8]] = TestStream.audio) -> [Packet] {
        var packets: [Packet] = []
        var packetizer = VP8Packetizer(maximumPayloadLength: 400)
        var sequence: Int64 = 65_500
        for (index, frame) in video.enumerated() {
            let time = MediaTime.nanoseconds(Int64(index) * 1_000_000_000 / 30)
            let payloads = packetizer.payloads(of: frame.bytes)
            for (part, payload) in payloads.enumerated() {
                packets.append(
                    Packet(
                        kind: .video, sequence: sequence, timestamp: videoTicks + Int64(index) * 3000,
                        marker: part == payloads.count - 1, arrival: start + time, captureNTP: ntp(time),
                        payload: payload,
                        frame: index))
                sequence += 1
            }
        }
        for (index, packet) in audio.enumerated() {
            let time = MediaTime.milliseconds(Int64(index) * 20)
            packets.append(
                Packet(
                    kind: .audio, sequence: 1000 + Int64(index), timestamp: audioTicks + Int64(index) * 960,
                    marker: false,
                    arrival: start + time + audioDelay, captureNTP: ntp(time), payload: packet, frame: index))
        }
        // A stable sort, so that packets with the same arrival keep their order.
        return packets.enumerated().sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }.map(
            \.element)
    }

    private func ntp(_ time: MediaTime) -> UInt64? {
        guard let wallClock, time >= reportsFrom else { return nil }
        return NTPTime(rawValue: wallClock).advanced(by: time).rawValue
    }
}

extension StreamRecording {
    mutating func insert(_ packet: TestStream.Packet, rotation: Rotation = .none, codec: VideoCodec = .vp8) {
        packet.payload.withUnsafeBytes { payload in
            insert(
                packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                arrival: packet.arrival, captureNTP: packet.captureNTP, rotation: rotation, codec: codec,
                payload: payload)
        }
    }

    mutating func outputs() -> [Output] {
        var all: [Output] = []
        while let output = nextOutput() { all.append(output) }
        return all
    }

    /// Feeds all packets in order, with time-outs in between, and ends the stream.
    mutating func run(_ packets: [TestStream.Packet]) -> [Output] {
        var all: [Output] = []
        for packet in packets {
            handleTimeout(now: packet.arrival)
            insert(packet)
            all += outputs()
        }
        finish()
        return all + outputs()
    }
}

extension [StreamRecording.Output] {
    var starts: [StreamRecording.Start] {
        compactMap { if case .open(let start) = $0 { start } else { nil } }
    }
    func frames(_ kind: MediaKind) -> [StreamRecording.Frame] {
        compactMap { if case .frame(let frame) = $0, frame.kind == kind { frame } else { nil } }
    }
    var closes: Int { filter { if case .close = $0 { true } else { false } }.count }
}
