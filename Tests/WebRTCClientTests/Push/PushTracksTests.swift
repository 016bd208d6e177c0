import MediaBase
import RTP
import Testing

@testable import WebRTCClient

@Suite("LIV-1 packets of a WHIP push") struct PushTracksTests {
    @Test(
        "Numbers keep the source's gaps, and late packets fill them",
        arguments: [0, 32_767, 32_768, 65_535] as [UInt16])
    func numbers(first: UInt16) {
        var numbering = PushNumbering(first: first)
        let numbers = [1_000, 1_001, 1_004, 1_002, 1_005].map { numbering.number(of: $0)?.rawValue }
        #expect(numbers == [0, 1, 4, 2, 5].map { first &+ $0 })
        // SRTP has no index before the first packet.
        #expect(numbering.number(of: 999) == nil)
    }

    @Test("After a large gap one number is left out; packets from before it are dropped")
    func largeGap() {
        var numbering = PushNumbering(first: 10)
        #expect(numbering.number(of: 0)?.rawValue == 10)
        #expect(numbering.number(of: 512)?.rawValue == 522)
        #expect(numbering.number(of: 1_025)?.rawValue == 524)
        #expect(numbering.number(of: 1_026)?.rawValue == 525)
        #expect(numbering.number(of: 1_024) == nil)
        #expect(numbering.number(of: .max)?.rawValue == 527)
        #expect(numbering.number(of: .min) == nil)
    }

    private static let ntp = NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)

    /// Returns the NTP time `milliseconds` after a fixed one.
    private func ntp(_ milliseconds: Int64) -> UInt64 { Self.ntp.advanced(by: .milliseconds(milliseconds)).rawValue }

    @Test("Steps of timestamps stay exact in ticks", arguments: [MediaKind.audio, .video])
    func exactSteps(kind: MediaKind) {
        var clock = PushClock()
        let rate = Int64(kind.clockRate)
        func ticks(_ time: MediaTime) -> Int64 {
            let (seconds, rest) = time.rawValue.quotientAndRemainder(dividingBy: 1_000_000_000)
            return seconds * rate + rest * rate / 1_000_000_000
        }
        let begin = clock.time(of: kind, timestamp: 7, captureNTP: nil, arrival: .nanoseconds(5_123_456_789))
        for step in [1, 2, 3, 959, 960, 3_003, rate * 3_600 + 1, -1, -959] {
            let time = clock.time(of: kind, timestamp: 7 + step, captureNTP: nil, arrival: .seconds(6))
            #expect(ticks(time) - ticks(begin) == step, "\(step)")
        }
    }

    @Test("Audio and video are aligned by sender reports, whatever their arrival")
    func alignment() {
        var clock = PushClock()
        let video = clock.time(of: .video, timestamp: 0, captureNTP: ntp(0), arrival: .seconds(10))
        let audio = clock.time(of: .audio, timestamp: 0, captureNTP: ntp(40), arrival: .milliseconds(10_500))
        #expect((audio - video).milliseconds == 40)
    }

    @Test("A track that began before its first sender report is corrected forward")
    func correction() {
        var clock = PushClock()
        _ = clock.time(of: .video, timestamp: 0, captureNTP: ntp(0), arrival: .seconds(10))
        // The audio arrives 200 ms early, without a report.
        let before = clock.time(of: .audio, timestamp: 0, captureNTP: nil, arrival: .milliseconds(9_800))
        let after = clock.time(of: .audio, timestamp: 960, captureNTP: ntp(20), arrival: .milliseconds(9_820))
        #expect(before.milliseconds == 9_800 && after.milliseconds == 10_020)
        // The video is now 500 ms late: the audio is moved instead.
        let video = clock.time(of: .video, timestamp: 90, captureNTP: ntp(-500), arrival: .milliseconds(10_030))
        #expect(video.milliseconds == 10_001)
        let moved = clock.time(of: .audio, timestamp: 1_920, captureNTP: ntp(40), arrival: .milliseconds(10_040))
        #expect(moved.milliseconds == 10_541)
    }

    @Test("Hostile timestamps neither trap nor stop the clock", arguments: [Int64.min, .max, 1 << 40])
    func hostileTimestamps(timestamp: Int64) {
        var clock = PushClock()
        _ = clock.time(of: .video, timestamp: 0, captureNTP: .max, arrival: .seconds(1))
        _ = clock.time(of: .video, timestamp: timestamp, captureNTP: 0, arrival: .seconds(2))
        let time = clock.time(of: .audio, timestamp: timestamp, captureNTP: nil, arrival: .seconds(3))
        #expect(time == .seconds(3))
    }

    @Test("A number is sent once; a packet that is too old is refused")
    func numbersOfAnEndpoint() throws {
        let session = try PeerSession(seed: 3)
        session.run(seconds: 1)
        let endpoint = session.publisher.endpoint
        #expect(endpoint.isConnected)
        func send(_ number: UInt16) -> Bool {
            [UInt8](repeating: 1, count: 10).withUnsafeBytes {
                endpoint.send(
                    $0, track: 1, time: session.network.now, marker: true, sequence: SequenceNumber(number),
                    now: session.network.now)
            }
        }
        let next = endpoint.nextSequence(track: 1)
        #expect(!send(next &- 1) && send(next) && !send(next))
        #expect(send(next &+ 3) && send(next &+ 1) && !send(next &+ 1) && !send(next &+ 3))
        #expect(endpoint.nextSequence(track: 1) == next &+ 4)
        #expect(send(next &+ 600) && send(next &+ 2 &+ 200) && !send(next &+ 2))
    }
}
