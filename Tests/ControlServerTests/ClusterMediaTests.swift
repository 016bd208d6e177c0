import Conference
import MediaBase
import MediaEngine
import MillraceTestKit
import SessionMedia
import Signaling
import Testing

@testable import ControlServer

@Suite("CLU-2: media of a session over several relays")
struct ClusterMediaTests {
    private static let (b, c) = (MediaRelay.edge(ClusterWorld.edges[0]), MediaRelay.edge(ClusterWorld.edges[1]))

    private func stream(_ name: String) -> StreamID { StreamID(rawValue: name) }

    @Test("without a cluster each order is one call to this relay, and nothing waits for time")
    func alone() {
        let world = ClusterWorld(seed: 1)
        world.publish([stream("s")], at: .home)
        world.subscribe(at: .home)
        world.run(for: .milliseconds(20))
        world.order(.setMuted(stream("s"), .audio, true))
        world.order(.relocate(world.peers.mapValues { _ in .subsession(SubsessionID(rawValue: "x")) }))
        world.run(for: .milliseconds(20))
        #expect(world.open.isEmpty && world.refusals.isEmpty)
        #expect(world.media.deadline == .never)
        #expect(world.relays[.home]?.senders.isEmpty == true)
    }

    @Test("streams of each relay reach the relays with subscribers and the home relay, and nothing remains afterwards")
    func mirrors() {
        let world = ClusterWorld(seed: 2)
        world.publish([stream("s"), stream("t")], at: Self.b)
        world.publish([stream("u")], at: .home)
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        world.checkMirrors()
        #expect(world.relays[Self.c]?.receivers.count == 2)
        #expect(world.relays[.home]?.receivers.count == 1)
        #expect(world.relays[Self.b]?.receivers.isEmpty == true)
        let gauges = ClusterMediaGauges(routes: world.media.routes)
        #expect([gauges.pipesIn, gauges.pipesOut, gauges.pipesBetween] == [1, 1, 1])
        for peer in Array(world.peers.keys) { world.close(peer) }
        world.run(for: .seconds(30))
        #expect(world.faults == [] && world.refusals.isEmpty && world.open.isEmpty)
        #expect(world.relays.values.allSatisfy { $0.receivers.isEmpty && $0.senders.isEmpty && $0.peers.isEmpty })
        #expect(Set(world.released) == Set(ClusterWorld.edges))
        #expect(world.media.deadline == .never && world.media.routes.isEmpty)
    }

    @Test("a stream that is published again at another relay waits for the end of its mirrors there", arguments: 1...20)
    func publishedElsewhere(_ seed: UInt64) throws {
        let world = ClusterWorld(seed: UInt64(seed))
        world.publish([stream("s")], at: Self.b)
        world.publish([stream("t")], at: Self.b)
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        let peer = try #require(world.peers.first { $0.value.streams == [stream("s")] }?.key)
        world.close(peer)
        world.publish([stream("s")], at: Self.c)
        world.run(for: .seconds(3))
        world.checkMirrors()
        #expect(world.refusals.isEmpty && world.faults == [] && world.open.isEmpty)
        #expect(world.media.origin(of: stream("s")) == Self.c)
    }

    @Test("a pipe that begins during a move has the streams in their new locations only", arguments: 1...20)
    func subscribedDuringMove(_ seed: UInt64) throws {
        let world = ClusterWorld(seed: seed)
        world.publish([stream("s")], at: Self.b)
        world.subscribe(at: .home)
        world.run(for: .seconds(1))
        let peer = try #require(world.peers.first { !$0.value.streams.isEmpty }?.key)
        world.order(.relocate([peer: .subsession(SubsessionID(rawValue: "x"))]))
        world.run(for: .microseconds(Int64(seed) * 400))
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        world.checkMirrors()
        #expect(world.faults == [] && world.open.isEmpty)
        #expect(world.relays[Self.c]?.receivers.values.first?.mirrors["s"]?.subsession == "x")
    }

    @Test("an answer that comes after the end of its peer leaves nothing behind")
    func lateAnswer() throws {
        let world = ClusterWorld(seed: 5)
        world.publish([stream("s")], at: Self.b)
        world.run(for: .seconds(1))
        let peer = try #require(world.peers.keys.first)
        world.update(peer, [stream("s"), stream("t")])
        world.media.gone(peer, now: world.now)
        world.peers[peer] = nil
        world.run(for: .seconds(40))
        #expect(world.media.origin(of: stream("t")) == .home)
        #expect(world.released == [ClusterWorld.edges[0]] && world.media.deadline == .never)
    }

