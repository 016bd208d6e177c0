import Conference
import MediaBase
import SessionTestKit
import Signaling
import Testing

@testable import SessionMedia

@Suite("Media of clients without a control connection")
struct VisitorTests {
    private static let cam = StreamID(rawValue: "cam")
    private static let publishing = MediaVisitor.Purpose.publish(cam, [.audio, .video])

    /// A session with a host.
    private func stage() throws -> (world: MediaWorld, host: ConnectionID) {
        let world = try MediaWorld()
        return (world, try #require(world.join(.all)))
    }

    private func opening(_ world: MediaWorld) -> MediaTicket? {
        world.engine.mailbox.first { if case .openVisitor = $0.order { true } else { false } }?.ticket
    }

    /// Runs all orders and delivers their answers, while no time passes.
    private func runOrders(_ world: MediaWorld) {
        while !world.engine.mailbox.isEmpty || !world.engine.answers.isEmpty {
            world.engine.run()
            world.deliver(0)
        }
    }

    /// Runs orders and delivers answers until the media plane is asked to mute.
    private func runUntilMute(_ world: MediaWorld) {
        while !world.engine.mailbox.contains(where: { if case .setMuted = $0.order { true } else { false } }) {
            guard !world.engine.mailbox.isEmpty || !world.engine.answers.isEmpty else { return }
            world.engine.run()
            world.deliver(0)
        }
    }

    private func isError(_ refusal: MediaRefusal?, _ code: ErrorCode) -> Bool {
        if case .error(let error)? = refusal { error.code == code } else { false }
    }

    @Test("a publisher is answered when its mutes are in force", arguments: [false, true])
    func muted(isPlain: Bool) throws {
        let (world, host) = try stage()
        #expect(world.request(ForceMuteAllRequest(excluding: []), host) == nil)
        world.settle()
        let (visitor, request) = world.visit(Self.publishing, isPlain: isPlain)
        runUntilMute(world)
        if isPlain {
            #expect(world.engine.streams[Self.cam]?.muted == [] && world.open[request] != nil)
        } else {
            #expect(world.open[request] == nil, "its transport opens muted, so no call for the mute follows")
        }
        world.settle()
        #expect(world.engine.streams[Self.cam]?.muted == [.audio] && world.open.isEmpty)
        #expect(world.conference.stream(Self.cam)?.connection == visitor.connection)
        #expect(world.conference.stream(Self.cam)?.isAudioMuted == true)
        #expect(world.refusals.isEmpty && world.faults == [])
    }

    @Test(
        "MUT-1 a mute that arrives during the admission of a publisher is answered when the confirmation has repeated it"
    )
    func muteDuringAdmission() throws {
        let (world, host) = try stage()
        let (_, admission) = world.visit(Self.publishing)
        let order = world.engine.mailbox.removeFirst()
        #expect(world.request(ForceMuteAllRequest(excluding: []), host) == nil)
        runOrders(world)
        #expect(world.open.count == 2, "the mute found no stream, and the admission is not answered")
        world.engine.mailbox.append(order)
        world.settle()
        #expect(world.engine.streams[Self.cam]?.muted == [.audio])
        #expect(world.open.isEmpty && world.refusals[admission] == nil && world.faults == [])
    }

    @Test("MUT-1 a mute that is lifted and set again during the admission of a publisher is repeated before its answer")
    func changesDuringAdmission() throws {
        let (world, host) = try stage()
        #expect(world.request(ForceMuteAllRequest(excluding: []), host) == nil)
        world.settle()
        let (_, admission) = world.visit(Self.publishing)
        let order = world.engine.mailbox.removeFirst()
        for isMuted in [false, true] { world.media.command(.setMuted(Self.cam, .audio, isMuted)) }
        world.drain()
        runOrders(world)
        world.engine.mailbox.append(order)
        runUntilMute(world)
        #expect(world.open[admission] != nil, "the mute is on its way")
        world.settle()
        #expect(world.engine.streams[Self.cam]?.muted == [.audio])
        #expect(world.open.isEmpty && world.refusals[admission] == nil && world.faults == [])
    }

    @Test(
        "USR-6 a publisher that is removed during its admission gets an error, and its transport is closed",
        arguments: [false, true])
    func removed(isOpen: Bool) throws {
        let (world, host) = try stage()
        let (visitor, admission) = world.visit(Self.publishing, isPlain: true)
        if isOpen { world.engine.run() }
        #expect(world.request(RemoveUserRequest(user: visitor.connection), host) == nil)
        guard case .ended? = world.refusals[admission] else {
            Issue.record("the admission has not ended")
            return
        }
        // Its transport could have the name for another moment.
        let (_, second) = world.visit(Self.publishing, isPlain: true)
        #expect(isError(world.refusals[second], .streamExists))
        world.settle()
        #expect(world.engine.peers.isEmpty && world.engine.streams.isEmpty && world.leases.isEmpty)
        world.visit(Self.publishing, isPlain: true)
        world.settle()
        #expect(world.engine.streams[Self.cam] != nil && world.refusals.count == 2)
        #expect(world.open.isEmpty && world.faults == [])
    }

    @Test("a publisher takes over the stream of its name, and the old transport is closed before the new one opens")
    func takeOver() throws {
        let (world, host) = try stage()
        let first = world.visit(Self.publishing)
        // The first one is still being admitted, and the others are of another kind or not trusted.
        for refused in [
            world.visit(Self.publishing),
            {
                world.settle(); return world.visit(Self.publishing, isPlain: true)
            }(),
            world.visit(Self.publishing, isTrusted: false),
        ] {
            #expect(isError(world.refusals[refused.request], .streamExists))
        }
        #expect(world.request(SubscribeRequest(stream: Self.cam), host) == nil)
        world.settle()
        let old = try #require(world.media.publisher(of: Self.cam))
        let second = world.visit(Self.publishing)
        #expect(world.engine.mailbox.first?.order == .closePeer(old, isPlain: false))
        world.settle()
        let new = try #require(world.media.publisher(of: Self.cam))
        #expect(new != old && world.engine.streams[Self.cam]?.peer == new)
        #expect(world.refusals[second.request] == nil)
        #expect(world.conference.stream(Self.cam)?.connection == first.visitor.connection)
        #expect(world.conference.subscriptions(of: host).map(\.stream) == [Self.cam])
        // Late events of the old transport do not concern the new one.
        world.media.closed(Self.cam, by: old)
        world.media.gone(old)
        world.settle()
        #expect(world.media.publisher(of: Self.cam) == new && world.faults == [])
    }

    @Test("a publisher that the media plane refuses leaves the session, and a stream of its name there is not closed")
    func refused() throws {
        let (world, _) = try stage()
        let (visitor, admission) = world.visit(Self.publishing)
        let ticket = try #require(opening(world))
        world.engine.mailbox = []
        world.media.settle(
            ticket, .failure(MediaFailure(.other, SignalingError(.streamExists))), now: world.now)
        world.drain()
        #expect(isError(world.refusals[admission], .streamExists))
        #expect(world.conference.user(visitor.connection) == nil && !world.conference.isPublished(Self.cam))
        #expect(world.engine.mailbox.isEmpty && world.media.members.count == 1 && world.media.owners.isEmpty)
        world.visit(Self.publishing)
        world.settle()
        #expect(world.engine.streams[Self.cam] != nil && world.faults == [])
    }

    @Test("a publisher leaves with its transport", arguments: [false, true], ["lost", "closed", "stream"])
    func left(isPlain: Bool, cause: String) throws {
        let (world, _) = try stage()
        let (visitor, _) = world.visit(Self.publishing, isPlain: isPlain)
        world.settle()
        let peer = try #require(world.media.publisher(of: visitor.connection))
        switch cause {
        case "lost": world.engine.lose(peer)
        case "closed": world.close(peer)
        default:
            world.engine.end(peer)
            world.engine.events.append(.closed(Self.cam, peer))
        }
        world.settle()
        #expect(world.conference.user(visitor.connection) == nil && world.conference.streams.isEmpty)
        #expect(world.media.publisher(of: Self.cam) == nil && world.leases.isEmpty && world.faults == [])
    }

    @Test(
        "a subscriber that the rules end is closed, also while its transport opens", arguments: [false, true],
        [false, true])
    func endedSubscriber(isPlain: Bool, isOpen: Bool) throws {
        let (world, host) = try stage()
        let (visitor, admission) = world.visit(.subscribe, isPlain: isPlain)
        if isOpen { world.settle() }
        world.leave(host)
        world.settle()
        #expect((world.refusals[admission] == nil) == isOpen)
        #expect(!world.conference.isVisitingSubscriber(visitor.connection) && world.engine.peers.isEmpty)
        #expect(world.media.isEmpty && world.leases.isEmpty && world.open.isEmpty && world.faults == [])
    }

    @Test("a client leaves if its transport ends before the answer that introduces it", arguments: [true, false])
    func goneEarly(publishes: Bool) throws {
        let (world, _) = try stage()
        let (visitor, _) = world.visit(publishes ? Self.publishing : .subscribe)
        world.engine.run()
        world.engine.lose(try #require(world.engine.peers.keys.first))
        world.deliverEvent(world.engine.events.count - 1)
        world.settle()
        #expect(world.conference.user(visitor.connection) == nil)
        #expect(!world.conference.isVisitingSubscriber(visitor.connection))
        #expect(world.media.peers.isEmpty && world.leases.isEmpty && world.open.isEmpty && world.faults == [])
    }

    @Test("a subscriber leaves with its transport", arguments: [false, true])
    func subscriberLeft(isLost: Bool) throws {
        let (world, _) = try stage()
        let (visitor, _) = world.visit(.subscribe)
        world.settle()
        #expect(world.conference.isVisitingSubscriber(visitor.connection))
        let peer = try #require(world.visitingPeers.first)
        if isLost { world.engine.lose(peer) } else { world.close(peer) }
        world.settle()
        #expect(!world.conference.isVisitingSubscriber(visitor.connection) && world.media.visitingSubscribers.isEmpty)
        #expect(world.leases.isEmpty && world.faults == [])
    }

    @Test("a subsession does not move clients without a control connection")
    func locations() throws {
        let (world, host) = try stage()
        let (visitor, _) = world.visit(Self.publishing)
        world.settle()
        world.media.command(.relocate([visitor.connection, host], .subsession(SubsessionID(rawValue: "one"))))
        world.settle()
        #expect(world.media.location(of: visitor.connection) == .mainSession)
        #expect(world.engine.peers.values.allSatisfy { $0.location == .mainSession })
    }

    // MARK: time

    /// Lets the time of requests pass without any answer.
    private func expire(_ world: MediaWorld) {
        world.pass(SessionMedia.requestTime - .milliseconds(1))
        #expect(!world.open.isEmpty)
        world.pass(.milliseconds(1))
    }

    @Test("an admission that the media plane does not answer fails after a limited time", arguments: [true, false])
    func unanswered(publishes: Bool) throws {
        let (world, _) = try stage()
        let (visitor, admission) = world.visit(publishes ? Self.publishing : .subscribe)
        let order = world.engine.mailbox.removeFirst()
        expire(world)
        #expect(isError(world.refusals[admission], .internalError))
        #expect(
            world.conference.user(visitor.connection) == nil
                && !world.conference.isVisitingSubscriber(visitor.connection))
        // A late answer opens a transport that no client waits for.
        world.engine.mailbox.append(order)
        world.settle()
        #expect(world.engine.peers.isEmpty && world.leases.isEmpty && world.open.isEmpty && world.faults == [])
    }

    @Test(
        "MUT-2 a mute waits only for a limited time for a publish request of the stream's owner that the media plane does not answer",
        arguments: [true, false])
    func muteOfUnanswered(isAnew: Bool) throws {
        let (world, host) = try stage()
        world.publish(host, keeping: [], new: [.camera])
        world.settle()
        let stream = try #require(world.conference.streams.first?.id)
        if isAnew { world.clients[host]?.certificate = 7 }
        world.publish(host, keeping: [stream], new: [])
        let late = world.engine.mailbox.filter {
            switch $0.order {
            case .openPublisher, .updatePublisher: true
            default: false
            }
        }
        #expect(late.count == 1)
        world.engine.mailbox.removeAll { order in late.contains { $0.ticket == order.ticket } }
        #expect(world.request(ForceMuteAllRequest(excluding: []), host) == nil)
        runOrders(world)
        expire(world)
        #expect(world.open.isEmpty, "the mute is answered, because no stream can open with the state before it")
        #expect(world.refusals.values.contains { isError($0, .internalError) })
        #expect(world.reports.contains(.reset(host, publish: true, subscribe: false)))
        // The next request does not mistake the late answer for its own.
        world.publish(host, keeping: [], new: [.camera])
        world.engine.mailbox.insert(contentsOf: late, at: 0)
        world.settle()
        #expect(world.engine.streams.count == 1 && world.engine.peers.count == 1)
        #expect(world.engine.streams.values.allSatisfy { $0.muted == [.audio] })
        #expect(world.open.isEmpty && world.faults == [])
    }

    @Test("late mutes of a publish request whose time is over do not end the next request")
    func lateMutes() throws {
        let (world, host) = try stage()
        #expect(world.request(ForceMuteAllRequest(excluding: []), host) == nil)
        world.publish(host, keeping: [], new: [.camera])
        runUntilMute(world)
        let mute = try #require(world.engine.mailbox.first)
        world.engine.mailbox = []
        expire(world)
        #expect(world.refusals.values.contains { isError($0, .internalError) } && world.open.isEmpty)
        world.publish(host, keeping: [], new: [.camera])
        world.media.settle(mute.ticket, .success(.done), now: world.now)
        world.drain()
        #expect(world.open.count == 1, "its transport is not open yet")
        world.settle()
        #expect(world.open.isEmpty && world.engine.streams.count == 1 && world.faults == [])
    }
}
