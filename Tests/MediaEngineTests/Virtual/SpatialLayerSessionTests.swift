import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient

@Suite("STR-7 Spatial layers of one encoding in virtual time")
struct SpatialLayerSessionTests {
    /// A session in which Ada publishes "camera" in VP9 (L3T3_KEY, a third of a megabit per second for each spatial layer), and Bob
    /// subscribes to it, with audio.
    private static func room(seed: UInt64) throws -> (VirtualSession, ada: VirtualParticipant, bob: VirtualParticipant)
    {
        let room = try VirtualSession(seed: seed)
        let ada = room.join("Ada")
        let bob = room.join("Bob", videoCodecs: [.vp8, .vp9])
        try room.publish("camera", by: ada, codecs: [.vp9])
        try room.run(seconds: 1)
        try room.subscribe(bob, to: "camera", kinds: [.video, .audio])
        return (room, ada, bob)
    }

    /// Returns the seconds until the participant's newest frame has this highest spatial layer; nil if that takes too long.
    private static func seconds(
        until layer: UInt8, _ bob: VirtualParticipant, in room: VirtualSession, atMost limit: Double
    ) throws -> Double? {
        var elapsed = 0.0
        while bob.received["camera"]?.encoding != layer {
            guard elapsed < limit else { return nil }
            try room.run(seconds: 0.1)
            elapsed += 0.1
        }
        return elapsed
    }

    /// At 400 kb/s the lowest layer and the audio fill the path, so that it is congested again and again.
    @Test(
        "A subscriber on a path that becomes narrow and wide again gets fewer spatial layers, and all again within 5 s, without a pause",
        arguments: [Int64(400), 500], UInt64(801)...803)
    func narrow(_ rate: Int64, _ seed: UInt64) throws {
        let (room, _, bob) = try Self.room(seed: seed)
        #expect(try Self.seconds(until: 2, bob, in: room, atMost: 20) != nil, "all layers on a wide path")
        // The seed varies when the path changes between two probes.
        try room.run(seconds: 2 + Double(seed % 800) * 0.4)
        let seen = try #require(bob.received["camera"])
        #expect(seen.descriptors > 0, "descriptors are forwarded")
        var path = LinkConditions(delay: .milliseconds(20))
        path.rate = .kilobits(rate)
        path.queue = 60_000
        bob.setDownlink(path)
        #expect(try Self.seconds(until: 0, bob, in: room, atMost: 3) != nil, "the lowest layer on a narrow path")
        try room.run(seconds: 3)
        bob.forgetReceived()
        try room.run(seconds: 10)
        let narrow = try #require(bob.received["camera"])
        #expect(narrow.frames >= 180 && !narrow.encodings.contains(2), "\(narrow.frames) \(narrow.encodings)")
        bob.setDownlink(LinkConditions(delay: .milliseconds(20)))
        bob.forgetReceived()
        let up = try #require(try Self.seconds(until: 2, bob, in: room, atMost: 15))
        let frames = try #require(bob.received["camera"]).frames
        #expect(up <= 5 && Double(frames) >= 18 * up, "\(frames) frames in \(up) s")
        #expect(bob.strays.isEmpty, "\(bob.strays)")
    }

    /// Sizes that a subscriber can request, with the spatial layer that satisfies them. The layers are 135, 270 and 540 pixels high.
    private static let sizes: [(preferences: StreamPreferences, layer: UInt8)] = [
        (StreamPreferences(height: 270), 1), (StreamPreferences(maximumHeight: 270), 1),
        (StreamPreferences(height: 135), 0), (StreamPreferences(maximumHeight: 200), 0),
    ]

    @Test(
        "A subscriber of a lower spatial layer gets no higher one when the publisher stops and starts layers, or pauses",
        arguments: 0..<4)
    func stoppedLayers(_ size: Int) throws {
        let (room, ada, bob) = try Self.room(seed: 811)
        #expect(try Self.seconds(until: 2, bob, in: room, atMost: 20) != nil, "all layers on a wide path")
        try room.run(seconds: 2)
        let (preferences, layer) = Self.sizes[size]
        try room.prefer(bob, "camera", preferences)
        try room.run(seconds: 0.3)
        bob.forgetReceived()
        let requests = ada.published[0].keyFrameRequests
        for stopped in [Set([2]), Set([1, 2])] {
            ada.stopped = stopped
            try room.run(seconds: 4)
            ada.stopped = []
            try room.run(seconds: 3)
            let seen = try #require(bob.received["camera"])
            #expect((seen.encodings.max() ?? .max) == layer, "without \(stopped): \(seen.encodings)")
            #expect(seen.frames >= 130)
            bob.forgetReceived()
        }
        if layer == 0 { #expect(ada.published[0].keyFrameRequests == requests, "the lowest layer needs no key frame") }
        // Longer than rates are measured, and shorter than an encoding counts as active without packets.
        for pause in [1.2, 1.7] {
            ada.stopped = [0, 1, 2]
            try room.run(seconds: pause)
            bob.forgetReceived()
            ada.stopped = []
            try room.run(seconds: 2)
            let seen = try #require(bob.received["camera"])
            #expect((seen.encodings.max() ?? .max) == layer, "after \(pause) s: \(seen.encodings)")
            #expect(seen.frames >= 35)
        }
    }

    @Test("A subscriber gets the spatial layer that it requests within 250 ms, and no higher one after it")
    func chosen() throws {
        let (room, ada, bob) = try Self.room(seed: 815)
        #expect(try Self.seconds(until: 2, bob, in: room, atMost: 20) != nil, "all layers on a wide path")
        try room.run(seconds: 4)
        // Layer before the change.
        var before: UInt8 = 2
        for (height, layer) in [(135, 0), (540, 2), (270, 1), (135, 0), (270, 1), (540, 2)] as [(Int, UInt8)] {
            let requests = ada.published[0].keyFrameRequests
            try room.prefer(bob, "camera", StreamPreferences(height: height))
            // A lower layer is sent from the next frame on. A higher one needs a key frame, which is requested at once.
            try room.run(seconds: layer < before ? 0.1 : 0.25)
            bob.forgetReceived()
            try room.run(seconds: 1.5)
            let seen = try #require(bob.received["camera"])
            #expect(seen.encodings == [layer] && seen.frames >= 28, "\(layer): \(seen.frames) \(seen.encodings)")
            #expect(ada.published[0].keyFrameRequests - requests == (layer > before ? 1 : 0), "\(layer)")
            before = layer
        }
        #expect(bob.strays.isEmpty, "\(bob.strays)")
    }
}
