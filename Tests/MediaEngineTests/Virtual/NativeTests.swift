import DTLS
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient

@Suite("Participants with keys of signalling, in virtual time")
struct NativeTests {
    /// Returns a session in which every participant publishes a camera and subscribes to all others.
    private func room(_ count: Int, seed: UInt64, loss: Double = 0) throws -> VirtualSession {
        var conditions = LinkConditions(delay: .milliseconds(10))
        conditions.loss = loss == 0 ? .none : .uniform(loss)
        let room = try VirtualSession(seed: seed, isNative: true, conditions: conditions) {
            $0.webRTC.startBitrate = .kilobits(8_000)
        }
        for number in 0..<count { try room.publish("camera \(number)", by: room.join("p\(number)")) }
        for participant in room.participants {
            for other in room.participants where other !== participant {
                try room.subscribe(participant, to: other.published[0].name)
            }
        }
        return room
    }

    private func judge(_ room: VirtualSession, audioPackets: Int, frames: Int) {
        for participant in room.participants {
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
            #expect(participant.publishEnd == nil && participant.receiveEnd == nil)
            for stream in participant.subscribed {
                let received = participant.received[stream]
                #expect(
                    received?.audioPackets ?? 0 >= audioPackets,
                    "\(participant.name) \(stream): \(received?.audioPackets ?? 0)")
                #expect(
                    received?.frames ?? 0 >= frames, "\(participant.name) \(stream): \(received?.frames ?? 0)")
            }
        }
    }

    @Test("Media of five participants reaches all others, as with DTLS", arguments: [0])
    func everybody(loss: Double) throws {
        let room = try room(5, seed: 31, loss: loss)
        try room.run(seconds: 2)
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 3)
        judge(room, audioPackets: loss == 0 ? 148 : 130, frames: loss == 0 ? 55 : 40)
        let counters = room.call.relay.counters
        #expect(counters.peersConnected == 10 && counters.droppedAuthentication == 0)
    }

    @Test("Streams come and go, ICE restarts, and consent is kept") func changes() throws {
        let room = try room(2, seed: 32)
        let (ada, bob) = (room.participants[0], room.participants[1])
        try room.run(seconds: 1)
        try room.publish("screen", by: ada, audio: false)
        try room.subscribe(bob, to: "screen")
        try room.run(seconds: 1.5)
        #expect(bob.received["screen"]?.frames ?? 0 > 15)
        for _ in 0..<2 {
            try ada.restartPublishing()
            try room.restartReceiving(of: bob)
            bob.forgetReceived()
            try room.run(seconds: 1)
            #expect(bob.received["camera 0"]?.audioPackets ?? 0 >= 48)
        }
        try ada.unpublish("screen")
        try room.unsubscribe(bob, from: "screen")
        try room.run(seconds: 35)
        #expect(room.call.relay.counters.peersLostConsent == 0 && bob.strays.isEmpty, "\(bob.strays.prefix(3))")
        // A participant that vanishes is removed when its consent expires.
        ada.vanish()
        try room.run(seconds: 35)
        #expect(room.call.relay.counters.peersLostConsent == 2)
    }

    @Test("Packets under other keys are counted and dropped; new keys need a new connection") func keys() throws {
        let room = try room(2, seed: 33)
        try room.run(seconds: 1)
        let ada = room.participants[0]
        let relay = room.call.relay
        let publisher = try #require(ada.publisherID)
        let description = PeerDescription(
            credentials: room.call.credentials(), fingerprints: [], cryptos: SignalledKeys().offered, setup: .actpass)
        #expect(throws: EngineError.self) {
            try relay.updatePublisher(publisher, session: "room", peer: description, sections: [])
        }
        var unknown = description
        unknown.cryptos = [CryptoAttribute(tag: 1, suite: "F8_128_HMAC_SHA1_80", key: "x")]
        #expect(throws: EngineError.self) {
            try relay.openPublisher(PublisherRequest(session: "room", peer: unknown, sections: []))
        }
        let offer = try relay.openSubscriber(session: "room", isNative: true)
        #expect(offer.relay.cryptos.count == 2)
        var wrong = description
        wrong.cryptos = [CryptoAttribute(tag: 7, suite: "AEAD_AES_128_GCM", key: offer.relay.cryptos[0].key)]
        #expect(throws: EngineError.self) { try relay.connectSubscriber(offer.id, session: "room", peer: wrong) }
        // The failed offer is closed, and the next one has its own keys.
        #expect(throws: EngineError.unknownTransport(offer.id.rawValue)) {
            try relay.connectSubscriber(offer.id, session: "room", peer: wrong)
        }
        let second = try relay.openSubscriber(session: "room", isNative: true)
        #expect(Set(second.relay.cryptos.map(\.key)).isDisjoint(with: offer.relay.cryptos.map(\.key)))
        let taken = try #require(SignalledKeys.take(second.relay.cryptos))
        wrong.cryptos = [taken.answer]
        try relay.connectSubscriber(second.id, session: "room", peer: wrong)
    }

    @Test("Any number of unusable answers leaves no state behind") func unusableAnswers() throws {
        let room = try VirtualSession(seed: 35, isNative: true) { $0.limits.transportsPerSession = 4 }
        let relay = room.call.relay
        var description = PeerDescription(
            credentials: room.call.credentials(), fingerprints: [], cryptos: [], setup: .actpass)
        for _ in 0..<10 {
            let offer = try relay.openSubscriber(session: "room", isNative: true)
            description.cryptos = [CryptoAttribute(tag: 9, suite: "AEAD_AES_128_GCM", key: "x")]
            #expect(throws: EngineError.self) {
                try relay.connectSubscriber(offer.id, session: "room", peer: description)
            }
        }
        #expect(relay.counters.refusedLimit == 0 && relay.counters.sessions == 0)
    }

    @Test("The number of clients that never connect is limited, as with DTLS") func unestablished() throws {
        let room = try VirtualSession(seed: 34, isNative: true) { $0.webRTC.unestablishedTransports = 8 }
        let sections = [PublishedSection(stream: "x", track: .offered(.audio, encodings: [.init()]))]
        for number in 0..<40 {
            var mine = sections
            mine[0].stream = "s\(number)"
            let description = PeerDescription(
                credentials: room.call.credentials(), fingerprints: [], cryptos: SignalledKeys().offered,
                setup: .actpass)
            _ = try room.call.control {
                try $0.openPublisher(PublisherRequest(session: "room", peer: description, sections: mine))
            }
        }
        #expect(room.call.relay.counters.peersDisplaced == 32)
        try room.run(seconds: 16)
        #expect(room.call.relay.counters.sessions == 0)
    }
}
