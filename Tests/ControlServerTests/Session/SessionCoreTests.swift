import Conference
import MediaBase
import MediaEngine
import SessionMedia
import Signaling
import Testing

@testable import ControlServer

@Suite("A whole session in virtual time")
struct SessionCoreTests {
    @Test("CLU-3 a join that decides something is answered when the store has it")
    func savedBeforeAnswered() throws {
        let world = try SessionWorld(isInCluster: true)
        let host = try world.join()
        world.pass(.milliseconds(500))
        #expect(world.answers["join"] == nil && world.saves.count == 1)
        world.finishSave(.failed)
        world.pass(.seconds(1))
        #expect(world.answers["join"] == nil && world.saves.count == 1, "the save is repeated")
        world.finishSave(.saved)
        #expect(world.answers["join"] == 1 && world.core.conference.host == host)
        #expect(world.faults == [])
    }

    @Test("CLU-3 a join that the store cannot confirm is refused, and its client is gone")
    func refusedWithoutTenure() throws {
        let world = try SessionWorld(isInCluster: true)
        let id = try world.join()
        world.acts.withLockedValue { $0 = false }
        world.pass(.milliseconds(500))
        #expect(world.refusals == [.unavailable: 1] && world.answers["join"] == nil)
        #expect(world.core.conference.user(id) == nil && world.clients.isEmpty)
        #expect(world.faults == [])
    }

    @Test("CLU-3 SUB-3 after a take-over the new peers of a client are in its subsession")
    func subsessionAfterTakeOver() throws {
        let lost = try SessionWorld(isInCluster: true)
        let host = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        let user = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        lost.request(CommitSubsessionsRequest(names: ["one"]), host)
        lost.settle(until: lost.now + .seconds(1))
        lost.request(StartSubsessionsRequest(), host)
        lost.settle(until: lost.now + .seconds(1))
        let subsession = try #require(lost.core.conference.subsessionList.first).id
        lost.request(JoinSubsessionRequest(subsession: subsession), user)
        lost.settle(until: lost.now + .seconds(1))
        #expect(lost.core.conference.location(of: user) == .subsession(subsession))

        let world = try SessionWorld(isInCluster: true, continuing: lost)
        for id in [host, user] {
            world.resume(id)
            world.publish(id, new: [.camera])
            world.settle(until: world.now + .seconds(1))
        }
        let locations = world.engine.peers.values.reduce(into: [:]) { $0[$1.client] = $1.location }
        #expect(locations == [host: .mainSession, user: .subsession(subsession)])
        #expect(world.faults == [])
    }

    @Test("CLU-3 after a take-over a client that resumes keeps its publish peer connection, and subscribes again")
    func adoptedPublisher() throws {
        let lost = try SessionWorld(isInCluster: true)
        let user = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        let subscriber = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        lost.publish(user, new: [.camera])
        lost.settle(until: lost.now + .seconds(1))
        let camera = try #require(lost.core.conference.streams.first).id
        lost.request(SubscribeRequest(stream: camera), subscriber)
        lost.settle(until: lost.now + .seconds(1))
        lost.request(SetMutedRequest(stream: camera, kind: .audio, isMuted: true), user)
        lost.settle(until: lost.now + .seconds(1))

        let world = try SessionWorld(isInCluster: true, continuing: lost)
        world.takeOver(from: lost)
        let peer = try #require(world.core.media.publisher(of: user))
        #expect(peer == lost.core.media.publisher(of: user))
        #expect(world.core.conference.stream(camera)?.isAudioMuted == true)
        #expect(world.engine.peers.count == 2 && world.core.leases.count == 2)
        for id in [user, subscriber] { world.resume(id) }
        world.settle(until: world.now + .seconds(1))
        #expect(world.engine.peers.keys.sorted { $0.rawValue < $1.rawValue } == [peer])
        world.request(SetMutedRequest(stream: camera, kind: .audio, isMuted: false), user)
        world.settle(until: world.now + .seconds(1))
        #expect(world.engine.streams[camera]?.muted == [])
        world.request(SubscribeRequest(stream: camera), subscriber)
        world.settle(until: world.now + .seconds(1))
        #expect(world.engine.peers.count == 2)
        world.request(LeaveRequest(), user)
        world.settle(until: world.now + .seconds(1))
        #expect(world.engine.peers[peer] == nil && world.engine.streams.isEmpty)
        #expect(world.faults == [])
    }

