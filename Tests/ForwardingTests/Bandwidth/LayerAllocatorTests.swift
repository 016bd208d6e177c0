import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("Layers for a subscriber's bandwidth")
struct LayerAllocatorTests {
    static let audio = AllocatedTrack(id: 100, kind: .audio, encodings: [.init(bitrates: [.kilobits(40)])])
    static let simulcast: [AllocatedTrack.Encoding] = [
        .init(height: 180, bitrates: [.kilobits(60), .kilobits(100), .kilobits(150)]),
        .init(height: 360, bitrates: [.kilobits(200), .kilobits(350), .kilobits(500)]),
        .init(height: 720, bitrates: [.kilobits(700), .kilobits(1_100), .kilobits(1_700)]),
    ]

    static func video(
        _ id: Int, priority: Int = 0, limits: AllocatedTrack.Limits = .init(),
        encodings: [AllocatedTrack.Encoding] = simulcast
    ) -> AllocatedTrack {
        AllocatedTrack(id: id, kind: .video, priority: priority, limits: limits, encodings: encodings)
    }

    static func selection(_ encoding: Int, _ temporal: UInt8) -> LayerSelection {
        LayerSelection(encoding: encoding, temporal: temporal)
    }

    @Test(
        "One track gets the highest layer that fits with headroom",
        arguments: [
            (50, nil), (120, selection(0, 0)), (250, selection(0, 3)), (500, selection(1, 1)), (700, selection(1, 3)),
            (1_200, selection(1, 3)), (1_500, selection(2, 1)), (2_100, selection(2, 3)), (9_000, selection(2, 3)),
        ] as [(Int64, LayerSelection?)])
    func one(kilobits: Int64, expected: LayerSelection?) throws {
        var allocator = LayerAllocator()
        let allocation = allocator.allocate([Self.audio, Self.video(1)], target: .kilobits(kilobits), now: .zero)
        let decision = try #require(allocation.decisions.first)
        #expect(allocation.decisions.count == 1 && decision.id == 1)
        #expect(decision.selection == expected)
        #expect(decision.isPausedByBandwidth == (expected == nil))
        #expect(allocation.used <= .kilobits(kilobits))
    }

    @Test("Limits set by the subscriber")
    func limits() {
        let cases: [(AllocatedTrack.Limits, LayerSelection?)] = [
            (.init(spatial: 1), Self.selection(1, 3)), (.init(spatial: 0), Self.selection(0, 3)),
            (.init(temporal: 1), Self.selection(2, 1)), (.init(spatial: 1, temporal: 0), Self.selection(1, 0)),
            (.init(encoding: 1), Self.selection(1, 3)), (.init(encoding: 7), nil),
            (.init(height: 180), Self.selection(0, 3)),
            (.init(height: 200), Self.selection(1, 3)), (.init(height: 4_000), Self.selection(2, 3)),
            (.init(maximumHeight: 360), Self.selection(1, 3)), (.init(maximumHeight: 719), Self.selection(1, 3)),
            (.init(maximumHeight: 720), Self.selection(2, 3)), (.init(maximumHeight: 100), Self.selection(0, 3)),
            (.init(height: 200, maximumHeight: 300), Self.selection(0, 3)),
            (.init(height: 100, maximumHeight: 720), Self.selection(0, 3)),
            (.init(spatial: -1, temporal: -5), Self.selection(0, 0)),
        ]
        for (limits, expected) in cases {
            var allocator = LayerAllocator()
            let allocation = allocator.allocate([Self.video(1, limits: limits)], target: .kilobits(9_000), now: .zero)
            #expect(allocation.decisions.first?.selection == expected, "\(limits)")
        }
    }

