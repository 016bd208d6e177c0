import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Switching between encodings")
struct SwitchingTests {
    /// Each picture whole, each decodable, all numbers without a gap; after a switch a key frame.
    private func expectSmooth(_ viewer: Viewer, _ simulcast: Simulcast) throws -> ViewedPictures {
        let packets = viewer.packets[Simulcast.media.rawValue] ?? []
        let seen = try ViewedPictures(packets, of: simulcast.sources)
        #expect(packets.map(\.sequence) == packets.indices.map { 32_700 + Int64($0) })
        #expect(seen.pictures.dropLast().allSatisfy { $0.isWhole })
        try TemporalLayerTests.expectContinuous(seen)
        var whole: Set<Int> = []
        var source: UInt32?
        for picture in seen.pictures {
            let made = simulcast.sources[picture.source]!.pictures[picture.number]
            if source != picture.source {
                #expect(made.isKey)
                whole = []
            }
            source = picture.source
            #expect(made.references.allSatisfy { whole.contains($0) })
            whole.insert(picture.number)
        }
        return seen
    }

    @Test(
        "a viewer goes over at the key frame of the new encoding, without a jump in any number, and on the publisher's clock",
        arguments: [false, true], SRTPSuite.allCases)
    func smooth(_ hasClock: Bool, _ suite: SRTPSuite) throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer(suite, lane: .webRTC)
        simulcast.subscribe(viewer, to: 0)
        var waits: [Int] = []
        for f in 0..<600 {
            if hasClock, f % 30 == 3 { simulcast.report() }
            if f % 50 == 25 {
                let target = [1, 2, 0, 2, 1, 0][f / 50 % 6]
                #expect(simulcast.change(viewer, to: target, temporalLimit: UInt8(f / 50 % 4)))
                // The publisher needs a moment for its key frame.
                simulcast.wantsKey.remove(target)
                waits.append(target)
            }
            if f % 50 == 29, let target = waits.last { simulcast.wantsKey.insert(target) }
            try simulcast.step()
        }
        let seen = try expectSmooth(viewer, simulcast)
        let changes = zip(seen.pictures, seen.pictures.dropFirst()).filter { $0.source != $1.source }
        #expect(changes.count == 12 && changes.map { Int($1.source) } == waits)
        let reports = simulcast.harness.router.takeSwitches()
        #expect(reports.count == 12 && simulcast.harness.router.takeSwitches().isEmpty)
        #expect(reports.map(\.to) == waits.map { simulcast.sources[UInt32($0)]!.source.ssrc })
        #expect(reports.allSatisfy { $0.ssrc == Simulcast.media && $0.path == viewer.path })
        // Four pictures from the wish to the key frame.
        #expect(reports.allSatisfy { ($0.at - $0.requestedAt).milliseconds < 135 })
        // Timestamps: where all is captured together, a picture's place is its number.
        let start = seen.pictures[0]
        for picture in seen.pictures {
            let ticks = picture.packets[0].header.timestamp.distance(from: start.packets[0].header.timestamp)
            let pictures = picture.number - start.number
            #expect(abs(ticks - 3000 * pictures) <= (hasClock ? 12 : 400), "picture \(picture.number)")
        }
    }

    @Test(
        "a picture that is going out is finished before the key frame of the other encoding", arguments: [false, true])
    func wholePictures(_ losesEnd: Bool) throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer()
        simulcast.subscribe(viewer, to: 2, rtx: false)
        for _ in 0..<5 { try simulcast.step() }
        simulcast.change(viewer, to: 0)
        let pictures = simulcast.pictures(packets: [3, 2, 4])
        let producers = simulcast.producers
        // Half of the large picture, then the whole small key frame, then the other half.
        try simulcast.harness.feed(Array(pictures[2][..<2]), to: producers[2])
        try simulcast.harness.feed(pictures[0], to: producers[0])
        try simulcast.harness.flush()
        #expect(viewer.received.last?.sourceID == 2)
        if !losesEnd {
            try simulcast.harness.feed(Array(pictures[2][2...]), to: producers[2])
            try simulcast.harness.flush()
        }
        try simulcast.pass(Simulcast.interval)
        for _ in 0..<5 { try simulcast.step(packets: [3, 2, 4]) }
        let packets = viewer.received
        #expect(packets.map(\.sequence) == packets.indices.map { 32_700 + Int64($0) })
        let seen = try ViewedPictures(packets, of: simulcast.sources)
        let change = try #require(seen.pictures.firstIndex { $0.source == 0 })
        #expect(seen.pictures[change - 1].isWhole == !losesEnd)
        #expect(seen.pictures[change...].allSatisfy { $0.isWhole && $0.source == 0 })
        #expect(seen.pictures[change].packets[0].descriptor?.isKeyFrameStart == true)
        try TemporalLayerTests.expectContinuous(seen)
        #expect(seen.pictures.count == 12)
    }

    @Test("what went out before a switch is still sent again, for two seconds", arguments: [false, true])
    func history(_ rtx: Bool) throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer()
        simulcast.subscribe(viewer, to: 2, rtx: rtx)
        for _ in 0..<20 { try simulcast.step() }
        let before = try #require(viewer.packets[Simulcast.media.rawValue]).suffix(30).map(\.header.sequenceNumber)
        simulcast.change(viewer, to: 1, temporalLimit: 1)
        for _ in 0..<20 { try simulcast.step() }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        // Whichever producer is named, it is the track that counts.
        for (p, producer) in simulcast.producers.enumerated() {
            let sent = try simulcast.harness.retransmit(before, to: viewer, of: producer)
            #expect(sent == (p == 0 ? 0 : 30))
        }
        for _ in 0..<60 { try simulcast.step() }
        #expect(try simulcast.harness.retransmit(before, to: viewer, of: simulcast.producers[1]) == 0)
        #expect(simulcast.producers[2].core.pointee.index(path: viewer.path) == nil)
        // Back and forth within two seconds: what the first sent is with it again.
        let recent = try #require(viewer.packets[Simulcast.media.rawValue]).suffix(10).map(\.header.sequenceNumber)
        for target in [2, 1] {
            simulcast.change(viewer, to: target)
            for _ in 0..<5 { try simulcast.step() }
        }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        #expect(try simulcast.harness.retransmit(recent, to: viewer, of: simulcast.producers[1]) == 10)
        let all = Simulcast.packets(of: viewer)
        #expect(Set(all.map(\.sequence)).count == all.count)
    }

    @Test("a switch that gets no key frame is given up or redirected, and the old encoding feeds on")
    func noKeyFrame() throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer()
        simulcast.subscribe(viewer, to: 1)
        for _ in 0..<10 { try simulcast.step() }
        #expect(simulcast.change(viewer, to: 2))
        // The same wish again is the same wish.
        #expect(simulcast.change(viewer, to: 2))
        simulcast.wantsKey = []
        for _ in 0..<30 { try simulcast.step() }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        simulcast.harness.router.cancelSwitch(
            path: viewer.path, producer: simulcast.producers[2], now: simulcast.harness.now)
        simulcast.wantsKey = [2]
        for _ in 0..<10 { try simulcast.step() }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        #expect(simulcast.change(viewer, to: 2))
        simulcast.wantsKey = []
        for _ in 0..<10 { try simulcast.step() }
        #expect(simulcast.change(viewer, to: 0))
        simulcast.wantsKey = [2]
        for _ in 0..<10 { try simulcast.step() }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        simulcast.wantsKey = [0]
        for _ in 0..<10 { try simulcast.step() }
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == 0)
        // Back to where it is: nothing to do.
        #expect(!simulcast.change(viewer, to: 0))
        _ = try expectSmooth(viewer, simulcast)
        #expect(simulcast.harness.router.takeSwitches().count == 1)
    }

    @Test("each switch is told of, however many viewers go over at one key frame")
    func manyAtOnce() throws {
        let simulcast = Simulcast(RouterHarness())
        let viewers = try (0..<300).map { _ in try simulcast.harness.viewer() }
        for viewer in viewers { simulcast.subscribe(viewer, to: 0, rtx: false) }
        try simulcast.step()
        for viewer in viewers { #expect(simulcast.change(viewer, to: 1)) }
        for _ in 0..<2 { try simulcast.step() }
        #expect(viewers.allSatisfy { $0.received.last?.sourceID == 1 })
        let reports = simulcast.harness.router.takeSwitches()
        #expect(reports.count == 300 && Set(reports.map(\.path)) == Set(viewers.map(\.path)))
    }

    @Test("before anything went out, and while paused, a switch is a move")
    func nothingFlows() throws {
        let simulcast = Simulcast(RouterHarness())
        simulcast.wantsKey = [1]
        let early = try simulcast.harness.viewer()
        simulcast.subscribe(early, to: 2)
        simulcast.wantsKey = [1]
        for _ in 0..<5 { try simulcast.step() }
        #expect(early.datagramCount == 0)
        // The other encoding has a key frame in its ring: it is there at once.
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

    @Test("who feeds a track is found, whoever is thought to", arguments: [nil, 0, 1, 2] as [Int?])
    func feeder(_ expected: Int?) throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer()
        simulcast.subscribe(viewer, to: 0)
        let (router, producers) = (simulcast.harness.router, simulcast.producers)
        func feeder(_ ssrc: SSRC = Simulcast.media) -> Producer? {
            router.feeder(path: viewer.path, ssrc: ssrc, expected: expected.map { producers[$0] })
        }
        for _ in 0..<5 { try simulcast.step() }
        #expect(feeder() === producers[0])
        simulcast.change(viewer, to: 1)
        #expect(feeder() === producers[0])
        for _ in 0..<5 { try simulcast.step() }
        #expect(feeder() === producers[1])
        #expect(feeder(SSRC(1)) == nil)
    }

    @Test("an encoding that ends during a switch leaves the track to the other", arguments: [0, 1])
    func ends(_ gone: Int) throws {
        let simulcast = Simulcast(RouterHarness())
        let viewer = try simulcast.harness.viewer()
        simulcast.subscribe(viewer, to: 0)
        for _ in 0..<5 { try simulcast.step() }
        simulcast.change(viewer, to: 1)
        simulcast.wantsKey = []
        try simulcast.step()
        let router = simulcast.harness.router
        let left = simulcast.producers[1 - gone]
        router.remove(simulcast.producers[gone])
        #expect(router.feeder(path: viewer.path, ssrc: Simulcast.media) === left)
        simulcast.wantsKey = [0, 1]
        for _ in 0..<5 {
            let pictures = simulcast.pictures()
            try simulcast.harness.feed(pictures[1 - gone], to: left)
            try simulcast.harness.flush()
            try simulcast.pass(Simulcast.interval)
        }
        _ = try expectSmooth(viewer, simulcast)
        #expect(viewer.packets[Simulcast.media.rawValue]?.last?.sourceID == UInt32(1 - gone))
        let progress = try #require(router.unsubscribe(path: viewer.path, from: left))
        #expect(progress.sequence == viewer.packets[Simulcast.media.rawValue]?.last?.sequence)
    }
}
