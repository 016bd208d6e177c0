import Codecs
import MediaBase
import MillraceClient
import RTP
import TestMedia
import Testing

@testable import LoadGenerator

@Suite("End-to-end encryption of the load generator") struct EncryptedSampleTests {
    private static let frames = 5

    /// Returns packets of a video track (SSRC 2) and an audio track (SSRC 1).
    /// - Parameter key: nil for media in the clear.
    private func packets(_ key: FrameKey?) throws -> [[UInt8]] {
        var sealer = key.map { FrameSealer($0, encodings: 1) }
        var packetizer = VP8Packetizer(maximumPayloadLength: VideoSource.maximumPayloadLength)
        let video = try VP8Encoder(VP8EncoderConfiguration(width: 160, height: 96, bitrate: .kilobits(200)))
        let audio = try OpusEncoder(channels: 2, bitrate: .kilobits(64))
        let silence = PCMBlock(channels: 2, samples: [Int16](repeating: 0, count: 1_920))
        var packets: [[UInt8]] = []
        var sequence: UInt16 = 0
        for number in 0..<Self.frames {
            let frame = try #require(
                try video.encode(I420Frame(width: 160, height: 96), timestamp: Int64(number) * 3_000)?.bytes)
            let payloads = sealer == nil ? packetizer.payloads(of: frame) : sealer?.payloads(of: frame, encoding: 0)
            for (index, payload) in try #require(payloads).enumerated() {
                let isLast = index == payloads?.indices.last
                packets.append(
                    packet(
                        payload, ssrc: 2, sequence: sequence, timestamp: UInt32(number) * 3_000, marker: isLast))
                sequence += 1
            }
            let block = try audio.encode(silence)
            packets.append(
                packet(
                    try #require(sealer == nil ? block : sealer?.audio(block)), ssrc: 1, sequence: UInt16(number),
                    timestamp: UInt32(number) * 960))
        }
        return packets
    }

    private func packet(
        _ payload: [UInt8], ssrc: UInt32, sequence: UInt16, timestamp: UInt32, marker: Bool = false
    ) -> [UInt8] {
        let header = RTPHeader(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(sequence),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc), marker: marker, payloadLength: payload.count)
        return payload.withUnsafeBytes(header.packet)
    }

    /// Returns the statistics of a sampled subscriber that has received the packets.
    private func received(_ packets: [[UInt8]], with key: FrameKey?) throws -> SampledSubscriber {
        let feed = SampleFeed(
            source: SampleFeed.Source(
                relayKey: nil, audioSSRC: 1, videoSSRC: 2, tone: nil, format: nil, sendOffset: 0, joined: 0,
                keys: key.map { FrameKeys(epochs: [$0]) }),
            wakeUp: -1)
        for packet in packets { feed.push(packet, arrival: 0) }
        let subscriber = try SampledSubscriber(feed: feed, clock: LoadClock())
        _ = subscriber.step()
        return subscriber
    }

    private func key(_ byte: UInt8) -> FrameKey { FrameKey(epoch: 1, bytes: [UInt8](repeating: byte, count: 32)) }

    @Test("E2E-1 every frame and audio packet is decrypted with the publisher's key")
    func rightKey() throws {
        let subscriber = try received(packets(key(7)), with: key(7))
        #expect(subscriber.video.decoded == UInt64(Self.frames) && subscriber.video.undecryptable == 0)
        #expect(subscriber.audio.decoded == UInt64(Self.frames) && subscriber.audio.undecryptable == 0)
    }

    @Test(
        "E2E-1 frames and audio under another key, or without encryption, are counted and not decoded",
        arguments: [8, nil])
    func wrongKey(publisher: UInt8?) throws {
        let subscriber = try received(packets(publisher.map(key)), with: key(7))
        #expect(subscriber.video.decoded == 0 && subscriber.video.undecryptable == UInt64(Self.frames))
        #expect(subscriber.audio.decoded == 0 && subscriber.audio.undecryptable == UInt64(Self.frames))
        #expect(subscriber.video.decodeErrors == 0 && subscriber.audio.decodeErrors == 0)
    }
}
