import Cluster
import Conference
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import SessionTestKit
import Signaling
import Testing

@testable import ControlServer
@testable import SessionMedia

@Suite("CLU-3: media between relays continues after the loss of the home relay")
struct TakeOverTests {
    private static let b = MediaRelay.edge(ClusterWorld.edges[0])
    private static let c = MediaRelay.edge(ClusterWorld.edges[1])

    private func stream(_ name: String) -> StreamID { StreamID(rawValue: name) }

    /// Returns a session with a publisher at one relay and a subscriber at another one, neither of which is the home relay.
    private func world() -> ClusterWorld {
        let world = ClusterWorld(seed: 3)
        world.adoptsAll = true
        world.publish([stream("s")], at: Self.b)
        world.subscribe(at: Self.c)
        world.run(for: .seconds(1))
        world.checkMirrors()
        return world
    }

    /// Closes all peers, and checks that nothing remains.
    private func checkNothingRemains(_ world: ClusterWorld) {
        for peer in Array(world.peers.keys) { world.close(peer) }
        world.run(for: .seconds(40))
        for relay in world.all {
            #expect(world.relays[relay]?.receivers.isEmpty == true && world.relays[relay]?.senders.isEmpty == true)
            #expect(world.relays[relay]?.peers.isEmpty == true)
        }
        #expect(world.media.deadline == .never)
    }

    @Test("a pipe between surviving relays continues with the same ends, mirrors and tracks", arguments: [false, true])
    func pipe(isTakenOverByEdge: Bool) throws {
        let world = world()
        let receivers = try #require(world.relays[Self.c]?.receivers)
        let senders = try #require(world.relays[Self.b]?.senders)
        let number = world.relays[Self.b]?.numbers["s"]
        world.takeOver(by: isTakenOverByEdge ? ClusterWorld.edges[1] : nil)
        let receiver = isTakenOverByEdge ? MediaRelay.home : Self.c
        while world.media.isTakingOver {
            world.run(for: .milliseconds(1))
            #expect(world.relays[receiver]?.receivers.keys == receivers.keys)
            #expect(world.relays[receiver]?.receivers.values.first?.mirrors["s"]?.number == number)
        }
        world.run(for: .seconds(1))
        world.checkMirrors()
        #expect(world.faults == [])
        let kept = try #require(receivers.keys.first)
        let sender = try #require(receivers[kept]?.sender)
        #expect(world.relays[Self.b]?.senders[sender] == senders[sender])
        world.order(.setMuted(stream("s"), .audio, true))
        world.run(for: .seconds(1))
        #expect(world.relays[receiver]?.receivers[kept]?.mirrors["s"]?.isMuted == true)
    }

    @Test("the relay of a subscriber keeps its negotiation, and names it to the next home relay")
    func negotiations() throws {
        let world = world()
        let subscriber = try #require(world.peers.first { $0.value.streams.isEmpty }?.key)
        let saved = try SavedNegotiation.sample(of: stream("s"))
        world.keep(saved, of: subscriber)
        world.run(for: .seconds(1))
        let known = world.opened[Self.c]?.inventory.peers.first { $0.id == subscriber }
        #expect(known?.subscriber?.negotiation == saved)
        world.takeOver()
        world.run(for: .seconds(1))
        #expect(world.opened[Self.c]?.inventory.peers.first { $0.id == subscriber } == known)
        // The home relay's own peers end with it.
        world.subscribe(at: .home)
        world.run(for: .seconds(1))
        let own = try #require(world.peers.first { $0.value.relay == .home }?.key)
        world.keep(saved, of: own)
        world.keep(saved, of: PeerID(rawValue: "gone"))
        world.run(for: .seconds(1))
        #expect(world.relays[.home]?.negotiations == 0 && world.faults == [])
    }

    @Test("a relay of an earlier version gets one negotiation for each link, and its media goes on")
    func earlierVersion() throws {
        let world = world()
        world.relays[Self.c]?.isEarlier = true
        let subscriber = try #require(world.peers.first { $0.value.streams.isEmpty }?.key)
        for _ in 0..<3 {
            world.keep(try SavedNegotiation.sample(of: stream("s")), of: subscriber)
            world.run(for: .seconds(1))
        }
        #expect(world.relays[Self.c]?.negotiations == 1)
        #expect(world.lost.isEmpty && world.faults == [])
        world.checkMirrors()
    }