    @Test("The largest encoding that the limits permit need not be active")
    func permitted() {
        let cases: [(AllocatedTrack.Limits, active: Int, all: Int)] = [
            (.init(), 2, 2), (.init(spatial: 1), 1, 1), (.init(spatial: 7), 2, 2), (.init(spatial: -1), 0, 0),
            (.init(height: 200), 2, 1), (.init(height: 100), 0, 0), (.init(height: 4_000), 2, 2),
            (.init(maximumHeight: 400), 1, 1), (.init(maximumHeight: 100), 0, 0),
            (.init(spatial: 1, height: 720), 1, 1), (.init(height: 200, maximumHeight: 200), 0, 0),
        ]
        var encodings = Self.simulcast
        encodings[1].isActive = false
        for (limits, active, all) in cases {
            let track = Self.video(1, limits: limits, encodings: encodings)
            #expect(track.highestPermitted(countsInactive: false) == active, "\(limits)")
            #expect(track.highestPermitted(countsInactive: true) == all, "\(limits)")
        }
        #expect(Self.video(1, encodings: []).highestPermitted(countsInactive: true) == 0)
    }

    @Test("SES-8 encodings of unknown height are not sent under a limit if a smaller one exists")
    func unknownHeights() {
        var encodings = Self.simulcast
        encodings[1].height = 0
        encodings[2].height = 0
        var allocator = LayerAllocator()
        var allocation = allocator.allocate(
            [Self.video(1, limits: .init(maximumHeight: 720), encodings: encodings)], target: .kilobits(9_000),
            now: .zero)
        #expect(allocation.decisions.first?.selection == Self.selection(0, 3))
        // The only encoding that is received is sent, whatever its size.
        encodings[0].isActive = false
        encodings[1].isActive = false
        allocator = LayerAllocator()
        allocation = allocator.allocate(
            [Self.video(1, limits: .init(maximumHeight: 180), encodings: encodings)], target: .kilobits(9_000),
            now: .zero)
        #expect(allocation.decisions.first?.selection == Self.selection(2, 3))
    }

    @Test func encodingsThatComeAndGo() {
        var allocator = LayerAllocator()
        var encodings = Self.simulcast
        func allocate(at seconds: Double) -> LayerAllocation.Decision? {
            allocator.allocate([Self.video(1, encodings: encodings)], target: .kilobits(5_000), now: .seconds(seconds))
                .decisions.first
        }
        #expect(allocate(at: 0)?.selection == Self.selection(2, 3))
        encodings[2].isActive = false
        #expect(allocate(at: 1)?.selection == Self.selection(1, 3))
        encodings[1].isActive = false
        encodings[0].isActive = false
        #expect(allocate(at: 2)?.selection == nil)
        #expect(allocate(at: 2)?.isPausedByBandwidth == false)
        encodings = Self.simulcast
        #expect(allocate(at: 10)?.selection == Self.selection(2, 3))
    }

    @Test func moreWantedTracksGoFirst() {
        var allocator = LayerAllocator()
        let tracks = [
            Self.video(1), Self.video(2, priority: 5), Self.video(3, limits: .init(height: 720)), Self.audio,
        ]
        func selections(_ kilobits: Int64, at seconds: Double) -> [LayerSelection?] {
            allocator.allocate(tracks, target: .kilobits(kilobits), now: .seconds(seconds)).decisions.map(\.selection)
        }
        #expect(selections(120, at: 0) == [nil, Self.selection(0, 0), nil])
        // Each track is sent at all before one is sent large; of equal priority the one that is displayed larger comes first.
        #expect(selections(190, at: 20) == [nil, Self.selection(0, 0), Self.selection(0, 0)])
        #expect(selections(2_500, at: 40) == [Self.selection(0, 3), Self.selection(2, 3), Self.selection(0, 3)])
    }

    @Test func tracksOfOnePriorityShareAlike() {
        var allocator = LayerAllocator()
        let tracks = (1...4).map { Self.video($0) }
        let selections = allocator.allocate(tracks, target: .kilobits(2_500), now: .zero).decisions.map(\.selection)
        #expect(selections == [LayerSelection?](repeating: Self.selection(1, 3), count: 4))
    }

