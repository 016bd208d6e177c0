import Conference
import MediaBase
import Signaling
import Testing

@Suite("STR-7 codecs of streams") struct CodecTests {
    @Test("STR-7 a stream is announced with its codec, and a subscriber that does not take it is told so once")
    func codec() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        var plan = try world.prepare([.camera], a)
        plan.streams[0].codec = .h264
        world.confirm(plan)
        world.announce(plan)
        let id = plan.streams[0].id
        #expect(world.conference.stream(id)?.codec == "H264")
        try world.request(SubscribeRequest(stream: id), b)
        world.forgetEvents()
        world.media(.codecSupported(b, id, false))
        world.media(.codecSupported(b, id, false))
        let unsupported = SubscriptionChanged(stream: id, state: .videoDisabled, reason: .unsupportedCodec)
        #expect(world.newEvents(b) == [.subscriptionChanged(unsupported)])
        // A mute does not change what the subscriber can receive.
        world.media(.videoPaused(b, id))
        world.media(.videoResumed(b, id))
        #expect(world.newEvents(b) == [])
        world.media(.codecSupported(b, id, true))
        #expect(world.newEvents(b).map(\.name) == [.subscriptionChanged])
        // A new offer in another codec changes the announced stream.
        let offer = PublishRequest.Stream(id: id, name: "camera", audioMid: "0", videoMid: "1")
        var renewed = try world.prepare([offer], a)
        renewed.streams[0].codec = .vp8
        world.confirm(renewed)
        #expect(world.newEvents(b).map(\.name) == [.streamChanged])
        #expect(world.conference.stream(id)?.codec == "VP8")
        #expect(world.violations() == [])
    }

    @Test("STR-7 a subscriber of muted video is told that it does not take the codec")
    func codecOfMutedVideo() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let id = try world.publish(a)
        try world.request(SetMutedRequest(stream: id, kind: .video, isMuted: true), a)
        try world.request(SubscribeRequest(stream: id), b)
        world.forgetEvents()
        world.media(.codecSupported(b, id, false))
        #expect(
            world.newEvents(b) == [
                .subscriptionChanged(
                    SubscriptionChanged(stream: id, state: .videoDisabled, reason: .unsupportedCodec))
            ])
        #expect(world.violations() == [])
    }
}
