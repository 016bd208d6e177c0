import MediaBase
import Testing

@Suite("Ticks of a media clock") struct MediaTimeTicksTests {
    @Test(
        "Ticks are exact for years, and fractions are cut",
        arguments: [
            (MediaTime.zero, 90_000, 0), (.seconds(1), 48_000, 48_000), (.nanoseconds(11_112), 90_000, 1),
            (.nanoseconds(11_111), 90_000, 0), (.milliseconds(-20), 48_000, -960),
            (.seconds(100_000_000) + .milliseconds(10), 90_000, 9_000_000_000_900),
        ] as [(MediaTime, Int64, Int64)])
    func ticks(time: MediaTime, clockRate: Int64, ticks: Int64) {
        #expect(time.ticks(clockRate: clockRate) == ticks)
    }
}