    @Test func downAtOnceAndUpLater() {
        var allocator = LayerAllocator()
        func step(_ kilobits: Int64, at seconds: Double) -> LayerAllocation.Decision? {
            allocator.allocate([Self.video(1)], target: .kilobits(kilobits), now: .seconds(seconds)).decisions.first
        }
        #expect(step(2_100, at: 0)?.selection == Self.selection(2, 3))
        let down = step(600, at: 0.1)
        #expect(down?.selection == Self.selection(1, 3) && down?.change == .down)
        #expect(step(1_300, at: 0.2)?.change == LayerAllocation.Change.none)
        #expect(step(1_300, at: 1.0)?.selection == Self.selection(1, 3))
        let up = step(1_300, at: 1.2)
        #expect(up?.selection == Self.selection(2, 1) && up?.change == .up)
        // The upgrade exceeded the path, so the next attempt waits longer.
        #expect(step(600, at: 1.3)?.change == .down)
        #expect(step(1_300, at: 3.2)?.change == LayerAllocation.Change.none)
        #expect(step(1_300, at: 3.4)?.change == .up)
        #expect(step(600, at: 3.5)?.change == .down)
        #expect(step(1_300, at: 7.4)?.change == LayerAllocation.Change.none)
        #expect(step(1_300, at: 7.6)?.change == .up)
        // With plenty of bandwidth there is no reason to wait.
        #expect(step(600, at: 7.7)?.change == .down)
        #expect(step(6_000, at: 7.8)?.selection == Self.selection(2, 3))
    }

    @Test func theLeastWantedIsPausedAndComesBack() throws {
        var allocator = LayerAllocator()
        let single = [AllocatedTrack.Encoding(bitrates: [.kilobits(800)])]
        let tracks = [Self.video(1, priority: 1, encodings: single), Self.video(2, encodings: single), Self.audio]
        func step(_ kilobits: Int64, at seconds: Double) -> LayerAllocation {
            allocator.allocate(tracks, target: .kilobits(kilobits), now: .seconds(seconds))
        }
        #expect(step(2_000, at: 0).decisions.map { $0.selection == nil } == [false, false])
        let cut = step(900, at: 1)
        #expect(cut.decisions.map(\.change) == [.none, .paused])
        #expect(cut.decisions.map(\.isPausedByBandwidth) == [false, true])
        let next = try #require(cut.next)
        #expect(cut.wanted == next)
        let back = step(next.rawValue / 1_000 + 1, at: 3)
        #expect(back.decisions.map(\.change) == [.none, .resumed])
        #expect(back.next == nil && back.wanted == .kilobits(1_640))
    }

    @Test func aSlightShortfallDoesNotPauseAtOnce() {
        var allocator = LayerAllocator()
        let tracks = [Self.video(1, encodings: [.init(bitrates: [.kilobits(1_000)])])]
        func isSent(_ kilobits: Int64, at seconds: Double) -> Bool {
            allocator.allocate(tracks, target: .kilobits(kilobits), now: .seconds(seconds)).decisions[0].selection
                != nil
        }
        #expect(isSent(1_300, at: 0))
        #expect(isSent(900, at: 1) && isSent(900, at: 2.9))
        #expect(!isSent(900, at: 3.1))
        #expect(isSent(1_200, at: 6))
        #expect(!isSent(600, at: 7))
    }

    /// Returns random tracks of a subscriber.
    static func anyTracks(_ random: inout SeededGenerator) -> [AllocatedTrack] {
        (0..<(1 + random.below(8))).map { id in
            if random.below(4) == 0 {
                return AllocatedTrack(
                    id: id, kind: .audio, encodings: [.init(bitrates: [.kilobits(Int64(random.below(80)))])])
            }
            var rate: Int64 = 20 + Int64(random.below(200))
            let encodings = (0..<(1 + random.below(4))).map { index in
                var rates: [Bitrate] = []
                for _ in 0..<(1 + random.below(4)) {
                    rate += Int64(random.below(300))
                    rates.append(.kilobits(rate))
                }
                return AllocatedTrack.Encoding(
                    isActive: random.below(6) != 0, height: random.below(2) == 0 ? 0 : 90 << index, bitrates: rates)
            }
            let limits = AllocatedTrack.Limits(
                spatial: random.below(3) == 0 ? random.below(4) : nil,
                temporal: random.below(3) == 0 ? random.below(4) : nil,
                encoding: random.below(8) == 0 ? random.below(4) : nil,
                height: random.below(2) == 0 ? 0 : random.below(800))
            return video(id, priority: random.below(3), limits: limits, encodings: encodings)
        }
    }

