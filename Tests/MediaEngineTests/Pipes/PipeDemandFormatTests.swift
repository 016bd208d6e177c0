import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@testable import MediaEngine

@Suite("CLU-2 RTCP packets of encodings on demand") struct PipeDemandFormatTests {
    /// Returns what the other relay reads.
    private func read<T>(_ bytes: [UInt8], _ body: (APP) -> T?) throws -> T? {
        try bytes.withUnsafeBytes { datagram in
            for packet in try RTCPCompound(parsing: datagram) { return body(try APP(parsing: packet)) }
            return nil
        }
    }

    private func app(_ subtype: UInt8, _ words: [UInt32], name: UInt32 = PipeFormat.name) -> APP {
        APP(sender: SSRC(1), subtype: subtype, name: name, words: words)
    }

    @Test("A demand is read as it was written, also the largest") func demand() throws {
        for count in [0, 1, 5, PipeDemand.maximumSources] {
            let sources = (0..<UInt32(count)).map { UInt32.max - $0 }
            let demand = PipeDemand(
                sender: SSRC(7), number: .max, wanted: Array(sources.prefix(count / 3)),
                unwanted: Array(sources.dropFirst(count / 3)))
            var bytes: [UInt8] = []
            demand.write(into: &bytes)
            #expect(bytes.count == 20 + 4 * count && bytes.count <= 1_200)
            #expect(try read(bytes) { PipeDemand($0) } == demand)
        }
    }

    @Test("Rates are read as they were written, also the largest") func rates() throws {
        let rates = AnnouncedRates(
            isActive: true, isHeldBack: false, width: 1280, height: .max, bitrates: SIMD4(1, 2, 3, .max),
            frameRates: SIMD4(750, 1_500, 3_000, .max))
        var held = rates
        (held.isActive, held.isHeldBack) = (false, true)
        for count in [0, 1, PipeRates.maximumEntries] {
            let entries = (0..<count).map {
                PipeRates.Entry(ssrc: SSRC(UInt32($0)), rates: $0 % 2 == 0 ? rates : held)
            }
            var bytes: [UInt8] = []
            PipeRates(entries).write(from: SSRC(9), into: &bytes)
            #expect(bytes.count == 12 + 36 * count && bytes.count <= 1_200)
            #expect(try read(bytes) { PipeRates($0) } == PipeRates(entries))
        }
    }

    @Test("Packets of others, of later kinds, with wrong counts, and too long ones are no demands and no rates")
    func hostile() {
        let demands = [
            app(1, []), app(1, [1]), app(1, [1, 1]), app(1, [1, .max, 5, 6]), app(3, [1, 1, 5]),
            app(1, [1, 1, 5], name: 0x5149_4e47), app(1, [1, 1] + Array(repeating: 5, count: 257)),
        ]
        #expect(demands.allSatisfy { PipeDemand($0) == nil })
        #expect(PipeDemand(app(1, [1, 1, 5])) != nil)
        let words = Array(repeating: UInt32.max, count: 9)
        let rates = [
            app(2, Array(words.dropLast())), app(2, words + [1]), app(1, words), app(2, words, name: 0),
            app(2, Array(repeating: 0, count: 9 * 33)),
        ]
        #expect(rates.allSatisfy { PipeRates($0) == nil })
        #expect(PipeRates(app(2, words))?.entries.count == 1)
    }

    @Test("An encoding is needed for a while after the last consumer has left it") func hold() {
        var demand = StreamDemand()
        demand.note(1, now: .seconds(1))
        demand.note(2, now: .seconds(3))
        #expect(demand.update(now: .seconds(3)) && demand.tags == [1, 2])
        #expect(!demand.update(now: .seconds(3.9)) && demand.isNeeded(1, now: .seconds(3.9)))
        #expect(demand.update(now: .seconds(4)) && demand.tags == [2] && !demand.isNeeded(1, now: .seconds(4)))
        demand.note(1, now: .seconds(4))
        #expect(demand.update(now: .seconds(4)) && demand.tags == [1, 2])
        demand.forget(1)
        #expect(!demand.update(now: .seconds(4)) && demand.tags == [2])
    }
}
