import Codecs
import MediaBase
import TestMedia
import Testing

@Suite struct TestToneTests {
    @Test func blocksJoinWithoutASeam() {
        let tone = TestTone()
        let whole = tone.block(start: 0, frames: 1_920)
        let halves = tone.block(start: 0, frames: 960).samples + tone.block(start: 960, frames: 960).samples
        #expect(whole.samples == halves)
    }

    @Test(arguments: 0..<TestTone.count)
    func everyPublishersToneIsRecognisedAndNoOther(index: Int) {
        let block = TestTone(publisher: index).block(start: 48_000 * 3_600, frames: 960)
        for other in 0..<TestTone.count {
            #expect(ToneDetector.holds(TestTone(publisher: other), in: block) == (other == index))
        }
    }

    @Test func survivesOpus() throws {
        let tone = TestTone(publisher: 3)
        let encoder = try OpusEncoder(channels: 2, application: .audio, bitrate: .kilobits(64), complexity: 5)
        let decoder = try OpusDecoder(channels: 2)
        for number in 0..<50 {
            let packet = try encoder.encode(tone.block(start: Int64(number) * 960, frames: 960))
            let block = try decoder.decode(packet)
            if number >= 10 { #expect(ToneDetector.holds(tone, in: block), "block \(number)") }
        }
    }

    @Test func silenceIsNoTone() {
        let silence = PCMBlock(channels: 2, samples: [Int16](repeating: 0, count: 1_920))
        #expect(!ToneDetector.holds(TestTone(), in: silence))
        #expect(!ToneDetector.holds(TestTone(), in: PCMBlock(channels: 1, samples: [1, 2, 3])))
    }
}
