import Codecs
import Foundation
import MediaBase
import Testing

@testable import Recording

@Suite("REC-2 Mixed audio") struct AudioMixerTests {
    private static func tone(_ hertz: Double, peak: Double, from start: Int, count: Int) -> [Int16] {
        (start..<(start + count)).flatMap { index -> [Int16] in
            let value = Int16(peak * sin(2 * .pi * hertz * Double(index) / 48_000))
            return [value, value]
        }
    }

    /// Mixes the blocks of inputs that all begin at zero, and returns the left channel.
    private static func mixed(_ inputs: [Double], peak: Double, blocks: Int) -> [Int16] {
        var mixer = AudioMixer()
        var samples: [Int16] = []
        for block in 0..<(blocks + 3) {
            if block < blocks {
                for (id, hertz) in inputs.enumerated() {
                    mixer.add(
                        tone(hertz, peak: peak, from: block * 960, count: 960), at: Int64(block) * 960, of: id)
                }
            }
            guard block >= 3 else { continue }
            let taken = mixer.take()
            samples += stride(from: 0, to: 1_920, by: 2).map { taken.samples[$0] }
        }
        return samples
    }

    @Test(
        "REC-2 ten tones are all in the mix at the same strength, also if their sum is above full scale",
        arguments: [2_000.0, 20_000])
    func tones(peak: Double) {
        let tones = (0..<10).map { 300 + 170 * Double($0) }
        let samples = Self.mixed(tones, peak: peak, blocks: 60).dropFirst(9_600).map(Double.init)
        let shares = tones.map { MixedMedia.energy(at: $0, in: Array(samples)) }
        #expect(shares.allSatisfy { abs($0 - 0.1) < 0.02 }, "\(shares)")
        // Nothing between the tones: the limiter does not distort.
        #expect(MixedMedia.energy(at: 385, in: Array(samples)) < 0.002)
    }

    @Test("REC-2 loud inputs stay within full scale, and quiet ones are not changed")
    func saturation() {
        let loud = Self.mixed([440, 441, 442, 443], peak: 32_000, blocks: 20)
        #expect(loud.contains { abs(Int($0)) > 20_000 })
        #expect(!loud.contains { abs(Int($0)) > 32_100 })
        let quiet = Self.mixed([440], peak: 8_000, blocks: 10)
        let tone = Self.tone(440, peak: 8_000, from: 0, count: 9_600)
        let wanted = stride(from: 0, to: tone.count, by: 2).map { tone[$0] }
        #expect(Array(quiet[240..<9_360]) == Array(wanted[240..<9_360]))
    }

    @Test("REC-2 an input that begins and ends at full scale is faded, so that no step is larger than a fade's")
    func clicks() {
        var mixer = AudioMixer()
        let constant = [Int16](repeating: 24_000, count: 2 * 1_000)
        mixer.add(constant, at: 1_500, of: 7)
        mixer.add(constant, at: 2_500, of: 7)
        // After a gap.
        mixer.add(constant, at: 5_000, of: 7)
        let samples = (0..<7).flatMap { _ in mixer.take().samples }
        let left = stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0]) }
        let steps = zip(left, left.dropFirst()).map { abs($1 - $0) }
        #expect((steps.max() ?? .max) <= 24_000 / 240 + 1)
        #expect(left[..<1_500].allSatisfy { $0 == 0 } && left[3_500..<5_000].allSatisfy { $0 == 0 })
        // Adjacent blocks are one piece.
        #expect(left[1_740..<3_260].allSatisfy { $0 == 24_000 })
        #expect(left[6_000...].allSatisfy { $0 == 0 })
    }

    @Test("REC-2 audio that is too late or far too early is dropped and counted, for any time")
    func outOfRange() {
        var mixer = AudioMixer()
        for _ in 0..<10 { _ = mixer.take() }
        let block = [Int16](repeating: 1_000, count: 1_920)
        for time in [0, -5, Int64.min, .max, .max - 960, 9_600 + 200_000] { mixer.add(block, at: time, of: 1) }
        #expect(mixer.droppedSamples >= 5 * 960)
        // The later half is in time.
        mixer.add(block, at: 9_600 - 480, of: 2)
        #expect(mixer.take().samples.contains { $0 == 1_000 })
        mixer.skip(to: 1_000_000)
        #expect(mixer.take().samples.allSatisfy { $0 == 0 })
    }

    @Test(
        "REC-2 audio of a clock that is fast or slow by 500 ppm stays within 5 ms and has no gaps",
        arguments: [500.0, -500])
    func drift(ppm: Double) throws {
        var track = try MixAudioTrack(preSkip: 312)
        let packets = try TestStream.tone(500, count: 50)
        var furthest = 0.0
        var end: Int64?
        for number in 0..<3_000 {
            let begin = Int64((Double(number) * 960 * (1 + ppm / 1e6) / 48).rounded()) * 48
            var blocks: [MixAudioTrack.Block] = []
            track.decode(packets[number % 50], at: begin, to: &blocks)
            for block in blocks {
                if let end { #expect(block.start == end) }
                end = block.end
            }
            if let end { furthest = max(furthest, abs(Double(end - begin - 960)) / 48) }
        }
        // 60 s of drift would be 30 ms.
        #expect(furthest < 5, "\(furthest) ms")
        #expect(track.errors == 0)
    }

    @Test("REC-2 a lost packet is concealed, a longer gap stays silent, copies and damaged packets are dropped")
    func gaps() throws {
        var track = try MixAudioTrack(preSkip: 0)
        let packets = try TestStream.tone(500, count: 10)
        func ranges(_ packet: [UInt8], _ begin: Int64) -> [[Int64]] {
            var blocks: [MixAudioTrack.Block] = []
            track.decode(packet, at: begin, to: &blocks)
            return blocks.map { [$0.start, $0.end] }
        }
        #expect(ranges(packets[0], 0) == [[0, 960]])
        #expect(ranges(packets[2], 1_920) == [[960, 1_920], [1_920, 2_880]])
        #expect(ranges(packets[2], 1_920).isEmpty)
        #expect(ranges(packets[3], 48_000) == [[2_880, 5_760], [48_000, 48_960]])
        #expect(ranges([0xff, 0xff], 48_960).isEmpty && track.errors == 1)
        #expect(ranges([], 48_960).isEmpty && track.errors == 2)
        #expect(ranges(packets[4], 48_960) == [[48_960, 49_920]])
        let latest = AudioMixer.sample(at: .never)
        #expect(ranges(packets[5], latest).last == [latest, latest + 960])
    }
}
