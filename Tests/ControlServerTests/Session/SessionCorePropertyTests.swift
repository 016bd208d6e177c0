import Conference
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@testable import ControlServer
@testable import SessionMedia

@Suite("A whole session in virtual time, with a slow engine, a slow store and clients that come and go")
struct SessionCorePropertyTests {
    /// Random activity of clients, engine and store.
    private struct Driver {
        var random: SeededGenerator

        private mutating func pick<T>(_ all: [T]) -> T? { all.isEmpty ? nil : all[random.below(all.count)] }

        mutating func step(_ world: SessionWorld) throws {
            let ids = world.clients.keys.sorted { $0.rawValue < $1.rawValue }
            let streams = world.core.conference.streams.map(\.id)
            switch random.below(130) {
            case 0..<5: if ids.count < 7 { try world.join() }
            case 5..<6: if let id = pick(ids), ids.count > 3 { world.request(LeaveRequest(), id) }
            case 6..<16: if let id = pick(ids) { publish(id, world) }
            case 16..<30: if let id = pick(ids), let stream = pick(streams) { subscribe(id, stream, world) }
            case 30..<40: if let id = pick(ids) { world.answer(id) }
            case 40..<46: if let id = pick(ids) { mute(id, pick(streams), world) }
            case 46..<52: if let id = pick(ids) { move(id, world) }
            case 52..<54: if let id = pick(ids) { world.lose(id) }
            case 54..<60: if let id = pick(ids) { world.resume(id) }
            case 60..<62: if let id = pick(ids) { world.request(StatisticsRequest(), id) }
            case 62..<63: if let id = pick(ids) { world.request(ReportIssueRequest(note: "a note"), id) }
            case 63..<64: world.turn { $0.heard(.missed(session: nil), from: .home) }
            case 64..<66: if random.below(3) == 0 { visit(world) }
            case 66..<67:
                if let peer = pick(world.engine.peers.keys.sorted(by: { $0.rawValue < $1.rawValue })),
                    random.below(6) == 0
                {
                    world.engine.lose(peer)
                }
            case 67..<74: world.pass(.milliseconds(Int64(random.below(30))))
            case 74..<80: world.deliverEvent(random.below(max(world.engine.events.count, 1)))
            case 80..<98: for _ in 0..<3 { world.engine.run() }
            case 98..<102:
                world.answerQuestion(random.below(max(world.questions.count, 1)), busy: random.below(4) == 0)
            case 102..<112: world.finishSave(random.below(6) == 0 ? .failed : .saved)
            case 112..<114: world.keepIssue()
            default: for _ in 0..<3 { world.deliver(random.below(max(world.engine.answers.count, 1))) }
            }
        }

        private mutating func publish(_ id: ConnectionID, _ world: SessionWorld) {
            let own = world.clients[id]?.streams.filter { world.core.conference.isPublished($0) } ?? []
            let types = own.compactMap { world.core.conference.origin(of: $0)?.videoType }
            var keeping: [StreamID] = []
            for stream in own where random.below(4) > 0 { keeping.append(stream) }
            var new: [VideoType] = []
            for type in [VideoType.camera, .screen] where !types.contains(type) && random.below(2) == 0 {
                new.append(type)
            }
            world.publish(id, keeping: keeping, new: new)
        }

        private mutating func subscribe(_ id: ConnectionID, _ stream: StreamID, _ world: SessionWorld) {
            switch random.below(4) {
            case 0: world.request(UnsubscribeRequest(stream: stream), id)
            case 1:
                let preferences = SubscriptionPreferences(height: 1 + random.below(500))
                world.request(UpdateSubscriptionRequest(stream: stream, preferences: preferences), id)
            default: world.request(SubscribeRequest(stream: stream), id)
            }
        }

        private mutating func mute(_ id: ConnectionID, _ stream: StreamID?, _ world: SessionWorld) {
            let host = world.core.conference.host ?? id
            func checkAll() {
                for stream in world.core.conference.streams {
                    for kind in world.core.conference.origin(of: stream.id)?.muted ?? [] {
                        world.checkMute(of: MutedTrack(stream: stream.id, kind: kind))
                    }
                }
            }
            switch random.below(5) {
            case 0: world.request(ForceMuteAllRequest(excluding: []), host, whenAnswered: checkAll)
            case 1: world.request(DisableForceMuteRequest(), host)
            case 2:
                if let stream { world.request(ForceMuteStreamRequest(stream: stream), host, whenAnswered: checkAll) }
            default:
                guard let stream, let owner = world.core.conference.stream(stream)?.connection else { return }
                let kind: TrackKind = random.below(2) == 0 ? .audio : .video
                let isMuted = random.below(3) > 0
                world.request(SetMutedRequest(stream: stream, kind: kind, isMuted: isMuted), owner) {
                    if isMuted { world.checkMute(of: MutedTrack(stream: stream, kind: kind)) }
                }
            }
        }

