import MediaBase
import MillraceTestKit
import Testing
import WebRTCClient

@Suite("LIV-1 encoding of a WHIP push") struct PushEncodingTests {
    private static let rates = [150, 500, 1_500].map { Bitrate.kilobits($0) }

    private func path(_ kilobits: Int64, isFull: Bool = false) -> PushEncoding.Path {
        PushEncoding.Path(target: .kilobits(kilobits), capacity: .kilobits(kilobits), isFull: isFull)
    }

    /// Returns the choices of some seconds, one each 100 ms.
    private func choose(
        _ encoding: inout PushEncoding, _ rates: [Bitrate] = rates, from start: Double, seconds: Double,
        _ path: (Int) -> PushEncoding.Path?
    ) -> [Int] {
        (0..<Int(seconds * 10)).map { step in
            encoding.choose(rates: rates, path: path(step), now: .seconds(start + Double(step) / 10)).maximum
        }
    }

    @Test("Without simulcast, and without feedback of the server, the largest encoding is sent and nothing is probed")
    func unlimited() {
        var encoding = PushEncoding()
        for (rates, path) in [(Self.rates, nil), ([], path(100)), ([.kilobits(900)], path(100))] {
            let choice = encoding.choose(rates: rates, path: path, now: .seconds(1))
            #expect(choice.maximum == .max && choice.wanted.rawValue == 0)
        }
        let silent = encoding.choose(rates: Self.rates.map { _ in .kilobits(0) }, path: path(100), now: .seconds(1))
        #expect(silent.maximum == .max)
    }

    @Test("The largest encoding that fits, which the probes are to reach; the smallest is always sent")
    func fits() {
        for (kilobits, wanted) in [(10, 0), (200, 0), (600, 0), (720, 1), (1_600, 1), (1_900, 2), (50_000, 2)] {
            var encoding = PushEncoding()
            _ = choose(&encoding, from: 0, seconds: 2) { _ in path(1, isFull: true) }
            let choices = choose(&encoding, from: 2, seconds: 20) { _ in path(Int64(kilobits)) }
            #expect(choices.last == wanted, "\(kilobits) kb/s")
            let choice = encoding.choose(rates: Self.rates, path: path(Int64(kilobits)), now: .seconds(30))
            #expect(choice.wanted >= .kilobits(1_600) && choice.wanted <= .kilobits(1_900))
            #expect(choice.used.rawValue == 100_000 + Self.rates[wanted].rawValue)
        }
    }

    @Test("In the first 2 s only a full path lowers the encoding")
    func settling() {
        var encoding = PushEncoding()
        let choices = choose(&encoding, from: 5, seconds: 3) { _ in path(300) }
        #expect(choices.prefix(20).allSatisfy { $0 == 2 } && choices.last == 0)
        var full = PushEncoding()
        #expect(choose(&full, from: 5, seconds: 1) { step in path(300, isFull: step > 3) }.last == 0)
    }

    @Test("A fall of the path counts at once, a rise after a while")
    func hysteresis() {
        var encoding = PushEncoding()
        #expect(choose(&encoding, from: 0, seconds: 5) { _ in path(3_000) }.last == 2)
        let lowered = choose(&encoding, from: 5, seconds: 0.5) { _ in path(700, isFull: true) }
        #expect(lowered.allSatisfy { $0 == 0 })
        let raised = choose(&encoding, from: 5.5, seconds: 5) { _ in path(900) }
        #expect(raised.prefix(5).allSatisfy { $0 == 0 } && raised.last == 1, "\(raised)")
        // Slightly less than the present encoding needs is no reason to fall.
        #expect(choose(&encoding, from: 11, seconds: 3) { _ in path(560) }.last == 1)
    }

    @Test(
        "A noisy estimate around a limit does not let the encoding change again and again",
        arguments: 1...5 as ClosedRange<UInt64>)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var encoding = PushEncoding()
        _ = choose(&encoding, from: 0, seconds: 3) { _ in path(5_000) }
        let choices = choose(&encoding, from: 3, seconds: 60) { _ in path(Int64(1_300 + random.below(900))) }
        func changes(_ choices: some Sequence<Int>) -> Int { zip(choices, choices.dropFirst()).count { $0 != $1 } }
        // Each rise that was wrong doubles the time to the next one, up to 8 s.
        #expect(changes(choices) < 20 && changes(choices.suffix(400)) <= 12, "\(changes(choices))")
    }

    @Test("An encoding that the publisher stops is replaced by the next smaller one, and taken again when it returns")
    func stopped() {
        var encoding = PushEncoding()
        let without = [Bitrate.kilobits(150), .kilobits(500), .kilobits(0)]
        #expect(choose(&encoding, from: 0, seconds: 3) { _ in path(5_000) }.last == 2)
        #expect(choose(&encoding, without, from: 3, seconds: 3) { _ in path(5_000) }.last == 1)
        #expect(choose(&encoding, from: 6, seconds: 5) { _ in path(5_000) }.last == 2)
        let alone = [Bitrate.kilobits(0), .kilobits(0), .kilobits(1_500)]
        #expect(choose(&encoding, alone, from: 11, seconds: 3) { _ in path(200, isFull: true) }.last == 2)
    }

    @Test("Extreme estimates and rates do not trap")
    func extremes() {
        var encoding = PushEncoding()
        let rates = [Bitrate(rawValue: 1), Bitrate(rawValue: 1 << 50), Bitrate(rawValue: 1 << 50)]
        for value in [0, 1, Int64.max / 4] {
            let path = PushEncoding.Path(
                target: Bitrate(rawValue: value), capacity: Bitrate(rawValue: value), isFull: value == 1)
            #expect((0...2).contains(encoding.choose(rates: rates, path: path, now: .seconds(1)).maximum))
        }
    }
}
