import Codecs
import Foundation
import MediaBase
import MillraceTestKit
import Testing

@Suite struct OpusTests {
    func packets(
        _ encoder: OpusEncoder, seconds: Double, hertz: Double = 1000, peak: Double = 8000
    ) throws -> [[UInt8]] {
        let each = encoder.frameDuration.frameCount
        return try (0..<Int(seconds * 48_000) / each).map { number in
            try encoder.encode(
                Tone.block(hertz: hertz, peak: peak, channels: encoder.channels, start: number * each, frameCount: each)
            )
        }
    }

    @Test(
        "Every frame duration and channel count keeps the tone's frequency", arguments: OpusFrameDuration.allCases,
        [1, 2])
    func tone(duration: OpusFrameDuration, channels: Int) throws {
        let encoder = try OpusEncoder(channels: channels, bitrate: .kilobits(96), frameDuration: duration)
        let decoder = try OpusDecoder(channels: channels)
        var samples: [Int16] = []
        for packet in try packets(encoder, seconds: 0.66, hertz: 997) {
            let info = try OpusPacketInfo(packet)
            #expect(info.frameCount == duration.frameCount && info.channels == channels && !info.isSilence)
            let block = try decoder.decode(packet)
            #expect(block.frameCount == duration.frameCount && block.channels == channels)
            samples += block.samples
        }
        let settled = Array(samples.dropFirst(7200 * channels).prefix(20_000 * channels))
        let left = Tone.channel(0, of: settled, channels: channels)
        #expect(abs(Tone.frequency(of: left, in: 300...3000) - 997) < 1)
        #expect(Tone.energy(at: 997, in: left) > 0.9)
        if channels == 2 {
            let right = Tone.channel(1, of: settled, channels: 2)
            #expect(abs(Tone.frequency(of: right, in: 300...3000) - 1495.5) < 1)
        }
    }

    @Test("The decoder's channel count may differ from the sender's", arguments: [(1, 2), (2, 1)])
    func mixing(coded: Int, wanted: Int) throws {
        let decoder = try OpusDecoder(channels: wanted)
        for packet in try packets(OpusEncoder(channels: coded), seconds: 0.1) {
            let block = try decoder.decode(packet)
            #expect(block.channels == wanted && block.frameCount == 960)
        }
    }

    @Test("FEC recovers a tone that concealment cannot guess")
    func forwardErrorCorrection() throws {
        let encoder = try OpusEncoder(
            channels: 1, application: .voice, bitrate: .kilobits(32), fec: true, expectedLoss: 30)
        // A new tone begins in packet 20, and 20 and 21 are lost: only the copy in packet 22 contains it.
        let sent = try (0..<40).map { number in
            try encoder.encode(
                Tone.block(hertz: number < 20 ? 300 : 900, channels: 1, start: number * 960, frameCount: 960))
        }
        func energyOfNewTone(_ second: (OpusDecoder) throws -> PCMBlock) throws -> Double {
            let decoder = try OpusDecoder(channels: 1)
            for packet in sent[..<20] { _ = try decoder.decode(packet) }
            _ = try decoder.decode(nil)
            let block = try second(decoder)
            #expect(block.frameCount == 960)
            #expect(try decoder.decode(sent[22]).frameCount == 960)
            return Tone.energy(at: 900, in: Tone.channel(0, of: block.samples, channels: 1))
        }
        #expect(try energyOfNewTone { try $0.decode(sent[22], fec: true) } > 0.3)
        #expect(try energyOfNewTone { try $0.decode(nil) } < 0.05)
    }

    @Test("Concealment continues the previous tone, then fades")
    func concealment() throws {
        let decoder = try OpusDecoder(channels: 2)
        var power: [Double] = []
        func note(_ block: PCMBlock) {
            power.append(block.samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(block.samples.count))
        }
        for packet in try packets(OpusEncoder(), seconds: 0.5) { note(try decoder.decode(packet)) }
        let before = try #require(power.last)
        for _ in 0..<50 {
            let block = try decoder.decode(nil)
            #expect(block.frameCount == 960)
            note(block)
        }
        #expect(power[25] > 0.25 * before)
        #expect(try #require(power.last) < 0.01 * before)
        #expect(try decoder.decode(nil, frameCount: 120).frameCount == 120)
        #expect(try decoder.decode(nil, frameCount: 5760).frameCount == 5760)
        #expect(throws: CodecError.self) { try decoder.decode(nil, frameCount: 100) }
        #expect(throws: CodecError.self) { try decoder.decode(nil, frameCount: 5880) }
    }

