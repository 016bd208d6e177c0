import Conference
import Signaling
import Testing

@Suite("Initial audio and video settings of a participant (SES-8)")
struct JoinMediaTests {
    @Test("SES-8 the reception limits of a join bound each subscription, whatever it requests")
    func received() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join(media: JoinMedia(receivesAudio: false, maximumWidth: 640, maximumHeight: 360))
        let id = try world.publish(a)
        let wish = SubscriptionPreferences(width: 1_280, height: 720, maximumWidth: 320, maximumHeight: 1_000)
        try world.request(SubscribeRequest(stream: id, preferences: wish), b)
        var bounded = wish
        bounded.audio = false
        bounded.maximumWidth = 320
        bounded.maximumHeight = 360
        #expect(world.lastEffects == [.media(.subscribe(b, id, bounded))])
        try world.request(UpdateSubscriptionRequest(stream: id, preferences: .init()), b)
        let usual = SubscriptionPreferences(audio: false, maximumWidth: 640, maximumHeight: 360)
        #expect(world.lastEffects == [.media(.updateSubscription(b, id, usual))])
        // Asking for audio again changes nothing.
        try world.request(UpdateSubscriptionRequest(stream: id, preferences: usual), b)
        #expect(world.lastEffects.isEmpty)
        #expect(world.faults.isEmpty, "\(world.faults)")
    }

    @Test("SES-8 a participant that receives no video gets no events of its pauses, and others are not affected")
    func noVideo() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join(media: JoinMedia(receivesVideo: false))
        let c = try world.join()
        let id = try world.publish(a)
        try world.request(SubscribeRequest(stream: id), b)
        #expect(world.lastEffects == [.media(.subscribe(b, id, SubscriptionPreferences(video: false)))])
        try world.request(SubscribeRequest(stream: id), c)
        #expect(world.lastEffects == [.media(.subscribe(c, id, SubscriptionPreferences()))])
    }

    @Test("SES-8 camera streams start muted as the join requested until their publisher unmutes them; screens do not")
    func published() throws {
        let world = try World()
        let a = try world.join(media: JoinMedia(startsAudioMuted: true, startsVideoMuted: true))
        let b = try world.join()
        let camera = try world.publish(a)
        var stream = try #require(world.conference.stream(camera))
        #expect(stream.isAudioMuted && stream.isVideoMuted && !stream.hasAudio && !stream.hasVideo)
        #expect(world.conference.user(a)?.audio == .muted)
        // No one forced the mute.
        #expect(!world.newEvents(a).contains { $0.name == .muteForced })
        for kind in TrackKind.allCases {
            try world.request(SetMutedRequest(stream: camera, kind: kind, isMuted: false), a)
        }
        stream = try #require(world.conference.stream(camera))
        #expect(!stream.isAudioMuted && !stream.isVideoMuted)
        let screen = try world.publish(a, .screen, keeping: [camera])
        let share = try #require(world.conference.stream(screen))
        #expect(!share.isAudioMuted && !share.isVideoMuted)
        let other = try world.publish(b)
        #expect(world.conference.stream(other)?.isAudioMuted == false)
        // Tracks that were unmuted since then stay unmuted.
        stream = try #require(world.conference.stream(camera))
        #expect(!stream.isAudioMuted && !stream.isVideoMuted)
        #expect(world.faults.isEmpty, "\(world.faults)")
    }

    @Test("SES-8 sizes out of range are refused", arguments: [0, -1, 16_384, Int.max])
    func sizes(size: Int) throws {
        let world = try World()
        for media in [JoinMedia(maximumWidth: size), JoinMedia(maximumHeight: size)] {
            let error = #expect(throws: SignalingError.self) { try world.join(media: media) }
            #expect(error?.code == .invalidField && error?.field?.hasPrefix("maximum") == true)
        }
        let a = try world.join()
        let id = try world.publish(a)
        let preferences = SubscriptionPreferences(maximumWidth: size)
        #expect(
            code { try world.request(SubscribeRequest(stream: id, preferences: preferences), a) }
                == .invalidField)
    }
}