    static func cost(_ tracks: [AllocatedTrack], _ allocation: LayerAllocation) -> Int64 {
        var sum: Int64 = 0
        for track in tracks where track.kind == .audio { sum += track.encodings[0].bitrates[3] }
        for decision in allocation.decisions {
            guard let selection = decision.selection, let track = tracks.first(where: { $0.id == decision.id }) else {
                continue
            }
            sum += track.encodings[selection.encoding].bitrates[Int(selection.temporal)]
        }
        return sum
    }

    @Test("Any tracks, any targets: within the target and the limits", arguments: 0..<200 as Range<UInt64>)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var configuration = LayerAllocator.Configuration()
        configuration.grace = .zero
        var allocator = LayerAllocator(configuration)
        var again = LayerAllocator(configuration)
        var tracks = Self.anyTracks(&random)
        for step in 0..<60 {
            if random.below(10) == 0 { tracks = Self.anyTracks(&random) }
            let target = Bitrate.kilobits(Int64(random.below(6_000)))
            let now = MediaTime.milliseconds(Int64(step) * 300)
            let allocation = allocator.allocate(tracks, target: target, now: now)
            let audio = tracks.reduce(0) { $0 + ($1.kind == .audio ? $1.encodings[0].bitrates[3] : 0) }
            let cost = Self.cost(tracks, allocation)
            #expect(allocation.used.rawValue == cost)
            #expect(cost <= max(target.rawValue, audio))
            #expect(allocation.decisions.map(\.id) == tracks.filter { $0.kind == .video }.map(\.id))
            #expect(allocation.wanted.rawValue >= cost)
            if let next = allocation.next { #expect(next <= allocation.wanted && next.rawValue > cost) }
            let same = again.allocate(tracks, target: target, now: now)
            #expect(same.decisions.map(\.selection) == allocation.decisions.map(\.selection))
            for decision in allocation.decisions {
                guard let selection = decision.selection, let track = tracks.first(where: { $0.id == decision.id })
                else {
                    continue
                }
                #expect(track.encodings[selection.encoding].isActive)
                if let fixed = track.limits.encoding { #expect(selection.encoding == fixed) }
                if let highest = track.limits.temporal { #expect(selection.temporal <= highest) }
                let smallest = track.encodings.firstIndex(where: \.isActive) ?? 0
                if let highest = track.limits.spatial, track.limits.encoding == nil {
                    #expect(selection.encoding <= max(highest, smallest))
                }
            }
        }
    }

    @Test("More bandwidth never selects less", arguments: 0..<100 as Range<UInt64>)
    func monotone(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let tracks = Self.anyTracks(&random)
        var used: Int64 = 0
        var wanted: Bitrate?
        for kilobits in stride(from: 0 as Int64, through: 8_000, by: 50) {
            var allocator = LayerAllocator()
            let allocation = allocator.allocate(tracks, target: .kilobits(kilobits), now: .zero)
            #expect(allocation.used.rawValue >= used)
            used = allocation.used.rawValue
            if let wanted, kilobits * 1_000 >= wanted.rawValue { #expect(allocation.next == nil) }
            if allocation.next != nil { wanted = allocation.wanted }
        }
    }

    @Test("A noisy target does not make layers flap", arguments: [300, 420, 620, 850, 1_300, 1_600, 2_000] as [Int64])
    func noise(kilobits: Int64) {
        var random = SeededGenerator(seed: UInt64(kilobits))
        var allocator = LayerAllocator()
        var changes = 0
        for step in 0..<600 {
            // 12 % either way, a new value every 100 ms, for a minute.
            let noise = 0.88 + 0.24 * Double(random.below(1_000)) / 1_000
            let target = Bitrate.kilobits(Int64(Double(kilobits) * noise))
            let allocation = allocator.allocate(
                [Self.audio, Self.video(1)], target: target, now: .milliseconds(Int64(step) * 100))
            if step > 100, allocation.decisions[0].change != .none { changes += 1 }
        }
        #expect(changes <= 12, "\(changes) changes in 50 s")
    }
}