    @Test("Silence costs next to nothing with DTX")
    func discontinuousTransmission() throws {
        let encoder = try OpusEncoder(channels: 1, application: .voice, bitrate: .kilobits(24), dtx: true)
        let sent = try packets(encoder, seconds: 2, peak: 0)
        #expect(sent.suffix(50).filter { $0.count <= 2 }.count > 40)
        #expect(encoder.isInDTX)
        #expect(try OpusPacketInfo(try #require(sent.last { $0.count <= 2 })).isSilence)
    }

    @Test("Bit rates are met, and can change", arguments: [(32, 128), (128, 32)])
    func bitrate(first: Int64, second: Int64) throws {
        let encoder = try OpusEncoder(channels: 2, bitrate: .kilobits(first), constantBitrate: true)
        func rate() throws -> Int64 { Int64(try packets(encoder, seconds: 1).reduce(0) { $0 + $1.count } * 8) }
        #expect(abs(try rate() - first * 1000) < first * 50)
        try encoder.setBitrate(.kilobits(second))
        #expect(abs(try rate() - second * 1000) < second * 50)
    }

    @Test("Packet shapes of RFC 6716 section 3.2")
    func packetInfo() throws {
        // Configuration 16 (music, 4 kHz band, 2.5 ms), code 3, 48 frames without content.
        let many = try OpusPacketInfo([16 << 3 | 3, 48])
        #expect(many.frames == 48 && many.frameCount == 5760 && many.mode == .music && many.bandwidthHertz == 4000)
        // Configuration 3 (speech, 4 kHz band, 60 ms), stereo, code 1 (two equal frames).
        let two = try OpusPacketInfo([3 << 3 | 4 | 1, 1, 2, 3, 4])
        #expect(two.frames == 2 && two.frameCount == 5760 && two.channels == 2 && two.mode == .speech)
        #expect(two.duration == .milliseconds(120) && !two.isSilence)
        #expect(try OpusPacketInfo([15 << 3, 1, 2]).mode == .hybrid)
    }

    @Test(
        "Malformed packets are refused",
        arguments: [
            [], [3 << 3 | 1, 1], [3], [3, 0], [16 << 3 | 3, 49], [3 << 3 | 3, 3], [2, 200],
        ] as [[UInt8]])
    func malformed(packet: [UInt8]) throws {
        #expect(throws: CodecError.self) { try OpusPacketInfo(packet) }
        let decoder = try OpusDecoder()
        #expect(throws: CodecError.self) { try decoder.decode(packet) }
        #expect(try decoder.decode(packets(OpusEncoder(), seconds: 0.02)[0]).frameCount == 960)
    }

    @Test("10,000 damaged packets do not trap")
    func mutations() throws {
        let good = try packets(OpusEncoder(channels: 2, application: .voice, bitrate: .kilobits(24)), seconds: 1)
        var random = SeededGenerator(seed: 6716)
        let decoder = try OpusDecoder(channels: 2)
        for _ in 0..<10_000 {
            var packet = good[random.below(good.count)]
            for _ in 0...random.below(4) {
                packet[random.below(min(packet.count, 6))] = UInt8(truncatingIfNeeded: random.next())
                packet.removeLast(random.below(packet.count))
            }
            if let info = try? OpusPacketInfo(packet) { #expect((120...5760).contains(info.frameCount)) }
            _ = try? decoder.decode(packet, fec: random.below(4) == 0)
        }
        #expect(try decoder.decode(good[0]).frameCount == 960)
    }

    @Test("Invalid arguments are refused by name")
    func arguments() throws {
        #expect(throws: CodecError.self) { try OpusEncoder(channels: 3) }
        #expect(throws: CodecError.self) { try OpusDecoder(channels: 0) }
        #expect(throws: CodecError.self) { try OpusEncoder(bitrate: .kilobits(600)) }
        #expect(throws: CodecError.self) { try OpusEncoder(complexity: 11) }
        #expect(throws: CodecError.self) { try OpusEncoder(expectedLoss: 101) }
        let encoder = try OpusEncoder(channels: 1)
        #expect(throws: CodecError.self) {
            try encoder.encode(PCMBlock(channels: 2, samples: .init(repeating: 0, count: 1920)))
        }
        #expect(throws: CodecError.self) {
            try encoder.encode(PCMBlock(channels: 1, samples: .init(repeating: 0, count: 100)))
        }
    }
}
