import Conference
import MediaBase
import MillraceTestKit
import SessionTestKit
import Signaling
import Testing

@testable import SessionMedia

@Suite("Media of a session with a slow and unreliable engine")
struct SessionMediaPropertyTests {
    /// Random activity of clients and of the engine.
    private struct Driver {
        var random: SeededGenerator
        func pick<T>(_ all: [T], _ random: inout SeededGenerator) -> T? {
            all.isEmpty ? nil : all[random.below(all.count)]
        }

        mutating func step(_ world: MediaWorld) {
            let ids = world.clients.keys.sorted { $0.rawValue < $1.rawValue }
            let streams = world.conference.streams.map(\.id)
            let id = pick(ids, &random)
            switch random.below(110) {
            case 0..<6: if ids.count < 7 { _ = world.join(random.below(3) == 0 ? .all : .publishing) }
            case 6..<7: if let id, ids.count > 3 { world.leave(id) }
            case 7..<14: if let id { publish(id, world) }
            case 14..<28:
                guard let id, let stream = pick(streams, &random) else { return }
                subscribe(id, stream, world)
            case 28..<38:
                guard let id else { return }
                let isStrange = random.below(40)
                world.answer(
                    id, refusing: random.below(4) == 0 ? 1 : 0, certificate: isStrange == 0 ? 10 : 9,
                    revision: isStrange == 1 ? 1_000 : nil)
            case 38..<42: if let id { mute(id, pick(streams, &random), world) }
            case 42..<48: if let id { move(id, world) }
            case 48..<50:
                guard let id, random.below(4) == 0 else { return }
                world.media.restartSubscriber(of: id, world.begin(.other))
                world.drain()
            case 50..<52:
                if let peer = pick(world.engine.peers.keys.sorted { $0.rawValue < $1.rawValue }, &random),
                    random.below(12) == 0
                {
                    world.engine.lose(peer)
                }
            case 52..<60: world.pass(.milliseconds(Int64(random.below(30))))
            case 60..<66: world.deliverEvent(random.below(max(world.engine.events.count, 1)))
            case 66..<84: for _ in 0..<3 { world.engine.run() }
            case 100..<107: visit(world)
            case 107..<110: if let peer = pick(world.visitingPeers, &random) { world.close(peer) }
            default:
                for _ in 0..<3 { world.deliver(random.below(max(world.engine.answers.count, 1))) }
            }
        }

        /// A client without a control connection asks to enter: a publisher under one of few names, or a subscriber.
        private mutating func visit(_ world: MediaWorld) {
            guard world.visitingPeers.count < 6 else { return }
            let kinds: Set<MediaKind> = [[.audio], [.video], [.audio, .video]][random.below(3)]
            let purpose: MediaVisitor.Purpose =
                random.below(3) == 0
                ? .subscribe : .publish(StreamID(rawValue: "name\(random.below(3))"), kinds)
            world.visit(purpose, isPlain: random.below(2) == 0, isTrusted: random.below(5) > 0)
        }

        private mutating func publish(_ id: ConnectionID, _ world: MediaWorld) {
            if random.below(8) == 0 { world.clients[id]?.certificate += 1 }
            let own = world.clients[id]?.streams.filter { world.conference.isPublished($0) } ?? []
            let types = own.compactMap { world.conference.origin(of: $0)?.videoType }
            let new = [VideoType.camera, .screen].filter { !types.contains($0) && random.below(2) == 0 }
            world.publish(id, keeping: own.filter { _ in random.below(4) > 0 }, new: new)
        }

        private mutating func subscribe(_ id: ConnectionID, _ stream: StreamID, _ world: MediaWorld) {
            switch random.below(4) {
            case 0: world.request(UnsubscribeRequest(stream: stream), id)
            case 1:
                let preferences = SubscriptionPreferences(height: 1 + random.below(500))
                world.request(UpdateSubscriptionRequest(stream: stream, preferences: preferences), id)
            default: world.request(SubscribeRequest(stream: stream), id)
            }
        }