    /// Returns a session with a publisher and a subscriber that receives its camera.
    private func subscribed() throws -> (SessionWorld, publisher: ConnectionID, subscriber: ConnectionID, StreamID) {
        let world = try SessionWorld(isInCluster: true)
        func settle() { world.settle(until: world.now + .seconds(1)) }
        let (publisher, subscriber) = (try world.join(), try world.join())
        settle()
        world.publish(publisher, new: [.camera])
        settle()
        let camera = try #require(world.core.conference.streams.first).id
        world.request(
            SubscribeRequest(stream: camera, preferences: SubscriptionPreferences(height: 200)), subscriber)
        settle()
        world.answer(subscriber)
        settle()
        return (world, publisher, subscriber, camera)
    }

    /// Takes the session over.
    private func takeOver(from lost: SessionWorld) throws -> SessionWorld {
        let world = try SessionWorld(seed: 2, isInCluster: true, continuing: lost)
        world.takeOver(from: lost)
        return world
    }

    @Test("CLU-3 after a take-over a client that resumes keeps its subscribe peer connection")
    func adoptedSubscriber() throws {
        let (lost, publisher, subscriber, camera) = try subscribed()
        let peer = try #require(lost.core.media.subscriber(of: subscriber))
        let tracks = try #require(lost.engine.peers[peer]?.tracks)
        #expect(tracks.count == 2)

        let world = try takeOver(from: lost)
        func settle() { world.settle(until: world.now + .seconds(1)) }
        #expect(world.core.media.subscriber(of: subscriber) == peer && world.core.leases.count == 2)
        for id in [publisher, subscriber] { world.resume(id) }
        settle()
        #expect(world.continued == 1 && world.clients[subscriber]?.offer == nil)
        #expect(world.core.conference.subscriptions(of: subscriber).map(\.preferences.height) == [200])
        #expect(world.engine.peers.count == 2 && world.engine.peers[peer]?.tracks == tracks)

        // A further stream gets sections after those of the first one.
        world.publish(publisher, keeping: [camera], new: [.screen])
        settle()
        let screen = try #require(world.core.conference.streams.last).id
        world.request(SubscribeRequest(stream: screen), subscriber)
        settle()
        world.answer(subscriber)
        settle()
        #expect(world.engine.peers[peer]?.tracks.count == 4)
        world.request(UnsubscribeRequest(stream: camera), subscriber)
        settle()
        #expect(Set(world.engine.peers[peer].map { Array($0.tracks.values) } ?? []) == [screen])
        world.request(LeaveRequest(), subscriber)
        settle()
        #expect(world.engine.peers[peer] == nil)
        #expect(world.faults == [])
    }

    @Test("CLU-3 a continued subscription to a stream that did not survive ends, and the peer connection stays")
    func adoptedWithoutStream() throws {
        let (lost, publisher, subscriber, _) = try subscribed()
        let peer = try #require(lost.core.media.subscriber(of: subscriber))
        let gone = try #require(lost.core.media.publisher(of: publisher))
        lost.engine.end(gone)
        lost.opened.remove(gone)
        let world = try takeOver(from: lost)
        #expect(world.core.conference.subscriptions(of: subscriber).isEmpty)
        #expect(world.engine.peers[peer]?.tracks.isEmpty == true)
        #expect(world.clients[subscriber]?.offer == nil, "an offer before the answer to the resume would be lost")
        world.resume(subscriber)
        world.settle(until: world.now + .seconds(1))
        #expect(world.continued == 1 && world.clients[subscriber]?.offer != nil)
        world.answer(subscriber)
        world.settle(until: world.now + .seconds(1))
        #expect(world.core.media.subscriber(of: subscriber) == peer)
        #expect(world.faults == [])
    }

    @Test("CLU-3 a client that has another offer, or names none, subscribes again")
    func notContinued() throws {
        for isOther in [false, true] {
            let (lost, _, subscriber, camera) = try subscribed()
            let world = try takeOver(from: lost)
            let peer = try #require(world.core.media.subscriber(of: subscriber))
            if isOther { world.clients[subscriber]?.revision = 9 }
            world.resume(subscriber, continues: isOther)
            world.settle(until: world.now + .seconds(1))
            #expect(world.continued == 0 && world.engine.peers[peer] == nil)
            world.request(SubscribeRequest(stream: camera), subscriber)
            world.settle(until: world.now + .seconds(1))
            #expect(world.clients[subscriber]?.offer?.revision == 1)
            #expect(world.faults == [])
        }
    }