        private mutating func move(_ id: ConnectionID, _ world: SessionWorld) {
            if let host = world.core.conference.host,
                random.below(20) == 0 || world.core.conference.subsessionList.isEmpty
            {
                world.request(CommitSubsessionsRequest(names: ["one", "two"]), host)
                world.request(StartSubsessionsRequest(), host)
                if random.below(6) == 0 { world.request(StopSubsessionsRequest(), host) }
            }
            guard random.below(3) == 0, let target = pick(world.core.conference.subsessionList) else {
                return world.request(ReturnToMainSessionRequest(), id)
            }
            world.request(JoinSubsessionRequest(subsession: target.id), id)
        }

        private mutating func visit(_ world: SessionWorld) {
            guard world.visits.count < 4 else { return }
            let purpose: MediaVisitor.Purpose =
                random.below(3) == 0
                ? .subscribe : .publish(StreamID(rawValue: "name\(random.below(3))"), [.audio, .video])
            try? world.visit(purpose, isPlain: random.below(2) == 0)
        }
    }

    private func run(_ seed: UInt64, _ world: SessionWorld, steps: Int) throws {
        var driver = Driver(random: SeededGenerator(seed: seed &* 31))
        for step in 0..<steps where !world.core.conference.isEnded {
            try driver.step(world)
            world.checkLocations()
            guard world.faults.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(world.faults.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test(
        "SUB-3 USR-8 CON-3 each request is answered once, events have no gaps, mutes and moves are in force before they are answered, and nothing remains",
        arguments: 1...16)
    func lateAnswers(_ seed: UInt64) throws {
        let world = try SessionWorld(seed: seed, isInCluster: seed % 2 == 0)
        world.engine.refusals = [0, 3, 15][Int(seed % 3)]
        try world.join()
        try run(seed, world, steps: 1_500)
        for id in Array(world.clients.keys) { world.resume(id) }
        world.settle(until: world.now + .seconds(10))
        for client in world.clients.values where client.open != nil {
            world.faults.append("\(client.id) has no answer to request \(client.open ?? 0)")
        }
        world.turn { $0.end(.sessionEnded) }
        world.settle()
        world.checkNothingRemains()
        #expect(world.faults == [], "seed \(seed)")
    }

    @Test(
        "CLU-3 SUB-3 USR-8 after take-overs the media that continues is that of clients, in their locations, with their mutes, and nothing remains",
        arguments: 1...24)
    func takeOvers(_ seed: UInt64) throws {
        var world = try SessionWorld(seed: seed, isInCluster: true)
        world.engine.refusals = [0, 3, 15][Int(seed % 3)]
        try world.join()
        var (adopted, continued) = (0, 0)
        for round: UInt64 in 0..<4 {
            try run(seed &+ round, world, steps: 400)
            guard round < 3, !world.core.conference.isEnded else { break }
            if seed % 2 == 0 {
                world.settle(until: world.now + .milliseconds(500))
                for id in world.clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) { world.answer(id) }
                world.settle(until: world.now + .milliseconds(500))
            }
            let next = try SessionWorld(seed: seed &* 7 &+ round, isInCluster: true, continuing: world)
            next.takeOver(from: world)
            adopted += next.engine.peers.count
            #expect(next.faults == [], "seed \(seed), round \(round)")
            world = next
            for id in world.clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
                world.resume(id, continues: world.random.below(5) > 0)
            }
            continued += world.continued
        }
        for id in Array(world.clients.keys) { world.resume(id) }
        world.settle(until: world.now + .seconds(10))
        world.turn { $0.end(.sessionEnded) }
        world.settle()
        world.checkNothingRemains()
        #expect(world.faults == [], "seed \(seed)")
        if seed % 6 == 0 { #expect(adopted > 0 && continued > 0, "the runs adopt media") }
    }

    @Test("the random runs publish, subscribe, move, lose and resume with success")
    func coverage() throws {
        var requests = 0
        var joins = 0
        var connected = 0
        for seed: UInt64 in 1...4 {
            let world = try SessionWorld(seed: seed, isInCluster: seed % 2 == 0)
            try world.join()
            try run(seed, world, steps: 1_500)
            requests += world.answers["request", default: 0]
            joins += world.answers["join", default: 0]
            connected += world.core.media.members.values.count { !$0.peers.isEmpty }
        }
        #expect(requests > 250 && joins > 12 && connected > 4, "\(requests) \(joins) \(connected)")
    }
}
