import MediaBase
import Testing

@Suite("Media time and Duration") struct MediaTimeDurationTests {
    @Test(
        "A Duration is converted exactly to nanoseconds",
        arguments: [
            (Duration.zero, Int64(0)), (.seconds(3), 3_000_000_000), (.milliseconds(-1_500), -1_500_000_000),
            (.nanoseconds(1), 1), (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
            (Duration(secondsComponent: -1, attosecondsComponent: -500_000_000_000_000_000), -1_500_000_000),
        ] as [(Duration, Int64)])
    func exact(duration: Duration, nanoseconds: Int64) { #expect(MediaTime(duration).rawValue == nanoseconds) }

    @Test func spansBeyond292YearsSaturate() {
        #expect(MediaTime(.seconds(Int64.max)) == .never)
        #expect(MediaTime(.seconds(Int64.min)).rawValue == .min)
    }

    @Test(
        "A MediaTime is equal after conversion to Duration and back",
        arguments: [Int64.min, -1, 0, 1, 1_500_000_000, .max])
    func back(nanoseconds: Int64) {
        #expect(MediaTime(Duration(MediaTime(rawValue: nanoseconds))).rawValue == nanoseconds)
    }
}
