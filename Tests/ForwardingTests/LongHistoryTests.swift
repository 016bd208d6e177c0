import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

/// Histories of a hostile publisher or subscriber that are far longer than any packet: each step is as extreme as the wire format allows.
@Suite("Long hostile histories")
struct LongHistoryTests {
    /// Returns steps of a 16-bit number: mostly the largest that still counts as ahead.
    private static func step(_ random: inout SeededGenerator) -> UInt16 {
        switch random.below(6) {
        case 0: 1
        case 1: UInt16(truncatingIfNeeded: random.next())
        case 2: 0x8000
        default: 0x7fff
        }
    }

    private static func timestampStep(_ random: inout SeededGenerator) -> UInt32 {
        switch random.below(5) {
        case 0: 3_000
        case 1: UInt32(truncatingIfNeeded: random.next())
        case 2: 0x8000_0000
        default: 0x7fff_ffff
        }
    }

    private static func span(_ random: inout SeededGenerator) -> MediaTime {
        .microseconds(Int64(random.below(random.below(1_000) == 0 ? 3_600_000_000 : 2_000)))
    }

    @Test(
        "Reception statistics of 200,000 packets with extreme steps stay within their fields", arguments: UInt64(1)...3)
    func receptionStatistics(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var statistics = ReceptionStatistics(clockRate: seed % 2 == 0 ? 48_000 : 90_000)
        var unwrapper = SequenceUnwrapper()
        var clock = SenderClock(clockRate: 90_000)
        var sequence = UInt16(truncatingIfNeeded: random.next())
        var timestamp = UInt32(truncatingIfNeeded: random.next())
        var now = MediaTime.zero
        for _ in 0..<200_000 {
            sequence &+= Self.step(&random)
            timestamp &+= Self.timestampStep(&random)
            now += Self.span(&random)
            statistics.receive(
                sequence: unwrapper.unwrap(SequenceNumber(sequence)), timestamp: RTPTimestamp(timestamp), now: now)
            guard random.below(50) == 0 else { continue }
            clock.report(ntp: NTPTime(rawValue: random.next()), timestamp: RTPTimestamp(timestamp), now: now)
            let made = statistics.reportBlock(source: SSRC(1), clock: clock, now: now)
            let block = try #require(made)
            #expect(block.cumulativeLost >= -0x80_0000 && block.cumulativeLost <= 0x7f_ffff)
            #expect(statistics.jitter >= .zero && statistics.jitter <= .seconds(50_000))
            #expect(block.jitter <= 1 << 31)
        }
        // Numbers advanced by up to 32,767 per packet, and nothing wrapped.
        #expect(statistics.cumulativeLost > 1 << 30)
    }

    @Test("A sender's clock with any NTP time converts any timestamp", arguments: UInt64(1)...3)
    func senderClock(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var clock = SenderClock(clockRate: 48_000)
        var other = SenderClock(clockRate: 90_000)
        var now = MediaTime.zero
        let extremes: [UInt64] = [0, 1, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, .max]
        for _ in 0..<200_000 {
            now += Self.span(&random)
            func time() -> NTPTime {
                NTPTime(rawValue: random.below(2) == 0 ? random.next() : extremes[random.below(extremes.count)])
            }
            func timestamp() -> RTPTimestamp { RTPTimestamp(UInt32(truncatingIfNeeded: random.next())) }
            switch random.below(3) {
            case 0: clock.report(ntp: time(), timestamp: timestamp(), now: now)
            case 1: other.report(ntp: time(), timestamp: timestamp(), now: now)
            default: break
            }
            if let ntp = clock.ntp(of: timestamp()) { _ = other.timestamp(of: ntp) }
            _ = clock.timestamp(of: time())
            guard let reading = clock.reading(now: now), let ntp = clock.ntp else { continue }
            #expect(reading.ntp.distance(from: ntp) >= .zero)
            let last = clock.lastReport(now: now)
            let block = ReportBlock(
                source: SSRC(1), fractionLost: 0, cumulativeLost: 0, highestSequence: 0, jitter: 0,
                lastSenderReport: UInt32(truncatingIfNeeded: random.next()),
                delaySinceLastSenderReport: random.below(2) == 0 ? last.delay : .max)
            if let roundTrip = block.roundTripTime(now: reading.ntp) {
                #expect(roundTrip >= .zero && roundTrip < .seconds(32_769))
            }
        }
    }

    @Test("Requests for missing packets stay bounded whatever the numbers", arguments: UInt64(1)...3)
    func requests(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var generator = NACKGenerator()
        var unwrapper = SequenceUnwrapper()
        var sequence = UInt16(truncatingIfNeeded: random.next())
        var now = MediaTime.zero
        for _ in 0..<200_000 {
            sequence &+= random.below(3) == 0 ? UInt16(random.below(900)) : Self.step(&random)
            now += Self.span(&random)
            generator.receive(sequence: unwrapper.unwrap(SequenceNumber(sequence)), now: now)
            #expect(generator.missingCount <= NACKGenerator.maximumMissing)
            if random.below(8) == 0 {
                let due = generator.take(now: now)
                #expect(due.count <= 256)
            }
            if random.below(100) == 0 { generator.keyFrameRequested() }
        }
    }