    @Test("peers that end without an order, such as those of clients without a control connection, need no pipes")
    func endedPeers() throws {
        let world = ClusterWorld(seed: 8)
        world.publish([stream("s")], at: .home)
        world.subscribe(at: Self.b)
        world.run(for: .seconds(1))
        #expect(world.relays[Self.b]?.receivers.count == 1)
        for peer in Array(world.peers.keys) { world.end(peer) }
        world.run(for: .seconds(30))
        #expect(world.relays[Self.b]?.receivers.isEmpty == true && world.relays[.home]?.senders.isEmpty == true)
        #expect(world.released == [ClusterWorld.edges[0]] && world.media.deadline == .never)
    }

    @Test("a subscriber without a control connection opens at its relay when that has the stream", arguments: 1...20)
    func visitingSubscriber(_ seed: UInt64) {
        let world = ClusterWorld(seed: seed)
        world.visit(publishing: stream("s"), at: Self.b)
        world.run(for: .microseconds(Int64(seed) * 300))
        world.visit(wanting: stream("s"), at: Self.c)
        world.visit(wanting: stream("s"), at: Self.b)
        world.run(for: .seconds(1))
        #expect(world.refusals.isEmpty && world.open.isEmpty && world.faults == [])
        let relays = world.peers.values.filter(\.streams.isEmpty).map(\.relay)
        #expect(Set(relays) == [Self.b, Self.c] && relays.count == 2)
        #expect(world.relays[Self.c]?.receivers.values.first?.mirrors.keys.contains("s") == true)
        for peer in Array(world.peers.keys) { world.close(peer) }
        world.run(for: .seconds(30))
        #expect(world.relays.values.allSatisfy { $0.receivers.isEmpty && $0.senders.isEmpty && $0.peers.isEmpty })
        #expect(Set(world.released) == Set(ClusterWorld.edges) && world.media.deadline == .never)
    }

    @Test("the home relay answers for a stream that does not exist, and for one whose pipe cannot be opened in time")
    func visitingSubscriberAtHome() {
        let world = ClusterWorld(seed: 11)
        world.visit(wanting: stream("none"), at: Self.c)
        world.run(for: .seconds(1))
        #expect(world.refusals == [.unknownStream("none")])
        world.visit(publishing: stream("s"), at: Self.b)
        world.run(for: .seconds(1))
        world.relays[Self.c]?.refusals = 100
        world.visit(wanting: stream("s"), at: Self.c)
        world.run(for: .seconds(3))
        #expect(world.open.count == 1)
        world.run(for: .seconds(2))
        #expect(world.open.isEmpty && world.refusals.count == 1)
        #expect(world.peers.values.filter(\.streams.isEmpty).map(\.relay) == [.home])
        // The other relay has no subscriber, so it needs no pipe.
        world.run(for: .seconds(30))
        #expect(world.media.routes.allSatisfy { $0.to == .home })
        #expect(world.released == [ClusterWorld.edges[1]])
    }

    @Test("a subscriber whose relay is lost before it has the stream opens at the home relay")
    func visitingSubscriberOfLostRelay() {
        let world = ClusterWorld(seed: 12)
        world.visit(publishing: stream("s"), at: .home)
        world.run(for: .seconds(1))
        world.visit(wanting: stream("s"), at: Self.c)
        world.media.lost(ClusterWorld.edges[1], now: world.now)
        world.run(for: .seconds(1))
        #expect(world.peers.values.map(\.relay) == [.home, .home] && world.refusals.isEmpty)
        #expect(world.media.routes.isEmpty)
    }

    @Test("a relay cannot describe streams that are published elsewhere")
    func strangeStreams() throws {
        let world = ClusterWorld(seed: 6)
        world.publish([stream("s")], at: Self.b)
        world.relays[Self.b]?.addStream("stolen")
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        #expect(world.relays[Self.c]?.receivers.values.first.map { Set($0.mirrors.keys) } == ["s"])
        let peer = try #require(world.peers.first { !$0.value.streams.isEmpty }?.key)
        #expect(world.media.mayReport(Self.b, peer) && !world.media.mayReport(Self.c, peer))
    }

    @Test("a relay that does not answer is lost after eight seconds: its peers end, orders are settled, others go on")
    func lostRelay() throws {
        let world = ClusterWorld(seed: 3)
        world.publish([stream("s")], at: Self.b)
        world.publish([stream("t")], at: Self.c)
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        world.silent = [Self.b]
        world.order(.setMuted(stream("s"), .audio, true))
        world.order(.setMuted(stream("t"), .audio, true))
        world.run(for: .seconds(7))
        #expect(world.open.count == 1 && world.lost.isEmpty)
        world.run(for: .seconds(2))
        #expect(world.lost == [ClusterWorld.edges[0]])
        #expect(world.open.isEmpty && world.refusals.isEmpty)
        #expect(world.peers.values.allSatisfy { $0.relay == Self.c })
        world.run(for: .seconds(1))
        world.checkMirrors()
        #expect(world.faults == [])
    }

