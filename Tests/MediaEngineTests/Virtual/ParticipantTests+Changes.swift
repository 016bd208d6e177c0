import MediaBase
import MediaEngine
import RTP
import SDP
import Testing
import WebRTCClient

extension ParticipantTests {
    @Test(
        "USR-8 a track that was dropped while it was muted comes back as it is said to, whatever the engine had",
        arguments: [true, false], [true, false])
    func trackComesBack(isConnected: Bool, startsMuted: Bool) throws {
        let room = try VirtualRoom(seed: 21)
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
        let sounds = bob.received["camera"]?.sounds ?? 0
        #expect(startsMuted ? sounds == 0 : sounds > 40, "\(sounds)")
        #expect(bob.received["camera"]?.pictures ?? 0 > 15 && bob.strays.isEmpty, "\(bob.strays.prefix(3))")
    }

    @Test(
        "STR-1 events of a stream say which transport it came by, so that a new one's are not taken for the old one's")
    func eventsNameTransports() async throws {
        let room = try VirtualRoom(seed: 22)
        let ada = room.join("Ada")
        try room.publish("camera", by: ada)
        try room.run(seconds: 1)
        let first = try #require(ada.publisherID)
        // The same stream by another peer connection.
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