        private mutating func mute(_ id: ConnectionID, _ stream: StreamID?, _ world: MediaWorld) {
            let host = world.conference.host ?? id
            switch random.below(5) {
            case 0: world.request(ForceMuteAllRequest(excluding: []), host)
            case 1: world.request(DisableForceMuteRequest(), host)
            case 2: if let stream { world.request(ForceMuteStreamRequest(stream: stream), host) }
            default:
                guard let stream, let owner = world.conference.stream(stream)?.connection,
                    world.clients[owner] != nil
                else { return }
                world.request(
                    SetMutedRequest(
                        stream: stream, kind: random.below(2) == 0 ? .audio : .video, isMuted: random.below(3) > 0),
                    owner)
            }
        }

        private mutating func move(_ id: ConnectionID, _ world: MediaWorld) {
            if let host = world.conference.host, random.below(20) == 0 || world.conference.subsessionList.isEmpty {
                world.request(CommitSubsessionsRequest(names: ["one", "two"]), host)
                world.request(StartSubsessionsRequest(), host)
                if random.below(6) == 0 { world.request(StopSubsessionsRequest(), host) }
            }
            guard random.below(3) == 0, let target = pick(world.conference.subsessionList, &random) else {
                return world.move(ReturnToMainSessionRequest(), id)
            }
            world.move(JoinSubsessionRequest(subsession: target.id), id)
        }
    }

    private func run(_ seed: UInt64, _ world: MediaWorld, steps: Int) {
        var driver = Driver(random: SeededGenerator(seed: seed &* 31))
        for step in 0..<steps where !world.conference.isEnded {
            driver.step(world)
            world.check()
            guard world.faults.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(world.faults.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test(
        "SUB-3 USR-8 STR-6 each request is answered once, mutes and moves are in force before they are reported, and nothing remains",
        arguments: 1...16)
    func lateAnswers(_ seed: UInt64) throws {
        let world = try MediaWorld(seed: seed)
        world.engine.refusals = [0, 3, 15][Int(seed % 3)]
        _ = world.join(.all)
        run(seed, world, steps: 1_500)
        world.settle()
        world.check()
        #expect(world.faults == [])
        #expect(world.open.isEmpty, "requests without an answer: \(world.open)")
        for id in Array(world.clients.keys) { world.leave(id) }
        world.perform(world.conference.end(.sessionEnded))
        world.settle()
        #expect(world.faults == [])
        #expect(world.open.isEmpty && world.leases.isEmpty)
        #expect(world.engine.peers.isEmpty && world.engine.streams.isEmpty)
        #expect(world.media.isEmpty)
    }

    @Test("STR-6 requests to an engine that no longer answers end with their clients", arguments: 1...8)
    func noAnswers(_ seed: UInt64) throws {
        let world = try MediaWorld(seed: seed)
        world.engine.silence = 5
        _ = world.join(.all)
        run(seed, world, steps: 1_500)
        world.settle()
        for id in Array(world.clients.keys) { world.leave(id) }
        world.perform(world.conference.end(.sessionEnded))
        world.settle()
        #expect(world.faults == [])
        #expect(world.open.isEmpty && world.leases.isEmpty && world.media.visitingSubscribers.isEmpty)
        #expect(world.media.members.isEmpty && world.media.peers.isEmpty && world.media.owners.isEmpty)
        #expect(world.media.kinds.isEmpty && world.media.barriers.isEmpty && world.media.offers.isEmpty)
        #expect(world.media.tickets.count <= world.engine.silent)
    }

    @Test("the random runs publish, subscribe, move and enter without a control connection with success")
    func coverage() throws {
        var connected = 0
        var counts: [String: Int] = [:]
        for seed: UInt64 in 1...6 {
            let world = try MediaWorld(seed: seed)
            _ = world.join(.all)
            run(seed, world, steps: 1_500)
            counts.merge(world.successes) { $0 + $1 }
            connected += world.reports.count { if case .subscribed = $0 { true } else { false } }
        }
        #expect(counts["publish", default: 0] > 100, "\(counts)")
        #expect(counts["move", default: 0] > 100, "\(counts)")
        #expect(connected > 50, "\(connected)")
        for kind in ["plain", "WebRTC"] {
            #expect(counts["\(kind) true", default: 0] > 20 && counts["\(kind) false", default: 0] > 20, "\(counts)")
        }
    }
}

extension Capabilities {
    static let publishing = Capabilities(canPublish: true)
    static let all = Capabilities(
        canPublish: true, canSubscribe: true, canForceMute: true, canForceDisconnect: true, canHost: true)
}