    @Test("CLU-3 an offer that was open when the home relay died ends the peer connection of a client that has it")
    func openOffer() throws {
        let (lost, publisher, subscriber, camera) = try subscribed()
        lost.publish(publisher, keeping: [camera], new: [.screen])
        lost.settle(until: lost.now + .seconds(1))
        let screen = try #require(lost.core.conference.streams.last).id
        lost.request(SubscribeRequest(stream: screen), subscriber)
        lost.settle(until: lost.now + .seconds(1))
        #expect(lost.clients[subscriber]?.revision == 2)
        let world = try takeOver(from: lost)
        #expect(world.engine.peers.count == 2)
        world.resume(subscriber)
        world.settle(until: world.now + .seconds(1))
        #expect(world.continued == 0 && world.engine.peers.count == 1)
        #expect(world.faults == [])
    }

    @Test("CLU-3 an adopted subscribe peer connection ends with the grace time of its client")
    func neverResumed() throws {
        let (lost, publisher, _, _) = try subscribed()
        let world = try takeOver(from: lost)
        world.resume(publisher)
        #expect(world.engine.peers.count == 2)
        world.settle(until: world.now + world.core.conference.limits.graceTime + .seconds(1))
        #expect(world.engine.peers.count == 1 && world.core.leases.count == 1)
        #expect(world.faults == [])
    }

    @Test("CLU-3 a stream of a late relay is announced although its first media was missed")
    func lateInventory() throws {
        let lost = try SessionWorld(isInCluster: true)
        let user = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        lost.publish(user, new: [.camera])
        // The first media is not reported.
        while !lost.engine.mailbox.isEmpty || !lost.engine.answers.isEmpty {
            if lost.engine.mailbox.isEmpty { lost.deliver(0) } else { lost.engine.run() }
        }
        let camera = try #require(lost.engine.streams.keys.first)
        #expect(lost.core.conference.streams.isEmpty)
        let world = try SessionWorld(isInCluster: true, continuing: lost)
        (world.engine, world.opened) = (lost.engine, lost.opened)
        (world.engine.answers, world.engine.events) = ([], [])
        world.turn { $0.takeOver(nil) }
        world.settle(until: world.now + .seconds(1))
        #expect(!world.core.takeOver.isUnderWay)
        world.turn { core in
            core.adopt(lost.opened.inventory, at: .home)
            core.carryOutCalls()
        }
        world.settle(until: world.now + .seconds(1))
        #expect(world.core.conference.streams.map(\.id) == [camera])
        #expect(world.faults == [])
    }

    @Test("CLU-3 a session that ends before its take-over begins closes the media that was kept")
    func endedTakeOver() throws {
        let lost = try SessionWorld(isInCluster: true)
        let user = try lost.join()
        lost.settle(until: lost.now + .seconds(1))
        lost.publish(user, new: [.camera])
        lost.settle(until: lost.now + .seconds(1))
        #expect(lost.engine.peers.count == 1)
        let world = try SessionWorld(isInCluster: true, continuing: lost)
        world.turn { $0.abandon() }
        world.takeOver(from: lost)
        #expect(world.engine.peers.isEmpty && world.engine.streams.isEmpty)
        #expect(world.faults == [])
    }

    @Test("CLU-2 while the relay may not act, a change is refused and reading is not")
    func refusedChanges() throws {
        let world = try SessionWorld(isInCluster: true)
        let host = try world.join()
        world.settle(until: world.now + .seconds(1))
        world.acts.withLockedValue { $0 = false }
        world.request(LockShareRequest(isLocked: true), host)
        #expect(world.refusals == [.unavailable: 1] && !world.core.conference.isShareLocked)
        world.request(UsersRequest(), host)
        #expect(world.answers["request"] == 1)
        #expect(world.faults == [])
    }

    @Test("USR-8 a force mute is answered after the engine has it")
    func mutedBeforeAnswered() throws {
        let world = try SessionWorld()
        let host = try world.join()
        world.publish(host, new: [.camera])
        world.settle(until: world.now + .seconds(1))
        let stream = try #require(world.core.conference.streams.first?.id)
        world.request(ForceMuteStreamRequest(stream: stream), host)
        let answers = world.answers["request", default: 0]
        world.pass(.milliseconds(100))
        #expect(world.answers["request", default: 0] == answers && world.clients[host]?.open != nil)
        world.settle(until: world.now + .seconds(1))
        #expect(world.answers["request"] == answers + 1)
        #expect(world.engine.streams[stream]?.muted == [.audio])
        #expect(world.faults == [])
    }