    @Test("an answer that does not fit its order ends the relay's link, and the order is refused")
    func wrongAnswer() {
        var media = ClusterMedia()
        let order = MediaOrder.openSubscriber(ConnectionID(rawValue: "c"), isNative: false)
        media.order(MediaTicket(rawValue: 1), order, at: Self.b, now: .zero)
        guard case .call(let id, Self.b, _) = media.takeOutputs().first else {
            Issue.record("no call")
            return
        }
        // Another relay cannot answer for this one.
        media.answered(id, .success(.media(.done)), by: Self.c, now: .zero)
        #expect(media.takeOutputs().isEmpty)
        media.answered(id, .success(.media(.done)), by: Self.b, now: .zero)
        let outputs = media.takeOutputs()
        let isRefused = outputs.contains { if case .settled(_, _, .failure) = $0 { true } else { false } }
        let isLost = outputs.contains { if case .lost(ClusterWorld.edges[0], []) = $0 { true } else { false } }
        #expect(isRefused && isLost)
    }

    /// Random orders of clients at all relays.
    private func step(_ world: ClusterWorld) {
        let relay = world.all[world.random.below(3)]
        let publishers = world.peers.filter { !$0.value.streams.isEmpty }.sorted { $0.key.rawValue < $1.key.rawValue }
        let peers = world.peers.keys.sorted { $0.rawValue < $1.rawValue }
        switch world.random.below(10) {
        case 0, 1:
            guard peers.count < 14 else { break }
            // Names are used again, after their publishers have left.
            let name = stream("s\(world.random.below(12))")
            let isUsed =
                world.peers.values.contains { $0.streams.contains(name) }
                || world.open.values.contains { $0.publishedStreams.contains(name) }
            guard !isUsed else { break }
            if world.random.below(2) == 0 {
                world.publish([name], at: relay)
            } else {
                world.visit(publishing: name, at: relay)
            }
        case 2: if peers.count < 14 { world.subscribe(at: relay) }
        case 3: if !peers.isEmpty { world.close(peers[world.random.below(peers.count)]) }
        case 4, 5:
            guard !publishers.isEmpty else { break }
            let stream = publishers[world.random.below(publishers.count)].value.streams[0]
            world.order(.setMuted(stream, .audio, world.random.below(3) > 0))
        case 6, 7, 8:
            let moving = peers.filter { _ in world.random.below(3) == 0 }
            let subsession = ["", "x", "y"][world.random.below(3)]
            let location = Location(subsession.isEmpty ? nil : SubsessionID(rawValue: subsession))
            if !moving.isEmpty {
                world.order(.relocate(Dictionary(uniqueKeysWithValues: moving.map { ($0, location) })))
            }
        default:
            if peers.count < 14 { world.visit(wanting: stream("s\(world.random.below(12))"), at: relay) }
            world.run(for: .milliseconds(Int64(world.random.below(400))))
        }
        world.run(for: .microseconds(Int64(world.random.below(9_000))))
    }

    @Test(
        "mutes are in force at all relays before they are reported, and no relay forwards a stream where its publisher has left",
        arguments: 1...40)
    func randomRuns(_ seed: UInt64) {
        let world = ClusterWorld(seed: seed)
        if seed % 4 == 0 { for relay in world.all { world.relays[relay]?.refusals = 10 } }
        for _ in 0..<250 where world.faults.isEmpty { step(world) }
        if seed % 5 == 0 { world.silent = [Self.c] }
        for relay in world.all { world.relays[relay]?.refusals = 0 }
        world.subscribe(at: Self.c)
        world.run(for: .seconds(20))
        world.checkMirrors()
        #expect(world.faults == [])
        #expect(world.open.isEmpty, "orders without an outcome: \(world.open)")
        #expect(world.lost == (seed % 5 == 0 ? [ClusterWorld.edges[1]] : []))
        for peer in Array(world.peers.keys) { world.close(peer) }
        world.run(for: .seconds(40))
        for relay in world.all where !world.silent.contains(relay) {
            #expect(world.relays[relay]?.receivers.isEmpty == true && world.relays[relay]?.senders.isEmpty == true)
            #expect(world.relays[relay]?.peers.isEmpty == true)
        }
        #expect(world.media.deadline == .never && world.open.isEmpty)
    }

    @Test("the random runs mirror, mute and move with success")
    func coverage() {
        var (mirrored, withheld) = (0, 0)
        for seed: UInt64 in 1...10 {
            let world = ClusterWorld(seed: seed)
            for _ in 0..<250 {
                step(world)
                for model in world.relays.values {
                    let mirrors = model.receivers.values.flatMap(\.mirrors.values)
                    mirrored += mirrors.count
                    withheld += mirrors.count { $0.isWithheld }
                }
            }
        }
        #expect(mirrored > 2_000 && withheld > 100, "\(mirrored), \(withheld)")
    }
}
