import MediaBase
import MediaEngine
import RTP
import SDP
import Testing
import WebRTCClient
import WebRTCTestKit

extension ParticipantTests {
    @Test(
        "USR-8 a track that was dropped while muted comes back muted only if signalling says so, whatever the engine's state was",
        arguments: [true, false], [true, false])
    func trackComesBack(isConnected: Bool, startsMuted: Bool) throws {
        let room = try VirtualSession(seed: 21)
        let ada = room.join("Ada")
        let bob = room.join("Bob")
        try room.publish("camera", by: ada)
        try room.subscribe(bob, to: "camera")
        if isConnected { try room.run(seconds: 1) }
        try room.mute("camera", .audio, true)
        if isConnected { try room.run(seconds: 0.2) }
        try ada.setAudio(of: "camera", false)
        if isConnected { try room.run(seconds: 0.2) }
        if !startsMuted { room.noteUnmuted("camera", .audio) }
        try ada.setAudio(of: "camera", true, startsMuted: startsMuted ? [.audio] : [])
        try room.run(seconds: 1)
        bob.forgetReceived()
        try room.run(seconds: 1)
        let audioPackets = bob.received["camera"]?.audioPackets ?? 0
        #expect(startsMuted ? audioPackets == 0 : audioPackets > 40, "\(audioPackets)")
        #expect(bob.received["camera"]?.frames ?? 0 > 15 && bob.strays.isEmpty, "\(bob.strays.prefix(3))")
    }

    @Test("STR-3 video that is paused briefly during a switch of encodings resumes with the preferred encoding")
    func unwantedDuringSwitch() throws {
        let (room, _, bob) = try Self.pair(seed: 23, video: SyntheticVideo.Encoding.simulcast, rids: Self.rids)
        try room.run(seconds: 8)
        try #require(bob.received["camera"]?.encoding ?? 0 > 0)
        // The key frame of the small encoding cannot have arrived by then.
        try room.prefer(bob, "camera", .init(height: 180))
        try room.prefer(bob, "camera", .init(video: false, height: 180))
        try room.run(seconds: 0.5)
        let asked = room.call.relay.counters.keyFrameRequestsSent
        try room.prefer(bob, "camera", .init(height: 180))
        try room.run(seconds: 4)
        #expect(bob.received["camera"]?.encoding == 0)
        // It is not requested repeatedly either.
        #expect(room.call.relay.counters.keyFrameRequestsSent - asked <= 6)
    }

    @Test("STR-3 a stream that ends just after a switch of encodings and comes back continues the subscriber's numbers")
    func endsAfterSwitch() throws {
        let (room, ada, bob) = try Self.pair(seed: 24, video: SyntheticVideo.Encoding.simulcast, rids: Self.rids)
        for milliseconds in stride(from: 20, through: 120, by: 20) {
            try room.prefer(bob, "camera", .init())
            try room.run(seconds: 4)
            try room.prefer(bob, "camera", .init(height: 180))
            try room.run(seconds: Double(milliseconds) / 1_000)
            // Before the router was asked which encoding feeds him.
            room.move([bob], to: "one")
            try ada.unpublish("camera")
            try room.run(seconds: 0.2)
            room.move([bob], to: MediaEngine.mainSubsession)
            try room.publish("camera", by: ada, video: SyntheticVideo.Encoding.simulcast, rids: Self.rids)
            try room.run(seconds: 0.5)
            bob.forgetReceived()
            try room.run(seconds: 1.5)
            // Under earlier sequence numbers his client would drop the packets.
            #expect(bob.received["camera"]?.frames ?? 0 > 10, "\(milliseconds) ms")
        }
    }

    @Test(
        "STR-1 events of a stream name its transport, so that those of a new one are not attributed to the old one")
    func eventsNameTransports() async throws {
        let room = try VirtualSession(seed: 22)
        let ada = room.join("Ada")
        try room.publish("camera", by: ada)
        try room.run(seconds: 1)
        let first = try #require(ada.publisherID)
        // The same stream over another peer connection.
        try room.call.control { try $0.closeWebRTC(first, session: "room") }
        let eve = room.join("Eve")
        try room.publish("camera", by: eve)
        try room.run(seconds: 1)
        let second = try #require(eve.publisherID)
        room.call.relay.close()
        var events: [StreamEvent] = []
        for await event in room.call.relay.events { events.append(event) }
        for transport in [first, second] {
            #expect(events.contains(.published(session: "room", transport: transport, stream: "camera")))
            for kind in [MediaKind.audio, .video] {
                #expect(
                    events.contains(.mediaBegan(session: "room", transport: transport, stream: "camera", kind: kind)))
            }
            #expect(
                events.contains(
                    .dimensions(session: "room", transport: transport, stream: "camera", width: 320, height: 180)))
            #expect(events.count { $0 == .closed(session: "room", transport: transport, stream: "camera") } == 1)
        }
    }
}
