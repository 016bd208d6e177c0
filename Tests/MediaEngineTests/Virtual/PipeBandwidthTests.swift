import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCTestKit

@Suite("CLU-2 Bandwidth between two relays, in virtual time") struct PipeBandwidthTests {
    /// Path between the relays.
    private static func path(_ kilobits: Int64, delay: Int64 = 10, queue: Int = 60_000) -> LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(delay))
        conditions.rate = .kilobits(kilobits)
        conditions.queue = queue
        return conditions
    }

    /// Path that carries key frames without a queue.
    private static let wide = path(100_000, queue: 500_000)

    /// A pipe with streams of three encodings, and paths to the subscribers that are known to be wide.
    private struct Scene {
        let pipe: VirtualPipe
        /// Subscribers of each stream.
        var subscribers: [[VirtualClient]] = []

        /// - Parameter counts: numbers of the subscribers of each stream.
        init(
            seed: UInt64, counts: [Int], path: LinkConditions = PipeBandwidthTests.wide,
            origin: @escaping (inout EngineConfiguration) -> Void = { _ in },
            mirror: @escaping (inout EngineConfiguration) -> Void = { _ in }
        ) throws {
            func wide(_ change: @escaping (inout EngineConfiguration) -> Void) -> (inout EngineConfiguration) -> Void {
                { configuration in
                    configuration.webRTC.startBitrate = .kilobits(8_000)
                    change(&configuration)
                }
            }
            (pipe, _) = try VirtualPipe.withPublisher(
                seed: seed, path: path, rids: PipeDemandTests.rids, video: SyntheticVideo.Encoding.simulcast,
                changes: (wide(origin), wide(mirror)))
            for index in counts.indices.dropFirst() {
                try pipe.origin.publish(
                    stream: "stream\(index)", source: UInt32(index + 1), rids: PipeDemandTests.rids,
                    video: SyntheticVideo.Encoding.simulcast)
            }
            try pipe.run(seconds: 1)
            for (index, count) in counts.enumerated() {
                let stream = index == 0 ? "stream" : "stream\(index)"
                subscribers.append(
                    try (0..<count).map { _ in try pipe.mirror.view(stream: stream, source: UInt32(index + 1)) })
            }
            try pipe.run(seconds: 10)
        }

        var all: [VirtualClient] { subscribers.flatMap(\.self) }
        var encodings: [UInt8?] { all.map(\.reception.lastEncoding) }
        var counters: EngineCounters { pipe.origin.relay.counters }

        /// Number of datagrams that the path's queue dropped.
        var overflowed: Int {
            pipe.origin.plainAddresses.reduce(0) { sum, from in
                pipe.mirror.plainAddresses.reduce(sum) {
                    $0 + pipe.origin.network.statistics(from: from, to: $1).overflowed
                }
            }
        }

        /// Number of datagrams from the mirroring relay to the other one.
        var returned: Int {
            pipe.mirror.plainAddresses.reduce(0) { sum, from in
                pipe.origin.plainAddresses.reduce(sum) { $0 + pipe.origin.network.statistics(from: from, to: $1).sent }
            }
        }

        /// Runs until a condition holds, which is polled every 0.1 s.
        /// - Returns: false if it did not hold within the time.
        func run(atMost seconds: Double, until condition: () -> Bool) throws -> Bool {
            let end = pipe.origin.now + .seconds(seconds)
            while !condition() {
                guard pipe.origin.now < end else { return false }
                try pipe.run(seconds: 0.1)
            }
            return true
        }
    }

    private func missedAudio(_ scene: Scene) -> UInt64 { scene.all.reduce(0) { $0 + $1.reception.missedAudioPackets } }

    @Test(
        "On a path that becomes narrow, subscribers get smaller encodings without lasting loss; they return when it widens"
    )
    func narrow() throws {
        let scene = try Scene(seed: 1301, counts: [1, 1])
        #expect(scene.encodings == [2, 2] && scene.counters.pipesLimited == 0 && scene.counters.probeBytes == 0)
        for subscriber in scene.all { subscriber.forgetPauses() }
        scene.pipe.set(Self.path(2_000))
        #expect(try scene.run(atMost: 4) { scene.encodings.allSatisfy { $0.map { $0 < 2 } ?? false } })
        try scene.pipe.run(seconds: 4)
        #expect(scene.all.allSatisfy { $0.reception.longestPause < .seconds(2) }, "\(scene.all.map(\.reception))")
        let (overflowed, audio) = (scene.overflowed, missedAudio(scene))
        let before = scene.all.map(\.reception)
        for subscriber in scene.all { subscriber.forgetPauses() }
        try scene.pipe.run(seconds: 15)
        #expect(scene.overflowed == overflowed, "\(scene.overflowed - overflowed) datagrams")
        #expect(missedAudio(scene) == audio)
        for (subscriber, before) in zip(scene.all, before) {
            #expect(subscriber.reception.frames > before.frames + 400, "\(subscriber.reception)")
            #expect(subscriber.reception.longestPause < .milliseconds(500), "\(subscriber.reception)")
            #expect(subscriber.audio.longestPause < .milliseconds(150) && subscriber.reception.wrong == 0)
        }
        #expect(scene.counters.pipesLimited == 1 && scene.counters.withheldEncodings >= 2)
        #expect((500_000...2_300_000).contains(scene.counters.pipeEstimate), "\(scene.counters.pipeEstimate)")
        scene.pipe.set(Self.wide)
        #expect(try scene.run(atMost: 25) { scene.encodings == [2, 2] }, "\(scene.encodings)")
        #expect(scene.counters.withheldEncodings == 0 && scene.counters.pipeEncodingsWithheld >= 2)
        try scene.pipe.run(seconds: 40)
        #expect(scene.encodings == [2, 2] && scene.counters.pipesLimited == 0, "the limit is forgotten")
        #expect(scene.all.allSatisfy { $0.reception.wrong == 0 && $0.reception.outOfOrder <= $0.reception.switches })
    }

    @Test(
        "With any rate, delay and queue, audio has no loss after the first seconds, and the path carries what is sent",
        arguments: UInt64(1311)...1314)
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try Scene(seed: seed, counts: [1, 2])
        let path = Self.path(
            .random(in: 500...3_000, using: &random), delay: .random(in: 2...60, using: &random),
            queue: .random(in: 25_000...150_000, using: &random))
        scene.pipe.set(path)
        try scene.pipe.run(seconds: 15)
        let (overflowed, audio) = (scene.overflowed, missedAudio(scene))
        let rate = try scene.pipe.rate(seconds: 15)
        #expect(rate <= path.rate ?? rate, "\(rate) on \(path)")
        // A probe may overflow a short queue.
        #expect(scene.overflowed - overflowed <= 40, "\(scene.overflowed - overflowed) on \(path)")
        #expect(missedAudio(scene) - audio <= 2, "\(missedAudio(scene) - audio) on \(path)")
        #expect(scene.all.allSatisfy { $0.reception.frames > 200 && $0.reception.wrong == 0 }, "\(path)")
        scene.pipe.set(Self.wide)
        #expect(try scene.run(atMost: 45) { scene.encodings == [2, 2, 2] }, "\(scene.encodings) on \(path)")
    }

    @Test("Audio alone is sent on a path that is too narrow for video, which returns when the path widens")
    func audioAlone() throws {
        let scene = try Scene(seed: 1331, counts: [1, 1])
        scene.pipe.set(Self.path(200, queue: 20_000))
        try scene.pipe.run(seconds: 20)
        let audio = missedAudio(scene)
        let before = scene.all.map(\.reception)
        try scene.pipe.run(seconds: 10)
        #expect(missedAudio(scene) - audio <= 2, "\(scene.counters.probeBytes) bytes of probes")
        for (subscriber, before) in zip(scene.all, before) {
            #expect(subscriber.reception.audioPackets > before.audioPackets + 480, "\(subscriber.reception)")
        }
        #expect(scene.counters.withheldEncodings >= 5, "\(scene.counters.withheldEncodings)")
        scene.pipe.set(Self.wide)
        #expect(try scene.run(atMost: 60) { scene.encodings == [2, 2] }, "\(scene.encodings)")
        #expect(scene.all.allSatisfy { $0.reception.wrong == 0 })
    }

    @Test("The stream with the most subscribers behind the pipe keeps its largest encoding") func users() throws {
        let scene = try Scene(seed: 1341, counts: [1, 3, 1])
        #expect(scene.encodings == [2, 2, 2, 2, 2])
        scene.pipe.set(Self.path(4_200, queue: 120_000))
        try scene.pipe.run(seconds: 8)
        #expect(scene.encodings[1...3].allSatisfy { $0 == 2 }, "\(scene.encodings)")
        #expect([0, 4].allSatisfy { scene.encodings[$0].map { $0 < 2 } ?? false }, "\(scene.encodings)")
        #expect(scene.counters.withheldEncodings > 0)
    }

    @Test("A recording at the mirroring relay gets the next smaller encoding") func tap() throws {
        let scene = try Scene(seed: 1351, counts: [0])
        let tap = try scene.pipe.mirror.control { try $0.openTap(session: "room", stream: "stream", chooses: false) }
        var reading = TapReading()
        try scene.pipe.run(seconds: 3)
        reading.read(tap)
        _ = reading.takeEncodings()
        scene.pipe.set(Self.path(1_200))
        for _ in 0..<8 {
            try scene.pipe.run(seconds: 1)
            reading.read(tap)
        }
        _ = reading.takeEncodings()
        try scene.pipe.run(seconds: 2)
        reading.read(tap)
        let encodings = reading.takeEncodings()
        #expect(!encodings.isEmpty && encodings.allSatisfy { $0 < 2 } && reading.faults == 0, "\(encodings)")
    }

    @Test(
        "With a relay of an earlier version at either end, there is no feedback and nothing is withheld",
        arguments: [true, false])
    func versions(_ isOldOrigin: Bool) throws {
        let scene = try Scene(
            seed: 1361, counts: [1], origin: { $0.measuresPipes = !isOldOrigin },
            mirror: { $0.measuresPipes = isOldOrigin })
        #expect(scene.encodings == [2])
        let before = scene.returned
        try scene.pipe.run(seconds: 5)
        // Demands and receiver reports.
        #expect(scene.returned - before < 80, "\(scene.returned - before)")
        scene.pipe.set(Self.path(1_200))
        try scene.pipe.run(seconds: 10)
        #expect(scene.counters.pipeEncodingsWithheld == 0 && scene.counters.pipesLimited == 0)
        scene.pipe.set(Self.wide)
        try scene.pipe.run(seconds: 5)
        #expect(scene.all.allSatisfy { $0.reception.wrong == 0 && $0.reception.lastEncoding == 2 })
    }

    @Test(
        "On a wide path, feedback comes every 50 to 100 ms, and there are no probes; loss and jitter withhold nothing")
    func wide() throws {
        var path = LinkConditions(delay: .milliseconds(20))
        path.loss = .uniform(0.02)
        path.jitter = .uniform(.milliseconds(5))
        let scene = try Scene(seed: 1371, counts: [1, 1], path: path)
        let before = scene.returned
        try scene.pipe.run(seconds: 30)
        // Besides feedback, there are demands, receiver reports and requests for missing packets.
        #expect((300...2_000).contains(scene.returned - before), "\(scene.returned - before)")
        #expect(scene.encodings == [2, 2] && scene.counters.probeBytes == 0)
        #expect(scene.counters.pipeEncodingsWithheld == 0)
    }

    @Test("Lost feedback withholds nothing on a wide path") func lostFeedback() throws {
        let scene = try Scene(seed: 1381, counts: [1])
        var back = LinkConditions(delay: .milliseconds(10))
        back.loss = .uniform(0.5)
        for from in scene.pipe.mirror.plainAddresses {
            for to in scene.pipe.origin.plainAddresses { scene.pipe.origin.network.set(back, from: from, to: to) }
        }
        try scene.pipe.run(seconds: 20)
        #expect(scene.encodings == [2] && scene.counters.pipeEncodingsWithheld == 0)
    }
}
