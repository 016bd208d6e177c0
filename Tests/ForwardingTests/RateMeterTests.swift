import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("Measured rates of a producer")
struct RateMeterTests {
    @Test("Bits and frames a second up to each temporal layer, and the frame size")
    func layers() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        #expect(!producer.isActive(now: harness.now))
        #expect(producer.measured(now: harness.now).bitrates.allSatisfy { $0.rawValue == 0 })
        for f in 0..<90 {
            let layer: UInt8 = [0, 2, 1, 2][f % 4]
            try harness.feed(source.frame(isKey: f == 0, packets: 2, sizes: [500], layer: layer), to: producer)
            try harness.flush()
            harness.now += .microseconds(33_333)
        }
        #expect(producer.isActive(now: harness.now))
        let measured = producer.measured(now: harness.now)
        for (layer, share) in [(0, 0.25), (1, 0.5), (2, 1.0), (3, 1.0)] {
            let expected = 30 * share * 2 * 540 * 8
            #expect(abs(Double(measured.bitrates[layer].rawValue) - expected) < expected * 0.12)
            #expect(abs(measured.frameRates[layer] - 30 * share) < 30 * share * 0.12)
        }
        harness.now += .milliseconds(1_200)
        #expect(producer.measured(now: harness.now).bitrates.allSatisfy { $0.rawValue == 0 })
        #expect(producer.isActive(now: harness.now))
        harness.now += .milliseconds(1_000)
        #expect(!producer.isActive(now: harness.now))
    }

    @Test("A new stream is measured over the time since it began; time that stands still or goes back is harmless")
    func short() {
        var meter = RateMeter()
        let start = MediaTime.milliseconds(100_050)
        for i in 0..<10 {
            meter.add(payload: 960, layer: 0, startsFrame: true, now: start + .milliseconds(Int64(20 * i)))
        }
        // 10,000 bytes in 200 ms.
        let early = meter.read(now: start + .milliseconds(200))
        #expect(abs(early.bitrates[3].rawValue - 400_000) < 130_000)
        meter.add(payload: 960, layer: 3, startsFrame: true, now: .zero)
        #expect(meter.read(now: start + .milliseconds(200)).bitrates[3] > early.bitrates[3])
        #expect(meter.read(now: start + .seconds(1000)).frameRates == [0, 0, 0, 0])
    }
}
