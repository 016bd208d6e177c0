import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Switching between encodings")
struct SwitchingTests {
    /// Checks that each frame is complete and decodable, all numbers are contiguous, and a switch begins with a key frame.
    private func expectSmooth(_ subscriber: Subscriber, _ simulcast: Simulcast) throws -> ViewedFrames {
        let packets = subscriber.packets[Simulcast.media.rawValue] ?? []
        let seen = try ViewedFrames(packets, of: simulcast.sources)
        #expect(packets.map(\.sequence) == packets.indices.map { 32_700 + Int64($0) })
        #expect(seen.frames.dropLast().allSatisfy { $0.isWhole })
        try TemporalLayerTests.expectContinuous(seen)
        var whole: Set<Int> = []
        var source: UInt32?
        for frame in seen.frames {
            let made = simulcast.sources[frame.source]!.frames[frame.number]
            if source != frame.source {
                #expect(made.isKey)
                whole = []
            }
            source = frame.source
            #expect(made.references.allSatisfy { whole.contains($0) })
            whole.insert(frame.number)
        }
        return seen
    }

    @Test(
        "A subscriber switches at the new encoding's key frame, without a jump in any number, on the publisher's clock",
        arguments: [false, true], SRTPSuite.allCases)
    func smooth(_ hasClock: Bool, _ suite: SRTPSuite) throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber(suite, lane: .webRTC)
        simulcast.subscribe(subscriber, to: 0)
        var waits: [Int] = []
        for f in 0..<600 {
            if hasClock, f % 30 == 3 { simulcast.report() }
            if f % 50 == 25 {
                let target = [1, 2, 0, 2, 1, 0][f / 50 % 6]
                #expect(simulcast.change(subscriber, to: target, layerLimit: UInt8(f / 50 % 4)))
                // The publisher takes a moment to send its key frame.
                simulcast.wantsKey.remove(target)
                waits.append(target)
            }
            if f % 50 == 29, let target = waits.last { simulcast.wantsKey.insert(target) }
            try simulcast.step()
        }
        let seen = try expectSmooth(subscriber, simulcast)
        let changes = zip(seen.frames, seen.frames.dropFirst()).filter { $0.source != $1.source }
        #expect(changes.count == 12 && changes.map { Int($1.source) } == waits)
        let reports = simulcast.harness.router.takeSwitches()
        #expect(reports.count == 12 && simulcast.harness.router.takeSwitches().isEmpty)
        #expect(reports.map(\.to) == waits.map { simulcast.sources[UInt32($0)]!.source.ssrc })
        #expect(reports.allSatisfy { $0.ssrc == Simulcast.media && $0.path == subscriber.path })
        // Four frames from the request to the key frame.
        #expect(reports.allSatisfy { ($0.at - $0.requestedAt).milliseconds < 135 })
        // All encodings are captured together, so a frame's number gives its timestamp.
        let start = seen.frames[0]
        for frame in seen.frames {
            let ticks = frame.packets[0].header.timestamp.distance(from: start.packets[0].header.timestamp)
            let frames = frame.number - start.number
            #expect(abs(ticks - 3000 * frames) <= (hasClock ? 12 : 400), "frame \(frame.number)")
        }
    }

    @Test(
        "A frame in progress is finished before the key frame of the other encoding", arguments: [false, true])
    func wholeFrames(_ losesEnd: Bool) throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 2, rtx: false)
        for _ in 0..<5 { try simulcast.step() }
        simulcast.change(subscriber, to: 0)
        let frames = simulcast.frames(packets: [3, 2, 4])
        let producers = simulcast.producers
        // Half of the large frame, then the whole small key frame, then the other half.
        try simulcast.harness.feed(Array(frames[2][..<2]), to: producers[2])
        try simulcast.harness.feed(frames[0], to: producers[0])
        try simulcast.harness.flush()
        #expect(subscriber.received.last?.sourceID == 2)
        if !losesEnd {
            try simulcast.harness.feed(Array(frames[2][2...]), to: producers[2])
            try simulcast.harness.flush()
        }
        try simulcast.pass(Simulcast.interval)
        for _ in 0..<5 { try simulcast.step(packets: [3, 2, 4]) }
        let packets = subscriber.received
        #expect(packets.map(\.sequence) == packets.indices.map { 32_700 + Int64($0) })
        let seen = try ViewedFrames(packets, of: simulcast.sources)
        let change = try #require(seen.frames.firstIndex { $0.source == 0 })
        #expect(seen.frames[change - 1].isWhole == !losesEnd)
        #expect(seen.frames[change...].allSatisfy { $0.isWhole && $0.source == 0 })
        #expect(seen.frames[change].packets[0].descriptor?.isKeyFrameStart == true)
        try TemporalLayerTests.expectContinuous(seen)
        #expect(seen.frames.count == 12)
    }

    @Test("Packets sent before a switch are retransmitted for two seconds", arguments: [false, true])
    func history(_ rtx: Bool) throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 2, rtx: rtx)
        for _ in 0..<20 { try simulcast.step() }
        let before = try #require(subscriber.packets[Simulcast.media.rawValue]).suffix(30).map(\.header.sequenceNumber)
        simulcast.change(subscriber, to: 1, layerLimit: 1)
        for _ in 0..<20 { try simulcast.step() }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        // Any producer of the track may be named.
        for (p, producer) in simulcast.producers.enumerated() {
            let sent = try simulcast.harness.retransmit(before, to: subscriber, of: producer)
            #expect(sent == (p == 0 ? 0 : 30))
        }
        for _ in 0..<60 { try simulcast.step() }
        #expect(try simulcast.harness.retransmit(before, to: subscriber, of: simulcast.producers[1]) == 0)
        #expect(simulcast.producers[2].core.pointee.index(path: subscriber.path) == nil)
        // Back and forth within two seconds: packets of the first producer can be retransmitted again.
        let recent = try #require(subscriber.packets[Simulcast.media.rawValue]).suffix(10).map(\.header.sequenceNumber)
        for target in [2, 1] {
            simulcast.change(subscriber, to: target)
            for _ in 0..<5 { try simulcast.step() }
        }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        #expect(try simulcast.harness.retransmit(recent, to: subscriber, of: simulcast.producers[1]) == 10)
        let all = Simulcast.packets(of: subscriber)
        #expect(Set(all.map(\.sequence)).count == all.count)
    }

    @Test("A switch that gets no key frame is given up or redirected, and the old encoding continues")
    func noKeyFrame() throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 1)
        for _ in 0..<10 { try simulcast.step() }
        #expect(simulcast.change(subscriber, to: 2))
        // A repeated request changes nothing.
        #expect(simulcast.change(subscriber, to: 2))
        simulcast.wantsKey = []
        for _ in 0..<30 { try simulcast.step() }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        simulcast.harness.router.cancelSwitch(
            path: subscriber.path, producer: simulcast.producers[2], now: simulcast.harness.now)
        simulcast.wantsKey = [2]
        for _ in 0..<10 { try simulcast.step() }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        #expect(simulcast.change(subscriber, to: 2))
        simulcast.wantsKey = []
        for _ in 0..<10 { try simulcast.step() }
        #expect(simulcast.change(subscriber, to: 0))
        simulcast.wantsKey = [2]
        for _ in 0..<10 { try simulcast.step() }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        simulcast.wantsKey = [0]
        for _ in 0..<10 { try simulcast.step() }
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 0)
        // Back to the current encoding: nothing to do.
        #expect(!simulcast.change(subscriber, to: 0))
        _ = try expectSmooth(subscriber, simulcast)
        #expect(simulcast.harness.router.takeSwitches().count == 1)
    }

    @Test("Each switch is reported, however many subscribers switch at one key frame")
    func manyAtOnce() throws {
        let simulcast = Simulcast(RouterHarness())
        let subscribers = try (0..<300).map { _ in try simulcast.harness.subscriber() }
        for subscriber in subscribers { simulcast.subscribe(subscriber, to: 0, rtx: false) }
        try simulcast.step()
        for subscriber in subscribers { #expect(simulcast.change(subscriber, to: 1)) }
        for _ in 0..<2 { try simulcast.step() }
        #expect(subscribers.allSatisfy { $0.received.last?.sourceID == 1 })
        let reports = simulcast.harness.router.takeSwitches()
        #expect(reports.count == 300 && Set(reports.map(\.path)) == Set(subscribers.map(\.path)))
    }

    @Test("Before the first packet, and while paused, a switch takes effect at once")
    func nothingFlows() throws {
        let simulcast = Simulcast(RouterHarness())
        simulcast.wantsKey = [1]
        let early = try simulcast.harness.subscriber()
        simulcast.subscribe(early, to: 2)
        simulcast.wantsKey = [1]
        for _ in 0..<5 { try simulcast.step() }
        #expect(early.datagramCount == 0)
        // The other encoding has a cached key frame: the switch is complete at once.
        #expect(!simulcast.change(early, to: 1))
        for _ in 0..<5 { try simulcast.step() }
        #expect(early.packets[Simulcast.media.rawValue]?.count == 20)

        _ = simulcast.harness.router.setPaused(true, path: early.path, producer: simulcast.producers[1])
        #expect(!simulcast.change(early, to: 0))
        simulcast.wantsKey = [0]
        for _ in 0..<5 { try simulcast.step() }
        #expect(early.packets[Simulcast.media.rawValue]?.count == 20)
        #expect(simulcast.harness.router.setPaused(false, path: early.path, producer: simulcast.producers[0]))
        simulcast.wantsKey = [0]
        for _ in 0..<5 { try simulcast.step() }
        #expect(early.packets[Simulcast.media.rawValue]?.count == 25)
        _ = try expectSmooth(early, simulcast)
    }

    @Test("The producer that feeds a track is found whichever one is expected", arguments: [nil, 0, 1, 2] as [Int?])
    func feeder(_ expected: Int?) throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 0)
        let (router, producers) = (simulcast.harness.router, simulcast.producers)
        func feeder(_ ssrc: SSRC = Simulcast.media) -> Producer? {
            router.feeder(path: subscriber.path, ssrc: ssrc, expected: expected.map { producers[$0] })
        }
        for _ in 0..<5 { try simulcast.step() }
        #expect(feeder() === producers[0])
        simulcast.change(subscriber, to: 1)
        #expect(feeder() === producers[0])
        for _ in 0..<5 { try simulcast.step() }
        #expect(feeder() === producers[1])
        #expect(feeder(SSRC(1)) == nil)
    }

    @Test("An encoding that ends during a switch leaves the track to the other", arguments: [0, 1])
    func ends(_ gone: Int) throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 0)
        for _ in 0..<5 { try simulcast.step() }
        simulcast.change(subscriber, to: 1)
        simulcast.wantsKey = []
        try simulcast.step()
        let router = simulcast.harness.router
        let left = simulcast.producers[1 - gone]
        router.remove(simulcast.producers[gone])
        #expect(router.feeder(path: subscriber.path, ssrc: Simulcast.media) === left)
        simulcast.wantsKey = [0, 1]
        for _ in 0..<5 {
            let frames = simulcast.frames()
            try simulcast.harness.feed(frames[1 - gone], to: left)
            try simulcast.harness.flush()
            try simulcast.pass(Simulcast.interval)
        }
        _ = try expectSmooth(subscriber, simulcast)
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == UInt32(1 - gone))
        let progress = try #require(router.unsubscribe(path: subscriber.path, from: left))
        #expect(progress.sequence == subscriber.packets[Simulcast.media.rawValue]?.last?.sequence)
    }
}
