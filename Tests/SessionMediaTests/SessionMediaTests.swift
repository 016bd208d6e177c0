import Conference
import MediaBase
import SDP
import SessionTestKit
import Signaling
import Testing

@testable import SessionMedia

@Suite("Media of a session")
struct SessionMediaTests {
    /// A host that publishes one camera stream, with media.
    private func stage() throws -> (world: MediaWorld, host: ConnectionID, stream: StreamID) {
        let world = try MediaWorld()
        let host = try #require(world.join(.all))
        world.publish(host, keeping: [], new: [.camera])
        world.settle()
        return (world, host, try #require(world.conference.streams.first?.id))
    }

    @Test("USR-8 MUT-2 a mute overtakes queued commands, and is answered when in force")
    func muteAtOnce() throws {
        let (world, host, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        // The call for the subscription is not answered.
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        world.engine.mailbox = []
        for isMuted in [true, false, true] {
            #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: isMuted), host) == nil)
            #expect(world.open.count == 1, "not answered before the engine's answer")
            world.settle()
            #expect(world.open.isEmpty)
            #expect(world.engine.streams[stream]?.muted == (isMuted ? [.audio] : []))
        }
        // STR-4: unpublishing does not wait either.
        #expect(world.request(UnpublishRequest(stream: stream), host) == nil)
        world.settle()
        #expect(world.engine.streams[stream] == nil)
        #expect(world.media.tickets.count == 1)
        #expect(world.faults == [])
    }

    @Test("Redundant audio is accepted, except of a stream that is encrypted end to end", arguments: [false, true])
    func redundantAudio(isEncrypted: Bool) throws {
        let world = try MediaWorld()
        let host = try #require(world.join(.all))
        world.publish(host, keeping: [], new: [.camera], isEncrypted: isEncrypted)
        let sections = world.engine.mailbox.flatMap { entry -> [PublishSection] in
            guard case .openPublisher(_, _, let sections) = entry.order else { return [] }
            return sections
        }
        #expect(sections.count == 2 && sections.allSatisfy { $0.isEncrypted == isEncrypted })
        let audio = try #require(sections.first { $0.track.kind == .audio })
        #expect(audio.track.redPayloadType == (isEncrypted ? nil : PayloadType(63)))
        world.settle()
        #expect(world.open.isEmpty && world.faults == [])
    }

    @Test("USR-6 the media of a removed user ends at once")
    func removedAtOnce() throws {
        let (world, host, _) = try stage()
        let ben = try #require(world.join(.publishing))
        world.publish(ben, keeping: [], new: [.camera])
        world.settle()
        // A publish request of Ben is in progress.
        world.publish(ben, keeping: world.clients[ben]?.streams ?? [], new: [.screen])
        world.engine.mailbox = []
        #expect(world.request(RemoveUserRequest(user: ben), host) == nil)
        #expect(world.open.count == 1, "the removal waits for the engine, the publish request has failed")
        world.settle()
        #expect(world.open.isEmpty && world.engine.streams.count == 1 && world.engine.peers.count == 1)
        #expect(world.faults == [])
    }

    @Test("STR-3 queued subscription changes are merged per stream and limited in number")
    func bounded() throws {
        let (world, host, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        world.publish(subscriber, keeping: [], new: [.camera])
        world.settle()
        let other = try #require(world.conference.streams.last?.id)
        // The first call is in progress, so later changes wait.
        #expect(world.request(SubscribeRequest(stream: other), host) == nil)
        let ada = try #require(world.join(.publishing))
        #expect(world.request(SubscribeRequest(stream: stream), ada) == nil)
        for _ in 0..<50 {
            #expect(world.request(SubscribeRequest(stream: other), ada) == nil)
            #expect(world.request(UnsubscribeRequest(stream: other), ada) == nil)
        }
        for height in 1...300 {
            let preferences = SubscriptionPreferences(height: height)
            #expect(world.request(UpdateSubscriptionRequest(stream: stream, preferences: preferences), ada) == nil)
        }
        #expect(world.media.members[ada]?.orders.count == 2)
        #expect(!world.media.maySubscribe(ada, StreamID(rawValue: "third"), limit: 2))
        #expect(world.media.maySubscribe(ada, other, limit: 2))
        let before = world.media.lastTicket.rawValue
        world.settle()
        #expect(world.media.lastTicket.rawValue - before < 10)
        #expect(world.clients[ada]?.offer?.streams.map(\.id) == [stream])
        #expect(world.media.members[ada]?.orders.isEmpty == true)
        #expect(world.faults == [])
    }

    @Test("commands for one subscription are merged into their combined effect")
    func merging() {
        let low = SubscriptionPreferences(height: 90)
        let high = SubscriptionPreferences(height: 720)
        var orders = SubscriptionOrders()
        func outcome(_ all: [SubscriptionOrder]) -> SubscriptionOrder? {
            for order in all { orders.add(order, StreamID(rawValue: "stream")) }
            return orders.take()?.order
        }
        #expect(outcome([.begin(low), .change(high)]) == .begin(high))
        #expect(outcome([.begin(low), .end]) == nil)
        #expect(outcome([.begin(low), .end, .begin(high)]) == .begin(high))
        #expect(outcome([.change(low), .change(high)]) == .change(high))
        #expect(outcome([.change(low), .end]) == .end)
        #expect(outcome([.end, .begin(low), .change(high)]) == .renew(high))
        #expect(outcome([.end, .begin(low), .end]) == .end)
        #expect(orders.count == 0)
    }

    @Test("USR-8 a mute that the engine fails to apply is an error, and no client is told that the stream is muted")
    func failedMute() throws {
        let (world, host, stream) = try stage()
        #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: true), host) == nil)
        let ticket = try #require(world.engine.mailbox.first?.ticket)
        world.engine.mailbox = []
        let request = try #require(world.open.keys.first)
        world.media.settle(
            ticket, .failure(MediaFailure(.busy, SignalingError(.limitReached, limit: "limit.mailbox"))),
            now: world.now)
        world.drain()
        guard case .error(let error) = world.refusals[request] else {
            Issue.record("the mute succeeded")
            return
        }
        #expect(error.limit == "limit.mailbox")
        #expect(world.conference.stream(stream)?.isAudioMuted == false)
    }

    @Test("USR-8 an unmute that the engine fails to repeat is taken back in the engine as well")
    func failedRepeatedUnmute() throws {
        let (world, host, stream) = try stage()
        for isMuted in [true, false] {
            #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: isMuted), host) == nil)
            world.settle()
        }
        // The confirmation of a publish request repeats the unmute that is in force.
        world.media.command(.setMuted(stream, .audio, false))
        world.drain()
        let refused = world.engine.mailbox.removeFirst().ticket
        world.media.settle(refused, .failure(MediaFailure(.other, SignalingError(.internalError))), now: world.now)
        world.settle()
        #expect(world.conference.stream(stream)?.isAudioMuted == true)
        #expect(world.engine.streams[stream]?.muted == [.audio])
        #expect(world.media.tickets.isEmpty && world.faults == [])
    }

    @Test("a refused mute that a later one for the same track has replaced does not take that one back")
    func replacedMute() throws {
        let (world, host, stream) = try stage()
        #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: true), host) == nil)
        world.settle()
        #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: false), host) == nil)
        let refused = world.engine.mailbox.removeFirst().ticket
        // The confirmation of a publish request repeats the command.
        world.media.command(.setMuted(stream, .audio, false))
        world.settle()
        world.media.settle(refused, .failure(MediaFailure(.busy, SignalingError(.limitReached))), now: world.now)
        world.drain()
        #expect(world.conference.stream(stream)?.isAudioMuted == false)
        #expect(world.engine.streams[stream]?.muted == [])
    }

    @Test("subscriptions of one client do not wait for calls about another one")
    func independentClients() throws {
        let (world, _, stream) = try stage()
        let slow = try #require(world.join(.publishing))
        let quick = try #require(world.join(.publishing))
        #expect(world.request(SubscribeRequest(stream: stream), slow) == nil)
        world.engine.mailbox = []
        #expect(world.request(SubscribeRequest(stream: stream), quick) == nil)
        world.settle()
        #expect(world.clients[slow]?.offer == nil)
        #expect(world.clients[quick]?.offer?.streams.map(\.id) == [stream])
    }

    @Test("a peer that ends before the answer that introduces it is reported as lost")
    func goneEarly() throws {
        let (world, _, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        world.engine.run()
        let peer = try #require(world.engine.peers.first { !$0.value.isPublisher }?.key)
        world.engine.lose(peer)
        world.deliverEvent(world.engine.events.count - 1)
        world.settle()
        #expect(world.reports.contains(.reset(subscriber, publish: false, subscribe: true)))
        #expect(world.media.subscriber(of: subscriber) == nil && world.media.goneEarly.isEmpty)
        #expect(world.conference.subscriptions(of: subscriber).isEmpty)
        #expect(world.faults == [])
    }

    @Test("a peer that a limit refuses is an answer at once, without any other event")
    func refusedAtOnce() throws {
        let (world, host, stream) = try stage()
        world.maximumPeers = 1
        let ben = try #require(world.join(.publishing))
        world.publish(ben, keeping: [], new: [.camera])
        #expect(world.open.isEmpty && world.refusals.count == 1)
        #expect(world.request(SubscribeRequest(stream: stream), host) == nil)
        #expect(world.reports.contains(.subscriptionFailed(host, stream)))
        #expect(world.media.tickets.count == 0 && world.faults == [])
    }

    @Test("a publish request that follows a failed one on a new peer connection keeps its streams")
    func publishAfterFailure() throws {
        let (world, host, stream) = try stage()
        world.clients[host]?.certificate = 7
        world.publish(host, keeping: [stream], new: [])
        world.publish(host, keeping: [], new: [.screen])
        let opening = world.engine.mailbox.first {
            if case .openPublisher = $0.order { true } else { false }
        }
        let ticket = try #require(opening?.ticket)
        world.engine.mailbox.removeAll { $0.ticket == ticket }
        world.media.settle(ticket, .failure(MediaFailure(.other, SignalingError(.internalError))), now: world.now)
        world.settle()
        #expect(world.reports.contains(.reset(host, publish: true, subscribe: false)))
        let streams = world.clients[host]?.streams ?? []
        #expect(streams.count == 1 && streams != [stream])
        #expect(world.conference.streams.map(\.id) == streams)
        #expect(world.open.isEmpty && world.faults == [])
    }

    @Test("the kind of a subscribe peer connection cannot change while it is being opened")
    func kindOfOpeningPeer() throws {
        let (world, _, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        #expect(world.media.subscribeTransport(of: subscriber) == (.webRTC, false))
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        #expect(world.media.subscribeTransport(of: subscriber) == (.webRTC, true))
        world.settle()
        #expect(world.media.subscribeTransport(of: subscriber) == (.webRTC, true))
    }

    @Test("the calls of a large audience do not all wait in the engine's queue before a mute")
    func audience() throws {
        let (world, host, stream) = try stage()
        let subscribers = try (0..<400).map { _ in try #require(world.join(.publishing)) }
        for subscriber in subscribers { #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil) }
        #expect(world.engine.mailbox.count == SessionMedia.maximumCalls)
        #expect(world.request(SetMutedRequest(stream: stream, kind: .audio, isMuted: true), host) == nil)
        #expect(world.engine.mailbox.count == SessionMedia.maximumCalls + 1)
        world.settle()
        #expect(subscribers.allSatisfy { world.clients[$0]?.offer?.streams.map(\.id) == [stream] })
        #expect(world.open.isEmpty && world.faults == [])
    }

    @Test("a subscription and a move that find the engine's queue full are tried again")
    func busy() throws {
        let (world, _, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        world.engine.refusals = 100
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        let ticket = try #require(world.engine.mailbox.first?.ticket)
        world.engine.mailbox = []
        let busy = MediaFailure(.busy, SignalingError(.limitReached))
        world.media.settle(ticket, .failure(busy), now: world.now)
        world.drain()
        #expect(world.engine.mailbox.isEmpty && world.media.deadline == world.now + .milliseconds(1))
        world.engine.refusals = 0
        world.settle()
        #expect(world.clients[subscriber]?.offer?.streams.map(\.id) == [stream])
    }

    /// Refuses all orders because the queue is full, and returns the pause before each further try.
    private func pauses(_ world: MediaWorld, atMost count: Int) -> [MediaTime] {
        let busy = MediaFailure(.busy, SignalingError(.limitReached, limit: "limit.mailbox"))
        var pauses: [MediaTime] = []
        while let order = world.engine.mailbox.popLast() {
            world.media.settle(order.ticket, .failure(busy), now: world.now)
            world.drain()
            guard world.media.deadline != .never, pauses.count < count else { break }
            pauses.append(world.media.deadline - world.now)
            world.pass(pauses[pauses.count - 1])
        }
        return pauses
    }

    @Test("a subscription that finds the engine's queue full fails after a limited number of tries with growing pauses")
    func busyForLong() throws {
        let (world, _, stream) = try stage()
        let subscriber = try #require(world.join(.publishing))
        #expect(world.request(SubscribeRequest(stream: stream), subscriber) == nil)
        let pauses = pauses(world, atMost: 100)
        #expect(pauses.count == SessionMedia.maximumTries - 1)
        #expect(pauses.first == OrderRetries.firstPause && pauses.last == OrderRetries.longestPause)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0.0 <= $0.1 })
        #expect(world.reports.contains(.subscriptionFailed(subscriber, stream)))
        #expect(world.media.tickets.count == 0 && world.faults == [])
    }

    @Test("SUB-3 a move that finds the engine's queue full is never given up")
    func busyMove() throws {
        let (world, host, _) = try stage()
        world.request(CommitSubsessionsRequest(names: ["one"]), host)
        world.request(StartSubsessionsRequest(), host)
        world.settle()
        let target = try #require(world.conference.subsessionList.first)
        world.move(JoinSubsessionRequest(subsession: target.id), host)
        let count = SessionMedia.maximumTries * 3
        #expect(pauses(world, atMost: count).count == count)
        world.pass(OrderRetries.longestPause)
        world.settle()
        #expect(world.engine.peers.values.allSatisfy { $0.location == .subsession(target.id) })
        #expect(world.successes["move"] == 1 && world.faults == [])
    }

    @Test("MUT-2 a mute during a publish request is answered when the confirmation has repeated it")
    func muteDuringPublishing() throws {
        let (world, host, stream) = try stage()
        // A new peer connection, whose sections were planned before the mute.
        world.clients[host]?.certificate = 7
        world.publish(host, keeping: [stream], new: [])
        #expect(world.request(SetMutedRequest(stream: stream, kind: .video, isMuted: true), host) == nil)
        world.engine.run()
        let opening = world.engine.mailbox.removeFirst()
        world.engine.run()
        world.engine.mailbox.insert(opening, at: 0)
        // The mute found no stream, or one that has ended.
        while !world.engine.answers.isEmpty { world.deliver(0) }
        #expect(world.open.count == 2, "neither request is answered")
        world.settle()
        #expect(world.engine.streams[stream]?.muted == [.video])
        #expect(world.open.isEmpty && world.refusals.isEmpty && world.faults == [])
    }
}
