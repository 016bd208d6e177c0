import Conference
import MediaBase
import Signaling
import Testing

@Suite struct ForceMuteTests {
    @Test("MUT-1 MUT-3 all streams but the excluded ones are muted, the caller's too; all clients are told")
    func all() throws {
        let world = try World()
        let caller = try world.join("caller", .moderator)
        let a = try world.join("a")
        let b = try world.join("b")
        let whip = try world.join("whip", kind: .publisher)
        let mine = try world.publish(caller)
        let first = try world.publish(a)
        let excluded = try world.publish(b)
        let silent = try world.publish(b, .screen, audio: false, keeping: [excluded])
        let plain = try world.publish(whip)
        world.forgetEvents()
        let none = StreamID(rawValue: "none")
        try world.request(ForceMuteAllRequest(excluding: [excluded, none]), caller)
        // The mutes come before any event.
        #expect(
            world.lastEffects.prefix(3) == [
                .media(.setMuted(mine, .audio, true)), .media(.setMuted(first, .audio, true)),
                .media(.setMuted(plain, .audio, true)),
            ])
        #expect(world.lastEffects.count { if case .media = $0 { true } else { false } } == 3)
        for (id, own) in [(caller, mine), (a, first), (b, nil)] as [(ConnectionID, StreamID?)] {
            let told = world.newEvents(id).compactMap {
                if case .muteForced(let body) = $0 { body } else { nil }
            }
            let expected = own.map { [MuteForced(isActive: true, stream: $0, kind: .audio)] } ?? []
            #expect(told == [MuteForced(isActive: true)] + expected)
        }
        let muted = world.conference.streams.filter(\.isAudioMuted).map(\.id)
        #expect(muted == [mine, first, plain])
        #expect(
            world.conference.stream(excluded)?.hasAudio == true && world.conference.stream(silent)?.hasVideo == true)
        #expect(world.violations() == [])
    }

    @Test("USR-8 a mute that the media plane failed to apply is reverted and announced, whoever requested it")
    func failed() throws {
        let world = try World()
        let a = try world.join("a")
        let b = try world.join("b")
        let id = try world.publish(a)
        world.forgetEvents()
        try world.request(SetMutedRequest(stream: id, kind: .audio, isMuted: true), a)
        _ = world.newEvents(b)
        world.media(.muteFailed(id, .audio, true))
        #expect(world.conference.stream(id)?.isAudioMuted == false && world.conference.stream(id)?.hasAudio == true)
        #expect(world.newEvents(b).contains { $0.name == .streamChanged })
        // The media plane gets no command for it. A failure that arrives after the mute was lifted changes nothing.
        #expect(!world.lastEffects.contains { if case .media = $0 { true } else { false } })
        world.media(.muteFailed(id, .audio, true))
        #expect(world.newEvents(b) == [])
        world.media(.muteFailed(StreamID(rawValue: "gone"), .video, true))
        #expect(world.newEvents(b) == [])
    }

    @Test("MUT-1 streams that are published later start muted until the forced mute is disabled")
    func later() throws {
        let world = try World()
        let caller = try world.join("caller", .moderator)
        try world.request(ForceMuteAllRequest(), caller)
        let late = try world.join("late")
        let plan = try world.prepare([.camera], late)
        #expect(plan.streams[0].startsAudioMuted && !plan.streams[0].startsVideoMuted)
        world.confirm(plan)
        world.announce(plan)
        let id = plan.streams[0].id
        #expect(world.conference.stream(id)?.isAudioMuted == true)
        #expect(world.newEvents(late).contains(.muteForced(MuteForced(isActive: true, stream: id, kind: .audio))))
        // A stream without audio is not muted.
        let screen = try world.publish(late, .screen, audio: false, keeping: [id])
        #expect(world.conference.stream(screen)?.isAudioMuted == false)

        try world.request(DisableForceMuteRequest(), caller)
        #expect(world.newEvents(late).last == .muteForced(MuteForced(isActive: false)))
        // Streams that are already muted stay muted.
        #expect(world.conference.stream(id)?.isAudioMuted == true)
        let other = try world.publish(caller)
        #expect(world.conference.stream(other)?.isAudioMuted == false)
        #expect(world.violations() == [])
    }

    @Test("MUT-1 a stream that is being negotiated when mute is forced starts muted")
    func whileNegotiating() throws {
        for isConfirmedBefore in [true, false] {
            let world = try World()
            let caller = try world.join("caller", .moderator)
            let a = try world.join("a")
            let plan = try world.prepare([.camera], a)
            #expect(!plan.streams[0].startsAudioMuted)
            if isConfirmedBefore { world.confirm(plan) }
            try world.request(ForceMuteAllRequest(), caller)
            if !isConfirmedBefore { world.confirm(plan) }
            #expect(world.plane.muted.count == 1)
            #expect(world.names(a).filter { $0 == .muteForced } == [.muteForced])
            world.announce(plan)
            #expect(world.conference.streams[0].isAudioMuted)
            #expect(world.names(a).filter { $0 == .muteForced } == [.muteForced, .muteForced])
            #expect(world.violations() == [])
        }
    }

    @Test("MUT-1 audio that is added to a stream while mute is forced starts muted")
    func addedAudio() throws {
        let world = try World()
        let caller = try world.join("caller", .moderator)
        let a = try world.join("a")
        let id = try world.publish(a, audio: false)
        try world.request(SubscribeRequest(stream: id), caller)
        try world.request(ForceMuteAllRequest(), caller)
        let plan = try world.prepare([PublishRequest.Stream(id: id, name: "x", audioMid: "0", videoMid: "1")], a)
        #expect(plan.streams[0].startsAudioMuted)
        world.confirm(plan)
        #expect(world.conference.stream(id)?.isAudioMuted == true)
        #expect(world.lastEffects.contains(.media(.updateSubscription(caller, id, SubscriptionPreferences()))))
        #expect(world.events(a).contains(.muteForced(MuteForced(isActive: true, stream: id, kind: .audio))))
        #expect(world.violations() == [])
    }

    @Test("MUT-2 one stream can be muted by force")
    func one() throws {
        let world = try World()
        let caller = try world.join("caller", .moderator)
        let a = try world.join("a")
        let id = try world.publish(a)
        let screen = try world.publish(a, .screen, audio: false, keeping: [id])
        world.forgetEvents()
        try world.request(ForceMuteStreamRequest(stream: id), caller)
        #expect(world.conference.stream(id)?.isAudioMuted == true)
        #expect(!world.conference.isMuteForced)
        #expect(world.newEvents(caller).last == .muteForced(MuteForced(isActive: false)))
        #expect(world.newEvents(a).contains(.muteForced(MuteForced(isActive: true, stream: id, kind: .audio))))
        #expect(
            code { try world.request(ForceMuteStreamRequest(stream: screen), caller) } == .noTrack)
        let none = ForceMuteStreamRequest(stream: StreamID(rawValue: "none"))
        #expect(code { try world.request(none, caller) } == .unknownStream)
        #expect(world.violations() == [])
    }

    @Test("MUT-3 a muted publisher unmutes itself, even while mute is forced")
    func unmuting() throws {
        let world = try World()
        let caller = try world.join("caller", .moderator)
        let a = try world.join("a")
        let id = try world.publish(a)
        try world.request(ForceMuteAllRequest(), caller)
        try world.request(SetMutedRequest(stream: id, kind: .audio, isMuted: false), a)
        #expect(world.lastEffects.first == .media(.setMuted(id, .audio, false)))
        #expect(world.conference.stream(id)?.hasAudio == true)
        let screen = try world.publish(a, .screen, audio: false, keeping: [id])
        let request = SetMutedRequest(stream: screen, kind: .audio, isMuted: false)
        #expect(code { try world.request(request, a) } == .noTrack)
        #expect(world.violations() == [])
    }

    @Test("MUT-4 forcing mute needs canForceMute, whatever the role; late joiners learn the state")
    func capability() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let stream = try world.publish(host)
        #expect(code { try world.request(ForceMuteAllRequest(), host) } == .notPermitted)
        #expect(
            code { try world.request(ForceMuteStreamRequest(stream: stream), host) } == .notPermitted)
        #expect(code { try world.request(DisableForceMuteRequest(), host) } == .notPermitted)
        let moderator = try world.join("moderator", .moderator)
        try world.request(ForceMuteAllRequest(), moderator)
        try world.request(LeaveRequest(), moderator)
        let late = try world.join("late")
        #expect(world.clients[late]?.isMuteForced == true)
        #expect(world.violations() == [])
    }
}
