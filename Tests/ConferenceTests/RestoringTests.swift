import Conference
import Foundation
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@Suite("CLU-3: sessions whose home relay was lost")
struct RestoringTests {
    /// Returns the session as another relay continues it from the stored state.
    private func restored(_ conference: Conference, now: MediaTime) throws -> Conference {
        let seats = conference.users.compactMap { conference.seat(of: $0.id) }.shuffled()
        let essence = try JSONDecoder().decode(
            SessionEssence.self, from: JSONEncoder().encode(conference.essence))
        let stored = try JSONDecoder().decode([Seat].self, from: JSONEncoder().encode(seats))
        return Conference(
            restoring: essence, seats: stored, id: conference.id, app: conference.app, name: conference.name,
            limits: conference.limits, now: now)
    }

    @Test("clients resume under their ids, roles and locations; those that do not are removed after the grace time")
    func clients() throws {
        let world = try World()
        let host = try world.join("host", .all)
        let manager = try world.join("manager", .hostCapable)
        let user = try world.join("user")
        try world.join("cam", kind: .publisher)
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        try world.request(CommitSubsessionsRequest(names: ["one", "two"]), host)
        try world.request(StartSubsessionsRequest(), host)
        let second = world.conference.subsessionList[1].id
        try world.request(JoinSubsessionRequest(subsession: second), user)

        var again = try restored(world.conference, now: .seconds(50))
        #expect(again.users.map(\.id) == [host, manager, user])
        #expect(again.users.map(\.role) == [.host, .manager, .participant])
        #expect(again.users.allSatisfy { !$0.isConnected })
        #expect(again.host == host)
        #expect(again.location(of: user) == .subsession(second))
        #expect(again.subsessionStatus == .started)
        #expect(again.streams.isEmpty)
        _ = try again.resume(host, now: .seconds(51)).get()
        _ = try again.resume(user, now: .seconds(51)).get()
        _ = again.handleTimeout(now: .seconds(50) + again.limits.graceTime)
        #expect(again.users.map(\.id) == [host, user])
        let refused = again.resume(manager, now: .seconds(100))
        #expect(throws: SignalingError.self) { try refused.get() }
    }

    @Test("decisions of the host stay: password, locks, forced mute, removed tokens")
    func decisions() throws {
        let world = try World()
        let host = try world.join("host", .all, password: "letmein")
        let removed = try world.join("removed", token: "t1", password: "letmein")
        try world.request(RemoveUserRequest(user: removed), host)
        try world.request(LockShareRequest(isLocked: true), host)
        try world.request(SetChatAllowedRequest(isAllowed: false), host)
        try world.request(ForceMuteAllRequest(), host)

        var again = try restored(world.conference, now: .zero)
        #expect(again.isShareLocked && !again.isChatAllowed && again.isMuteForced && again.hasPassword)
        func join(_ token: String, _ password: String?) -> ErrorCode? {
            let admission = Admission(
                connection: ConnectionID(rawValue: "new-\(token)"), name: "new", capabilities: .publisher,
                token: TokenFingerprint(rawValue: token), password: password)
            return code { _ = try again.join(admission, now: .zero, wallClock: 0).get() }
        }
        #expect(join("t2", nil) == .passwordNeeded)
        #expect(join("t1", "letmein") == .tokenRevoked)
        #expect(join("t2", "letmein") == nil)
        #expect(again.users.map(\.role) == [.host, .participant])
    }

    @Test("a muted stream starts muted when its publisher publishes again, and not after it was unmuted")
    func mutes() throws {
        let world = try World()
        let host = try world.join("host", .all)
        let user = try world.join("user")
        let camera = try world.publish(user)
        try world.request(ForceMuteStreamRequest(stream: camera), host)
        try world.request(SetMutedRequest(stream: camera, kind: .video, isMuted: true), user)

        var again = try restored(world.conference, now: .zero)
        _ = try again.resume(user, now: .zero).get()
        func publish(_ id: String) throws -> PublishPlan {
            let stream = PublishRequest.Stream(name: "stream", audioMid: "0", videoMid: "1")
            return try again.preparePublish([stream], from: user, newIDs: [StreamID(rawValue: id)]).get()
        }
        let refused = try publish("n1")
        #expect(refused.streams[0].startsAudioMuted && refused.streams[0].startsVideoMuted)
        _ = again.cancelPublish(refused)
        // A negotiation that failed does not lift the mutes.
        let plan = try publish("n2")
        #expect(plan.streams[0].startsAudioMuted && plan.streams[0].startsVideoMuted)
        let effects = again.confirmPublish(plan)
        #expect(effects.contains(.media(.setMuted(StreamID(rawValue: "n2"), .audio, true))))
        let unmute = SetMutedRequest(stream: StreamID(rawValue: "n2"), kind: .audio, isMuted: false)
        _ = again.request(unmute, from: user, now: .zero, wallClock: 0)
        #expect(again.seat(of: user)?.mutes == [Seat.Mute(videoType: .camera, kind: .video)])
    }

    @Test("whatever happened, the restored state equals the stored one", arguments: UInt64(1)...6)
    func random(_ seed: UInt64) throws {
        var driver = RandomDriver(seed: seed)
        var compared = 0
        for _ in 0..<12 {
            let world = try World()
            (driver.open, driver.silent) = ([], [])
            // The state as the store has it, from changes alone.
            var saved: [ConnectionID: Seat] = [:]
            world.conference.recordsSeatChanges = true
            for step in 0..<300 where world.ended == nil {
                driver.step(world)
                for (id, seat) in world.conference.takeChangedSeats() { saved[id] = seat }
                guard step % 10 == 9, world.ended == nil else { continue }
                let again = try restored(world.conference, now: world.now)
                #expect(again.essence == world.conference.essence, "seed \(seed)")
                let clients = world.conference.users.filter { $0.kind == .client }.map(\.id)
                #expect(again.users.map(\.id) == clients)
                for id in clients { #expect(again.seat(of: id) == world.conference.seat(of: id), "seed \(seed)") }
                #expect(saved.count == clients.count, "seed \(seed)")
                for id in clients { #expect(saved[id] == world.conference.seat(of: id), "seed \(seed)") }
                #expect(again.host == world.conference.host)
                compared += clients.count
            }
        }
        #expect(compared > 100)
    }
}