    @Test("Rates of any packets at any times are finite and not negative", arguments: UInt64(1)...3)
    func rates(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var meter = RateMeter()
        var now = MediaTime.zero
        for _ in 0..<200_000 {
            now += random.below(20) == 0 ? Self.span(&random) : .zero
            meter.add(
                payload: random.below(1 << 16), layer: UInt8(truncatingIfNeeded: random.next()),
                startsFrame: random.below(2) == 0, now: random.below(10) == 0 ? now - .seconds(5) : now)
            guard random.below(20) == 0 else { continue }
            let (bitrates, frameRates) = meter.read(now: now)
            #expect(bitrates.allSatisfy { $0.rawValue >= 0 } && frameRates.allSatisfy { $0.isFinite && $0 >= 0 })
        }
    }

    @Test(
        "Feedback for a publisher whose transport-wide numbers jump covers the packets that arrived",
        arguments: UInt64(1)...3)
    func feedback(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var maker = FeedbackMaker(sender: SSRC(1), media: SSRC(2))
        var sequence = UInt16(truncatingIfNeeded: random.next())
        var now = MediaTime.zero
        for _ in 0..<200_000 {
            sequence &+= random.below(2) == 0 ? UInt16(random.below(3_000)) : Self.step(&random)
            now += Self.span(&random)
            maker.receive(sequence: sequence, bytes: random.below(1_500), now: now)
            guard random.below(4) == 0 else { continue }
            while let feedback = maker.take(now: now) {
                #expect(feedback.statusCount > 0 && !feedback.arrivals.isEmpty)
                guard random.below(200) == 0 else { continue }
                var bytes: [UInt8] = []
                feedback.write(into: &bytes)
                #expect(bytes.count % 4 == 0)
            }
        }
    }

    @Test("Audio levels of any packets at any times give a level of 7 bits", arguments: UInt64(1)...2)
    func levels(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var tracker = AudioLevelTracker()
        var speakers = ActiveSpeakerDetector()
        var loudest = LoudestSelector(limit: 3)
        var now = MediaTime.zero
        for _ in 0..<100_000 {
            now += Self.span(&random)
            let at = random.below(10) == 0 ? now - .seconds(100) : now
            let id = random.below(5)
            let level = random.below(4) == 0 ? nil : AudioLevel(rawValue: UInt8(truncatingIfNeeded: random.next()))
            tracker.receive(level, now: at)
            speakers.receive(id: id, activity: tracker.activity, now: at)
            _ = loudest.receive(id: id, level: level?.level, voice: level?.isVoice ?? false, now: at)
            _ = speakers.handleTimeout(now: now)
            if let smoothed = tracker.smoothedLevel(now: now) { #expect(smoothed <= 127) }
            #expect(tracker.activity >= 0 && tracker.activity <= 1)
        }
    }

    @Test("A producer accepts 100,000 packets with extreme steps", arguments: [MediaKind.audio, .video], UInt64(1)...2)
    func producer(kind: MediaKind, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var now = MediaTime.seconds(1)
        let producer = Producer(.init(kind: kind, ssrc: SSRC(1), payloadType: PayloadType(96)), now: now)
        var header = RTPHeader(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(0), timestamp: RTPTimestamp(0), ssrc: SSRC(1),
            marker: false)
        var counts: [Int] = [0, 0]
        for _ in 0..<100_000 {
            now += Self.span(&random)
            header.sequenceNumber = header.sequenceNumber.advanced(by: Int(Self.step(&random)))
            header.timestamp = header.timestamp.advanced(by: Int(Self.timestampStep(&random)))
            header.marker = random.below(2) == 0
            let payload: [UInt8] =
                random.below(10) == 0 ? [] : [0x90, 0xe0, 0x80, 1, 2, 0x20, 0x10, 0, 0, 0x9d, 1, 0x2a]
            var stored: UnsafeMutablePointer<StoredPacket>?
            let outcome = payload.withUnsafeBytes {
                producer.receive(header, payload: $0, now: now, stored: &stored)
            }
            counts[outcome == .forward ? 0 : 1] += 1
            #expect((outcome == .forward) == (stored != nil))
            switch random.below(400) {
            case 0: _ = producer.reportBlock(now: now)
            case 1: _ = producer.cachedKeyFrame()
            case 2: _ = producer.nack.take(now: now)
            case 3: producer.setMuted(random.below(4) == 0)
            case 4: producer.restart(ssrc: SSRC(1), first: header.sequenceNumber)
            case 5: #expect(producer.measured(now: now).bitrates.allSatisfy { $0.rawValue >= 0 })
            default: break
            }
        }
        #expect(counts[0] > 1_000)
        // Timestamps advanced by up to 2^31 - 1 per packet.
        #expect(producer.latestTimestamp.magnitude <= UInt64(TimestampUnwrapper.limit))
    }

    @Test("Consumers catch up across missing numbers in bounded steps and get every packet")
    func gapsWhileCatchingUp() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let harness = RouterHarness()
        let producer = harness.producer(source)
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        // The publisher leaves out 1,500 numbers, and then as many as still count as ahead.
        for gap in [1_500, 32_000] as [Int64] {
            source.nextIndex += gap
            try harness.feed(source.frame(isKey: false), to: producer)
        }
        try harness.catchUp()
        #expect(harness.router.isCatchingUp, "1,500 missing numbers are more than one call steps over")
        try harness.catchUpCompletely()
        #expect(subscriber.packets.values.first?.count == 12)
    }
}
