import Forwarding
import MediaBase
import Testing

@testable import MediaEngine

@Suite("Numbers that taps see when a track restarts, mutes or changes its encoding")
struct TapJoinTests {
    private static func producer(_ kind: MediaKind) -> Producer {
        Producer(.init(kind: kind, ssrc: SSRC(1), payloadType: PayloadType(96)), now: .zero)
    }

    private static func packet(
        _ kind: MediaKind, _ sequence: Int64, _ timestamp: Int64, at milliseconds: Int64, marker: Bool = true
    ) -> TapPacket {
        TapPacket(
            kind: kind, sequence: sequence, timestamp: timestamp, marker: marker, arrival: .milliseconds(milliseconds),
            captureNTP: nil, payload: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    @Test("One encoding keeps its numbers, and after a restart continues at a key frame") func restart() {
        let producer = Self.producer(.video)
        var join = TapJoin(.video)
        #expect(join.mapped(Self.packet(.video, 5, 0, at: 0), of: producer)?.sequence == 5)
        for i in 0..<3 as Range<Int64> {
            let seen = join.join(
                Self.packet(.video, 100 + i, 9_000 * i, at: 100 * i), canStart: false, of: producer, wanted: producer)
            #expect(seen?.sequence == 100 + i && seen?.timestamp == 9_000 * i)
        }
        join.interrupt(producer)
        let early = Self.packet(.video, 70_000, 77, at: 250)
        #expect(join.join(early, canStart: false, of: producer, wanted: producer) == nil)
        #expect(join.mapped(early, of: producer) == nil)
        let key = Self.packet(.video, 70_001, 50, at: 300)
        let first = join.join(key, canStart: true, of: producer, wanted: producer)
        #expect(first?.sequence == 103 && first?.timestamp == 18_000 + 9_000)
        let next = join.join(
            Self.packet(.video, 70_002, 3_050, at: 333), canStart: false, of: producer, wanted: producer)
        #expect(next?.sequence == 104 && next?.timestamp == 30_000)
        // A tap that opens now sees the cached packets under the same numbers.
        #expect(join.mapped(key, of: producer)?.sequence == 103)
        #expect(join.mapped(early, of: producer) == nil)
    }

    @Test("Another encoding continues the numbers of the frames that the first tap began with")
    func replayThenAnotherEncoding() {
        let (small, large) = (Self.producer(.video), Self.producer(.video))
        var join = TapJoin(.video)
        for i in 0..<3 as Range<Int64> {
            #expect(join.replay(Self.packet(.video, 100 + i, 3_000 * i, at: 33 * i), of: small)?.sequence == 100 + i)
        }
        let key = Self.packet(.video, 10_055, 1_000_000, at: 99)
        let seen = join.join(key, canStart: true, of: large, wanted: large)
        #expect(seen?.sequence == 103 && seen?.timestamp == 6_000 + 33 * 90)
        // A second tap sees the same numbers, and nothing of the previous encoding.
        #expect(join.replay(key, of: large)?.sequence == 103)
        #expect(join.replay(Self.packet(.video, 102, 6_000, at: 66), of: small) == nil)
    }

    @Test("Audio continues with the next packet, at its own clock rate") func audio() {
        let producer = Self.producer(.audio)
        var join = TapJoin(.audio)
        _ = join.join(Self.packet(.audio, 7, 4_800, at: 0), canStart: true, of: producer, wanted: producer)
        join.interrupt(producer)
        let seen = join.join(Self.packet(.audio, 66_000, 1, at: 20), canStart: true, of: producer, wanted: producer)
        #expect(seen?.sequence == 8 && seen?.timestamp == 4_800 + 960)
    }

    @Test(
        "A mute leaves no gap in the sequence numbers and keeps the elapsed time",
        arguments: MediaKind.allCases)
    func mute(kind: MediaKind) {
        let producer = Self.producer(kind)
        var join = TapJoin(kind)
        func see(_ sequence: Int64, _ timestamp: Int64, canStart: Bool) -> [Int64]? {
            join.join(
                Self.packet(kind, sequence, timestamp, at: sequence), canStart: canStart, of: producer, wanted: producer
            ).map { [$0.sequence, $0.timestamp] }
        }
        join.pause()
        #expect(see(5, 100, canStart: true) == [5, 100], "nothing came before the mute")
        join.pause()
        // Packets 6 to 157 are dropped while the track is muted.
        if kind == .video { #expect(see(158, 9_000, canStart: false) == nil, "a frame that refers to dropped ones") }
        #expect(see(159, 9_100, canStart: true) == [6, 9_100])
        #expect(see(160, 9_200, canStart: false) == [7, 9_200])
        #expect(see(162, 9_400, canStart: false) == [9, 9_400], "a loss after the mute is a gap")
        // Late packets from before the mute are dropped.
        #expect(see(4, 50, canStart: false) == nil)
    }

    @Test("An interruption of another encoding changes nothing, and the wanted encoding begins at a key frame")
    func others() {
        let (small, large) = (Self.producer(.video), Self.producer(.video))
        var join = TapJoin(.video)
        _ = join.join(Self.packet(.video, 10, 0, at: 0), canStart: true, of: small, wanted: small)
        join.interrupt(large)
        #expect(
            join.join(Self.packet(.video, 11, 9_000, at: 100), canStart: false, of: small, wanted: large)?.sequence
                == 11)
        let other = Self.packet(.video, 500, 1_000, at: 200)
        #expect(join.join(other, canStart: false, of: large, wanted: large) == nil)
        #expect(join.join(other, canStart: true, of: large, wanted: large)?.sequence == 12)
        #expect(join.join(Self.packet(.video, 12, 18_000, at: 200), canStart: true, of: small, wanted: large) == nil)
    }

    @Test("A frame whose end is missing before another encoding, or a mute, is followed by a gap") func cutFrame() {
        let (small, large) = (Self.producer(.video), Self.producer(.video))
        var join = TapJoin(.video)
        let cut = Self.packet(.video, 10, 0, at: 0, marker: false)
        #expect(join.join(cut, canStart: true, of: small, wanted: small)?.sequence == 10)
        let key = Self.packet(.video, 500, 1_000, at: 50, marker: false)
        #expect(join.join(key, canStart: true, of: large, wanted: large)?.sequence == 12)
        join.pause()
        let resumed = Self.packet(.video, 600, 2_000, at: 90)
        #expect(join.join(resumed, canStart: true, of: large, wanted: large)?.sequence == 14)
        // Each audio packet is complete by itself.
        var audio = TapJoin(.audio)
        let producer = Self.producer(.audio)
        _ = audio.join(
            Self.packet(.audio, 7, 0, at: 0, marker: false), canStart: true, of: producer, wanted: producer)
        audio.pause()
        let next = Self.packet(.audio, 70, 960, at: 20, marker: false)
        #expect(audio.join(next, canStart: true, of: producer, wanted: producer)?.sequence == 8)
    }

    @Test("Timestamps do not overflow if a publisher repeatedly restarts at the end of their range")
    func farTimestamps() {
        let producer = Self.producer(.video)
        var join = TapJoin(.video)
        for round in 0..<20 as Range<Int64> {
            for (step, timestamp) in [Int64(0), 1 << 60].enumerated() {
                let packet = Self.packet(
                    .video, 10 * round + Int64(step), timestamp, at: 1_000 * round + 100 * Int64(step))
                let seen = join.join(packet, canStart: true, of: producer, wanted: producer)
                #expect(seen.map { $0.timestamp.magnitude < 1 << 62 } ?? false)
            }
            join.interrupt(producer)
        }
    }
}