    @Test("a take-over waits for a relay that does not answer, until that relay has ended the media by itself")
    func silent() {
        let world = world()
        world.silent = [Self.c]
        world.takeOver()
        world.run(for: .seconds(14))
        #expect(world.lost == [ClusterWorld.edges[1]])
        #expect(world.media.isTakingOver)
        world.run(for: .seconds(2))
        #expect(!world.media.isTakingOver)
    }

    @Test("a take-over does not wait for a relay that has ended")
    func ended() {
        let world = world()
        world.silent = [Self.c]
        world.takeOver()
        world.run(for: .seconds(9))
        #expect(world.media.isTakingOver)
        world.media.forgetSilent { _ in false }
        #expect(!world.media.isTakingOver)
    }

    @Test("what a relay has for clients that are gone is closed, and so are ends of pipes of the lost home relay")
    func discarded() {
        let world = world()
        world.subscribe(at: .home)
        world.publish([stream("h")], at: .home)
        world.run(for: .seconds(1))
        world.checkMirrors()
        world.takeOver()
        world.run(for: .seconds(1))
        #expect(!world.media.isTakingOver)
        world.checkMirrors()
        #expect(world.faults == [])
        checkNothingRemains(world)
    }

    @Test("a relay whose link breaks before its answer is waited for as long as it may keep the media")
    func brokenLink() {
        let world = world()
        world.silent = [Self.c]
        world.takeOver()
        world.run(for: .seconds(5))
        world.media.lost(ClusterWorld.edges[1], now: world.now)
        world.carryOut()
        world.run(for: .seconds(14))
        #expect(world.media.isTakingOver)
        world.run(for: .seconds(2))
        #expect(!world.media.isTakingOver)
    }

    @Test("a close that an engine has no time for is tried again, and belongs to the take-over until then")
    func refusedClose() throws {
        var media = ClusterMedia()
        media.takeOver(asking: [:], now: .zero)
        media.discard(PeerID(rawValue: "p"), isPlain: false, at: .home, now: .zero)
        let refused = try #require(calls(media.takeOutputs()).first)
        media.answered(refused, .failure(.limitReached(name: "mailbox", limit: 1)), by: .home, now: .zero)
        #expect(media.isTakingOver && media.deadline == .milliseconds(250))
        media.handleTimeout(now: media.deadline)
        let again = try #require(calls(media.takeOutputs()).first)
        #expect(media.isTakingOver)
        media.answered(again, .success(.media(.done)), by: .home, now: .milliseconds(250))
        #expect(!media.isTakingOver && media.deadline == .never)
    }

    @Test("a mute waits until a late relay has closed mirrors whose pipe is not known")
    func lateMirror() throws {
        let edge = ClusterWorld.edges[1]
        var media = ClusterMedia()
        media.takeOver(asking: [edge: false], now: .zero)
        let isAdopted = media.adopt(PeerID(rawValue: "p"), isPublisher: true, [stream("s")], at: .home)
        #expect(isAdopted && !media.isTakingOver)
        let end = PipeEnd(id: TransportID(rawValue: "r"), address: "192.0.2.1", port: 1, ssrc: 1)
        _ = media.takeOutputs()
        media.continuePipes(of: Self.c, [MediaInventory.Receiver(end: end, streams: ["s"])], [], now: .zero)
        let close = try #require(calls(media.takeOutputs()).first)
        media.order(MediaTicket(rawValue: 1), .setMuted(stream("s"), .audio, true), at: .home, now: .zero)
        let mute = try #require(calls(media.takeOutputs()).first)
        func isSettled() -> Bool {
            media.takeOutputs().contains { if case .settled = $0 { true } else { false } }
        }
        media.answered(mute, .success(.media(.done)), by: .home, now: .zero)
        #expect(!isSettled())
        media.answered(close, .success(.done), by: Self.c, now: .zero)
        #expect(isSettled())
    }

