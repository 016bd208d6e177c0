import Conference
import MediaBase
import Signaling
import Testing

@Suite("Subscribers without signalling")
struct VisitingSubscriberTests {
    private func admit(
        _ world: World, _ id: String, token: String? = nil, password: String? = nil, isTrusted: Bool = false,
        capabilities: Capabilities = Capabilities(canPublish: false)
    ) -> Result<Void, SignalingError> {
        world.conference.admitVisitingSubscriber(
            Admission(
                connection: ConnectionID(rawValue: id), name: "", kind: .publisher, capabilities: capabilities,
                token: token.map(TokenFingerprint.init(rawValue:)), password: password, isTrusted: isTrusted))
    }

    private func code(_ result: Result<Void, SignalingError>) -> ErrorCode? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    private func closed(_ world: World) -> [String] {
        world.lastEffects.compactMap {
            if case .media(.closeMedia(let id)) = $0, id.rawValue.hasPrefix("v") { id.rawValue } else { nil }
        }
    }

    @Test("SES-4, TOK-3 they need the password and the capability, are limited in number, and are not announced")
    func admission() throws {
        var limits = ConferenceLimits()
        limits.visitingSubscribers = 2
        let world = try World(limits: limits)
        let host = try world.join("host", .hostCapable, password: "open")
        world.forgetEvents()
        #expect(code(admit(world, "v1")) == .passwordNeeded)
        #expect(code(admit(world, "v1", password: "shut")) == .passwordWrong)
        #expect(
            code(admit(world, "v1", password: "open", capabilities: .init(canPublish: true, canSubscribe: false)))
                == .notPermitted)
        #expect(world.conference.visitingSubscriberCount == 0)
        #expect(code(admit(world, "v1", password: "open")) == nil)
        #expect(code(admit(world, "v2", isTrusted: true)) == nil)
        #expect(code(admit(world, "v3", password: "open")) == .limitReached)
        world.conference.visitingSubscriberLeft(ConnectionID(rawValue: "v1"))
        #expect(code(admit(world, "v3", password: "open")) == nil)
        #expect(world.newEvents(host).isEmpty && world.conference.participantCount == 1)
    }

    @Test("USR-6, SES-5 they end with their token's user and with the session")
    func ends() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let guest = try world.join("guest", token: "t1")
        for (id, token) in [("v1", "t1"), ("v2", "t2"), ("v3", "t1")] {
            #expect(code(admit(world, id, token: token)) == nil)
        }
        try world.request(RemoveUserRequest(user: guest), host)
        #expect(closed(world) == ["v1", "v3"])
        #expect(!world.conference.isVisitingSubscriber(ConnectionID(rawValue: "v1")))
        #expect(code(admit(world, "v4", token: "t1")) == .tokenRevoked)
        #expect(code(admit(world, "v5")) == nil)
        try world.admin(.end)
        #expect(closed(world) == ["v2", "v5"])
        #expect(code(admit(world, "v6")) == .sessionEnded)
        #expect(world.violations() == [])
    }

    @Test(
        "SES-5 they wait for a lone publisher to start again for the grace time",
        arguments: [DisconnectReason.left, .networkLost])
    func publisherBeginsAnew(reason: DisconnectReason) throws {
        let world = try World()
        let first = try world.join("encoder", kind: .publisher)
        try world.publish(first)
        #expect(code(admit(world, "v1")) == nil)
        world.media(.publisherLeft(first, reason))
        #expect(world.ended == nil && closed(world) == [] && world.conference.streamCount == 0)
        #expect(world.conference.deadline == .seconds(30))
        world.pass(.seconds(29))
        let second = try world.join("encoder", kind: .publisher)
        try world.publish(second)
        #expect(world.conference.deadline == .never)
        world.pass(.seconds(60))
        #expect(world.ended == nil && world.conference.isVisitingSubscriber(ConnectionID(rawValue: "v1")))

        world.media(.publisherLeft(second, reason))
        world.pass(.seconds(30))
        #expect(world.ended == reason && closed(world) == ["v1"])
        #expect(world.violations() == [])
    }

    @Test("SES-5 a session does not wait without subscribers, without a grace time, or for a removed publisher")
    func nothingToWaitFor() throws {
        let gone = try World()
        let lone = try gone.join("encoder", kind: .publisher)
        #expect(code(admit(gone, "v1")) == nil)
        gone.media(.publisherLeft(lone, .left))
        #expect(gone.ended == nil)
        gone.carryOut(gone.conference.visitingSubscriberLeft(ConnectionID(rawValue: "v1")))
        #expect(gone.ended == .left)

        var limits = ConferenceLimits()
        limits.graceTime = .zero
        let hasty = try World(limits: limits)
        let encoder = try hasty.join("encoder", kind: .publisher)
        #expect(code(admit(hasty, "v1")) == nil)
        hasty.media(.publisherLeft(encoder, .left))
        #expect(hasty.ended == .left && closed(hasty) == ["v1"])

        let strict = try World()
        let removed = try strict.join("encoder", kind: .publisher)
        #expect(code(admit(strict, "v1")) == nil)
        try strict.admin(.remove(removed))
        #expect(strict.ended == .removed && closed(strict) == ["v1"])
        #expect([gone, hasty, strict].flatMap { $0.violations() } == [])
    }

    @Test("SES-4 the first client sets the password even after a publisher; subscribers without it are closed")
    func lateClient() throws {
        let world = try World()
        try world.join("encoder", kind: .publisher)
        #expect(code(admit(world, "v1")) == nil)
        #expect(code(admit(world, "v2", isTrusted: true)) == nil)
        #expect(!world.conference.hasPassword)
        try world.join("Ada", password: "secret")
        #expect(world.conference.hasPassword && closed(world) == ["v1"])
        // Later joins cannot change the password.
        #expect(code(admit(world, "v3", password: "other")) == .passwordWrong)
        try world.join("Ben", password: "secret")
        #expect(code(admit(world, "v4", password: "secret")) == nil)
        #expect(world.violations() == [])
    }

    @Test("SES-4 a publisher that names a password sets it; a first client without one leaves the session open")
    func earlyPublisher() throws {
        let closed = try World()
        try closed.join("encoder", kind: .publisher, password: "secret")
        #expect(closed.conference.hasPassword)
        #expect(code(admit(closed, "v1")) == .passwordNeeded)

        let open = try World()
        try open.join("Ada")
        try open.join("Ben", password: "secret")
        #expect(!open.conference.hasPassword)
    }
}