    @Test("CON-3 a lost client gets the events that it has missed; after its grace time it is gone")
    func resumed() throws {
        let world = try SessionWorld()
        let (host, guest) = (try world.join(), try world.join())
        world.lose(guest)
        for _ in 0..<3 { world.request(SignalRequest(type: "t", data: "d"), host) }
        let before = world.clients[guest]?.lastEvent ?? 0
        world.resume(guest)
        #expect(world.clients[guest]?.lastEvent ?? 0 >= before + 3)
        world.lose(guest)
        world.settle(until: world.now + .seconds(600))
        #expect(world.core.conference.user(guest) == nil && world.core.conference.user(host) != nil)
        world.resume(guest)
        #expect(world.refusals == [.resumeExpired: 1])
        #expect(world.faults == [])
    }

    @Test("a client that does not read is disconnected, and the others are told")
    func slowClient() throws {
        let world = try SessionWorld { $0.outbox.unsentEvents = 8 }
        let (host, slow) = (try world.join(), try world.join())
        let channel = try #require(world.clients[slow]?.channel)
        channel.stopReading()
        for _ in 0..<20 { world.request(SignalRequest(type: "t", data: "d"), host) }
        #expect(channel.closing == DisconnectReason.slowConsumer.rawValue)
        #expect(world.core.conference.user(slow) == nil && world.core.conference.user(host) != nil)
        #expect(world.clients[host]?.channel.closing == nil)
        #expect(world.faults == [])
    }

    @Test("missed events of a busy engine are made up for, after pauses")
    func reconciled() throws {
        let world = try SessionWorld()
        let host = try world.join()
        world.publish(host, new: [.camera])
        for _ in 0..<20 {
            world.engine.run()
            world.deliver(0)
        }
        world.engine.events = []
        #expect(world.core.conference.streams.isEmpty)
        world.turn { $0.heard(.missed(session: nil), from: .home) }
        for _ in 0..<3 {
            #expect(world.questions.count == 1)
            world.answerQuestion(0, busy: true)
            #expect(world.questions.isEmpty)
            world.pass(.milliseconds(200))
        }
        world.answerQuestion(0)
        #expect(world.core.conference.streams.count == 1)
        #expect(world.faults == [])
    }

    @Test("SES-1 a reserved session keeps waiting if the engine refuses the transport of its first publisher")
    func refusedFirstPublisher() throws {
        let world = try SessionWorld(reservation: Reservation(password: "pear", expires: .seconds(300)))
        let stream = StreamID(rawValue: "camera")
        try world.visit(.publish(stream, [.audio]), isPlain: false)
        let ticket = world.engine.mailbox.removeFirst().ticket
        world.engine.answers.append((ticket, .failure(MediaFailure(.other, SignalingError(.limitReached)))))
        world.deliver(0)
        #expect(world.visits.isEmpty && world.core.conference.users.isEmpty)
        #expect(world.ends.isEmpty && world.core.conference.hasPassword && !world.core.conference.isForgettable)
        #expect(world.core.leases.count == 0 && world.core.media.isEmpty)

        try world.visit(.publish(stream, [.audio]), isPlain: false)
        world.settle(until: .seconds(60))
        #expect(world.core.conference.stream(stream) != nil && world.core.conference.users.count == 1)
        let peer = try #require(world.engine.peers.keys.first)
        world.engine.end(peer)
        world.turn { $0.visitorLeft(TransportID(peer)) {} }
        world.settle()
        #expect(world.ends == [false])
        #expect(world.faults == [])
    }

    @Test("a session that ends answers what waits")
    func endedWhileWaiting() throws {
        let world = try SessionWorld(isInCluster: true)
        try world.join()
        try world.visit(.publish(StreamID(rawValue: "camera"), [.audio]), isPlain: false)
        world.turn { $0.end(.sessionEnded) }
        world.settle()
        #expect(world.visits.isEmpty && world.ends == [false])
        world.checkNothingRemains()
        #expect(world.faults == [])
    }
}
