import Conference
import Signaling
import Testing

/// Policies that the operator configures.
@Suite struct PolicyTests {
    @Test("USR-9 any participant can be made manager or host, unless the policy asks for a token that allows it")
    func promotion() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let plain = try world.join("plain")
        let other = try world.join("other")
        let whip = try world.join("whip", .hostCapable, kind: .publisher)
        try world.request(SetManagerRequest(user: plain, isManager: true), host)
        #expect(world.conference.user(plain)?.role == .manager)
        // Managers cannot make or revoke managers or hosts.
        let refused: [any RequestBody] = [
            SetManagerRequest(user: other, isManager: true), SetManagerRequest(user: plain, isManager: false),
            MakeHostRequest(user: plain), RemoveUserRequest(user: host),
        ]
        for request in refused {
            #expect(code { _ = try world.request(request, plain) } == .notPermitted)
        }
        #expect(code { try world.request(MakeHostRequest(user: whip), host) } == .notPermitted)
        try world.request(MakeHostRequest(user: other), host)
        #expect(world.conference.host == other && world.conference.user(host)?.role == .participant)
        try world.request(LeaveRequest(), other)
        // A manager has precedence over participants whose token allows the role (USR-3).
        #expect(world.conference.host == plain)
        #expect(world.violations() == [])

        var limits = ConferenceLimits()
        limits.policy.promotion = .capable
        let strict = try World(limits: limits)
        let first = try strict.join("host", .hostCapable)
        let able = try strict.join("able", .hostCapable)
        let unable = try strict.join("unable")
        #expect(
            code { try strict.request(SetManagerRequest(user: unable, isManager: true), first) }
                == .notPermitted)
        #expect(code { try strict.request(MakeHostRequest(user: unable), first) } == .notPermitted)
        try strict.request(MakeHostRequest(user: able), first)
        #expect(strict.conference.host == able)
        #expect(strict.violations() == [])
    }

    @Test("USR-10 unmuting another user sends a request, or is applied at once if the policy allows it")
    func unmuting() throws {
        func muted(_ policy: UnmutePolicy) throws -> (World, host: ConnectionID, user: ConnectionID, stream: StreamID) {
            var limits = ConferenceLimits()
            limits.policy.unmuteOthers = policy
            let world = try World(limits: limits)
            let host = try world.join("host", .hostCapable)
            let user = try world.join("user")
            let stream = try world.publish(user)
            for kind in TrackKind.allCases {
                try world.request(MuteUserRequest(user: user, kind: kind), host)
            }
            world.forgetEvents()
            return (world, host, user, stream)
        }
        let (asking, host, user, stream) = try muted(.request)
        try asking.request(RequestUnmuteRequest(user: user), host)
        #expect(asking.newEvents(user) == [.unmuteRequested(UnmuteRequested(from: host, kind: .audio))])
        #expect(asking.conference.stream(stream)?.isAudioMuted == true)
        #expect(asking.lastEffects.count == 1 && asking.violations() == [])

        let (direct, boss, guest, camera) = try muted(.direct)
        try direct.request(RequestUnmuteRequest(user: guest), boss)
        #expect(direct.lastEffects.first == .media(.setMuted(camera, .audio, false)))
        #expect(direct.conference.stream(camera)?.isAudioMuted == false)
        // Only the requested kind is unmuted.
        #expect(direct.conference.stream(camera)?.isVideoMuted == true)
        let told = direct.newEvents(guest)
        #expect(told.last == .unmuteRequested(UnmuteRequested(from: boss, kind: .audio, isUnmuted: true)))
        #expect(told.contains { $0.name == .streamChanged })
        // A participant without permission to request an unmute cannot unmute under any policy.
        let other = try direct.join("other")
        #expect(
            code { try direct.request(RequestUnmuteRequest(user: guest, kind: .video), other) }
                == .notPermitted)
        // A publisher without signalling cannot be asked, but can be unmuted.
        let whip = try direct.join("whip", kind: .publisher)
        let encoder = try direct.publish(whip)
        try direct.request(MuteUserRequest(user: whip), boss)
        try direct.request(RequestUnmuteRequest(user: whip), boss)
        #expect(direct.conference.stream(encoder)?.isAudioMuted == false)
        #expect(direct.violations() == [])
    }
}
