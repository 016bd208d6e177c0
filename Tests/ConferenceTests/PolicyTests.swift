import Conference
import Signaling
import Testing

/// Rules that the operator chooses.
@Suite struct PolicyTests {
    @Test("USR-9 any participant can be made manager or host, unless the policy asks for a token that allows it")
    func promotion() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let plain = try world.join("plain")
        let other = try world.join("other")
        let whip = try world.join("whip", .hostCapable, kind: .publisher)
        try world.request(.setManager(SetManagerRequest(user: plain, isManager: true)), host)
        #expect(world.conference.user(plain)?.role == .manager)
        // Managers make and revoke none.
        for request in [
            Request.setManager(SetManagerRequest(user: other, isManager: true)),
            .setManager(SetManagerRequest(user: plain, isManager: false)), .makeHost(MakeHostRequest(user: plain)),
            .removeUser(RemoveUserRequest(user: host)),
        ] {
            #expect(code { try world.request(request, plain) } == .notPermitted)
        }
        #expect(code { try world.request(.makeHost(MakeHostRequest(user: whip)), host) } == .notPermitted)
        try world.request(.makeHost(MakeHostRequest(user: other)), host)
        #expect(world.conference.host == other && world.conference.user(host)?.role == .participant)
        try world.request(.leave(LeaveRequest()), other)
        // A manager comes before whoever's token allows the role (USR-3).
        #expect(world.conference.host == plain)
        #expect(world.violations() == [])

        var limits = ConferenceLimits()
        limits.policy.promotion = .capable
        let strict = try World(limits: limits)
        let first = try strict.join("host", .hostCapable)
        let able = try strict.join("able", .hostCapable)
        let unable = try strict.join("unable")
        #expect(
            code { try strict.request(.setManager(SetManagerRequest(user: unable, isManager: true)), first) }
                == .notPermitted)
        #expect(code { try strict.request(.makeHost(MakeHostRequest(user: unable)), first) } == .notPermitted)
        try strict.request(.makeHost(MakeHostRequest(user: able)), first)
        #expect(strict.conference.host == able)
        #expect(strict.violations() == [])
    }
}
