import Conference
import Signaling
import Testing

@Suite("Publishers without signalling that start again under their name")
struct TakingOverTests {
    private func admission(
        token: String? = nil, identity: String? = nil, isTrusted: Bool = false, password: String? = nil,
        capabilities: Capabilities = Capabilities(canPublish: true)
    ) -> Admission {
        Admission(
            connection: ConnectionID(rawValue: "new"), name: "cam", identity: identity, kind: .publisher,
            capabilities: capabilities, token: token.map(TokenFingerprint.init(rawValue:)), password: password,
            isTrusted: isTrusted)
    }

    @Test("CON-8 a publisher with the same token takes over the stream; subscriptions and mutes stay")
    func sameToken() throws {
        let world = try World()
        let ada = try world.join("ada", .all)
        let encoder = try world.join("cam", kind: .publisher, identity: "encoder", token: "t1")
        let stream = try world.publish(encoder)
        try world.request(SubscribeRequest(stream: stream), ada)
        try world.request(ForceMuteStreamRequest(stream: stream), ada)
        world.forgetEvents()
        world.carryOut(
            try world.conference.takeOver(encoder, by: admission(token: "t1", identity: "encoder")).get())
        let again = PublishRequest.Stream(id: stream, name: "stream", audioMid: "0", videoMid: "1")
        let plan = try world.prepare([again], encoder)
        #expect(plan.streams.map(\.isNew) == [false] && plan.streams[0].startsAudioMuted)
        world.confirm(plan)
        world.announce(plan)
        #expect(world.newEvents(ada).isEmpty)
        #expect(world.conference.subscriptions(of: ada).map(\.stream) == [stream])
        #expect(world.conference.participantCount == 2 && world.conference.streams.map(\.id) == [stream])
        #expect(world.violations() == [])
    }

    @Test("a publisher that may not take over is refused and changes nothing")
    func refusals() throws {
        let world = try World()
        let ada = try world.join("ada", .hostCapable)
        let own = try world.publish(ada)
        let named = try world.join("cam", kind: .publisher, token: "t1")
        let trusted = try world.join("cam2", kind: .publisher, isTrusted: true)
        let bare = try world.join("cam3", kind: .publisher)
        for connection in [named, trusted, bare] { try world.publish(connection) }
        world.forgetEvents()
        func attempt(_ holder: ConnectionID, _ admission: Admission) -> ErrorCode? {
            code { _ = try world.conference.takeOver(holder, by: admission).get() }
        }
        for (holder, newcomer) in [
            (named, admission(token: "t2")), (named, admission()), (named, admission(isTrusted: true)),
            (trusted, admission(token: "t1")), (trusted, admission()), (bare, admission()),
            (bare, admission(isTrusted: true)),
        ] { #expect(attempt(holder, newcomer) == .streamExists) }
        // The stream of a client of the control protocol cannot be taken over.
        let moderator = Capabilities(canPublish: true, canForceDisconnect: true)
        #expect(attempt(ada, admission(token: "t3", capabilities: moderator)) == .streamExists)
        #expect(attempt(ConnectionID(rawValue: "nobody"), admission(isTrusted: true)) == .streamExists)
        #expect(world.newEvents(ada).isEmpty && world.conference.isPublished(own))

        #expect(attempt(trusted, admission(isTrusted: true)) == nil)
        #expect(attempt(named, admission(token: "t3", identity: "other", capabilities: moderator)) == nil)
        #expect(world.conference.user(named)?.identity == "other")
        // From now on the name belongs to the new token.
        #expect(attempt(named, admission(token: "t1")) == .streamExists)
        #expect(attempt(named, admission(token: "t3")) == nil)
        try world.request(RemoveUserRequest(user: named), ada)
        #expect(attempt(trusted, admission(token: "t3", capabilities: moderator)) == .tokenRevoked)
    }

    @Test("SES-4 taking over a stream needs the session's password")
    func password() throws {
        let world = try World()
        try world.join("ada", .hostCapable, password: "open")
        let encoder = try world.join("cam", kind: .publisher, token: "t1", password: "open")
        try world.publish(encoder)
        #expect(
            code { _ = try world.conference.takeOver(encoder, by: admission(token: "t1")).get() } == .passwordNeeded)
        #expect(
            code { _ = try world.conference.takeOver(encoder, by: admission(token: "t1", password: "open")).get() }
                == nil)
    }
}