    @Test("a pipe does not continue while publishers of its relay move")
    func movingPipe() {
        let end = PipeEnd(id: TransportID(rawValue: "r"), address: "192.0.2.1", port: 1, ssrc: 1)
        let sender = PipeEnd(id: TransportID(rawValue: "s"), address: "192.0.2.2", port: 1, ssrc: 0)
        let receiver = MediaInventory.Receiver(end: end, sender: sender, streams: ["s"])
        let route = MediaPipe.Route(from: .home, to: Self.c)
        var pipes = MediaPipes()
        pipes.beginMove(of: ["s"], at: .home, now: .zero)
        let moving = pipes.adopt(route, receiver, sender, now: .zero)
        #expect(moving == nil)
        _ = pipes.endMove(at: .home, now: .zero)
        let settled = pipes.adopt(route, receiver, sender, now: .zero)
        #expect(settled != nil)
    }

    private func calls(_ outputs: [ClusterMedia.Output]) -> [MediaCallID] {
        outputs.compactMap { if case .call(let id, _, _) = $0 { id } else { nil } }
    }

    private static let negotiation = try? SavedNegotiation.sample(of: StreamID(rawValue: "s0"))

    /// Random orders of clients at all relays.
    private func step(_ world: ClusterWorld) {
        let relay = world.all[world.random.below(world.all.count)]
        let peers = world.peers.keys.sorted { $0.rawValue < $1.rawValue }
        let publishers = peers.filter { world.peers[$0]?.streams.isEmpty == false }
        switch world.random.below(10) {
        case 0, 1:
            let name = stream("s\(world.random.below(40))")
            let isUsed =
                world.peers.values.contains { $0.streams.contains(name) }
                || world.open.values.contains { $0.publishedStreams.contains(name) }
            if peers.count < 14, !isUsed { world.publish([name], at: relay) }
        case 2: if peers.count < 14 { world.subscribe(at: relay) }
        case 3: if !peers.isEmpty { world.close(peers[world.random.below(peers.count)]) }
        case 4, 5:
            guard !publishers.isEmpty,
                let stream = world.peers[publishers[world.random.below(publishers.count)]]?.streams.first
            else { break }
            world.order(.setMuted(stream, .audio, world.random.below(3) > 0))
        case 6, 7:
            let moving = peers.filter { _ in world.random.below(3) == 0 }
            let subsession = ["", "x", "y"][world.random.below(3)]
            let location = Location(subsession.isEmpty ? nil : SubsessionID(rawValue: subsession))
            if !moving.isEmpty {
                world.order(.relocate(Dictionary(uniqueKeysWithValues: moving.map { ($0, location) })))
            }
        case 8:
            let subscribers = peers.filter { !publishers.contains($0) }
            guard !subscribers.isEmpty, let negotiation = Self.negotiation else { break }
            world.keep(negotiation, of: subscribers[world.random.below(subscribers.count)])
        default: world.run(for: .milliseconds(Int64(world.random.below(400))))
        }
        world.run(for: .microseconds(Int64(world.random.below(9_000))))
    }

    @Test(
        "whenever home relays are lost, no relay forwards a muted stream or one that has left the location, and nothing remains",
        arguments: 1...40)
    func randomRuns(_ seed: UInt64) {
        let world = ClusterWorld(seed: seed)
        for round in 0..<4 where world.faults.isEmpty {
            for _ in 0..<60 where world.faults.isEmpty { step(world) }
            guard round < 3 else { break }
            world.takeOver(by: round == 1 ? world.others.last : nil)
            // Clients enter when the media that continues is known.
            var turns = 0
            while world.media.isTakingOver, turns < 20_000, world.faults.isEmpty {
                world.run(for: .milliseconds(5))
                turns += 1
            }
            #expect(turns < 20_000, "the take-over does not end")
        }
        world.run(for: .seconds(20))
        world.checkMirrors()
        #expect(world.faults == [])
        #expect(world.open.isEmpty && world.lost.isEmpty)
        checkNothingRemains(world)
    }
}
