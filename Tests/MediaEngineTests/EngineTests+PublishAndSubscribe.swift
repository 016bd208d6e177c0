import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Publish and subscribe")
    struct PublishAndSubscribe {
        @Test(
            "Payloads arrive as they were sent with every suite, with RTCP on its own port and on the RTP port",
            arguments: SRTPSuite.allCases, [false, true])
        func suites(_ suite: SRTPSuite, _ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            try await exchange(engine, suite, mux)
        }

        @Test(
            "Payloads arrive with each kind of offload and each back end",
            arguments: [EngineConfiguration.Offload.off, .automatic],
            [FanoutProtector.Backend.evp, .multiBuffer])
        func fallbacks(_ offload: EngineConfiguration.Offload, _ protection: FanoutProtector.Backend) async throws {
            let engine = try EngineTests.engine {
                $0.offload = offload
                $0.protection = protection
            }
            defer { engine.stop() }
            for suite in SRTPSuite.allCases { try await exchange(engine, suite, true) }
        }

        @Test("Payloads arrive when packets are sent immediately, without gathering")
        func withoutGathering() async throws {
            let engine = try EngineTests.engine { $0.gather = .zero }
            defer { engine.stop() }
            try await exchange(engine, .aeadAES128GCM, false)
        }

        @Test("Payloads to subscribers on this host arrive with raw egress, which leaves them to the sockets")
        func rawEgress() async throws {
            let engine = try EngineTests.engine { $0.rawEgress = .automatic }
            defer { engine.stop() }
            try await exchange(engine, .aesCM128HMACSHA1_80, true)
            #expect(await engine.counters().rawPackets == 0)
        }

        private func exchange(_ engine: MediaEngine, _ suite: SRTPSuite, _ mux: Bool) async throws {
            let session = "\(suite)"
            let publisher = try await TestPublisher(
                engine, session: session, id: UInt32(suite.rawValue) + 1, suite: suite, mux: mux)
            #expect(publisher.transport.audio?.payloadType == 111 && publisher.transport.video?.payloadType == 96)
            #expect(publisher.rtcpPort == (mux ? publisher.port : publisher.port + 1))
            let subscriber = try await TestSubscriber(
                engine, session: session, suite: SRTPSuite.allCases[(Int(suite.rawValue) + 1) % 3], mux: mux,
                payloadTypes: [.audio: 100])
            var audio: [SourcePacket] = []
            var video: [SourcePacket] = []
            for i in 0..<50 {
                let packet = publisher.audio.audioPacket(bytes: 60 + i)
                let frame = publisher.video.frame(isKey: i % 25 == 0, packets: 1 + i % 9, sizes: [1150, 1160, 700])
                try publisher.send([packet] + frame)
                audio.append(packet)
                video += frame
            }
            let gotAudio = try subscriber.collect(audio.count, from: publisher.audio)
            let gotVideo = try subscriber.collect(video.count, from: publisher.video)
            #expect(gotAudio.map(\.payload) == audio.map(\.payload))
            #expect(gotVideo.map(\.payload) == video.map(\.payload))
            #expect(gotVideo.map(\.header.timestamp) == video.map(\.header.timestamp))
            #expect(gotVideo.map(\.header.marker) == video.map(\.header.marker))
            #expect(
                gotAudio.allSatisfy {
                    $0.header.ssrc == subscriber.ssrc(.audio) && $0.header.payloadType.rawValue == 100
                })
            #expect(
                gotVideo.allSatisfy {
                    $0.header.ssrc == subscriber.ssrc(.video) && $0.header.payloadType.rawValue == 96
                })
            for got in [gotAudio, gotVideo] {
                #expect(zip(got, got.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
                #expect(got.first.map { $0.header.sequenceNumber.rawValue < 0x8000 } == true)
            }
            try await engine.closePlain(subscriber.transport.id, session: session)
            try await engine.closePlain(publisher.transport.id, session: session)
            #expect(await engine.sessions().isEmpty)
        }

        @Test(
            "Plain publishers of two sessions on one worker use the same SSRCs: each reaches its own subscriber",
            arguments: SRTPSuite.allCases)
        func sharedSSRC(_ suite: SRTPSuite) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            var pairs: [(publisher: TestPublisher, subscriber: TestSubscriber)] = []
            for session in ["one", "two", "three"] {
                let publisher = try await TestPublisher(engine, session: session, id: 1, suite: suite)
                pairs.append((publisher, try await TestSubscriber(engine, session: session, suite: suite)))
            }
            #expect(Set(pairs.map { $0.publisher.audio.ssrc }).count == 1)
            var sent = Array(repeating: [[UInt8]](), count: pairs.count)
            for i in 0..<30 {
                for index in pairs.indices {
                    // Payload lengths differ between publishers.
                    let packet = pairs[index].publisher.audio.audioPacket(bytes: 50 + 3 * i + index)
                    try pairs[index].publisher.send([packet])
                    sent[index].append(packet.payload)
                }
            }
            for (index, pair) in pairs.enumerated() {
                let got = try pair.subscriber.collect(30, from: pair.publisher.audio)
                #expect(got.map(\.payload) == sent[index])
            }
            // RTCP reports are told apart in the same way.
            for pair in pairs {
                try pair.publisher.report(
                    pair.publisher.audio, ntp: NTPTime(unixNanoseconds: 1), timestamp: RTPTimestamp(960))
            }
            let counters = try await EngineTests.counters(of: engine) { $0.rtcpReceived >= 3 }
            #expect(counters.rtcpReceived == 3 && counters.droppedUnauthenticRTCP == 0)
            #expect(counters.droppedAuthentication == 0 && counters.packetsReceived == 90)

            // The remaining publishers continue when one of them closes.
            try await engine.closePlain(pairs[0].publisher.transport.id, session: "one")
            for index in 1..<pairs.count {
                try pairs[index].publisher.send([pairs[index].publisher.audio.audioPacket(bytes: 200)])
                #expect(try pairs[index].subscriber.collect(31, from: pairs[index].publisher.audio).count == 31)
            }
        }

        @Test("Audio and video on one port")
        func onePort() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine)
            let subscriber = try await TestSubscriber(engine, mux: true, onOnePort: true)
            for i in 0..<20 {
                try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: i == 0))
            }
            #expect(try subscriber.collect(20, from: publisher.audio).count == 20)
            #expect(try subscriber.collect(80, from: publisher.video).count == 80)
        }

        @Test("Sessions on several workers, with several subscribers each, receive only their own streams")
        func workers() async throws {
            let engine = try EngineTests.engine { $0.workers = 3 }
            defer { engine.stop() }
            #expect(Set(engine.plainPorts).count == 3 && engine.plainPorts.allSatisfy { $0 % 2 == 0 })
            var rooms: [(TestPublisher, [TestSubscriber])] = []
            for i in 0..<9 {
                let publisher = try await TestPublisher(engine, session: "room \(i)", id: UInt32(i + 1))
                var subscribers: [TestSubscriber] = []
                for _ in 0..<3 { subscribers.append(try await TestSubscriber(engine, session: "room \(i)", mux: true)) }
                rooms.append((publisher, subscribers))
            }
            #expect(Set(rooms.map(\.0.port)).count > 1, "nine names on more than one worker")
            for i in 0..<10 {
                for (publisher, _) in rooms {
                    try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: i == 0))
                }
            }
            for (publisher, subscribers) in rooms {
                for subscriber in subscribers {
                    #expect(try subscriber.collect(10, from: publisher.audio).count == 10)
                    #expect(try subscriber.collect(40, from: publisher.video).count == 40)
                    #expect(subscriber.streams.packets.count == 2)
                }
            }
            #expect(await engine.sessions().count == 9)
            #expect(await engine.counters().transports == 36)
        }

        @Test(
            "A subscriber to all streams receives each under its own SSRC, including streams that are published later")
        func allStreams() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let first = try await TestPublisher(engine, stream: "a", id: 1)
            let subscriber = try await TestSubscriber(engine, stream: PlainTransportRequest.allStreams, mux: true)
            let second = try await TestPublisher(engine, stream: "b", id: 2)
            for i in 0..<10 {
                for publisher in [first, second] {
                    try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: i == 0))
                }
            }
            for publisher in [first, second] {
                #expect(try subscriber.collect(10, from: publisher.audio).count == 10)
                #expect(try subscriber.collect(40, from: publisher.video).count == 40)
            }
            #expect(subscriber.streams.packets.count == 4)
            #expect(subscriber.transport.sources.count == 2)
        }

        @Test("A subscriber that joins receives all frames since the last key frame, then the live packets")
        func joining() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.video])
            var expected: [SourcePacket] = []
            for i in 0..<60 { expected += publisher.video.frame(isKey: i == 0, packets: 5) }
            try publisher.send(expected)
            _ = try await EngineTests.counters(of: engine) { $0.packetsReceived == 300 }
            let subscriber = try await TestSubscriber(engine, kinds: [.video])
            for _ in 0..<20 {
                let frame = publisher.video.frame(isKey: false, packets: 5)
                expected += frame
                try publisher.send(frame)
                try subscriber.drain(for: .milliseconds(2))
            }
            let got = try subscriber.collect(expected.count, from: publisher.video)
            #expect(got.map(\.index).sorted() == expected.map(\.index))
            #expect(got.allSatisfy { $0.sequence - got[0].sequence == $0.index - expected[0].index })
            #expect(await engine.counters().keyFrameRequestsSent == 0)
        }

        @Test("Cached packets are sent at a few packets per millisecond, however busy the worker is")
        func pacedJoin() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.video])
            for i in 0..<120 { try publisher.send(publisher.video.frame(isKey: i == 0, packets: 10, sizes: [300])) }
            _ = try await EngineTests.counters(of: engine) { $0.packetsReceived == 1200 }
            let subscriber = try await TestSubscriber(engine, kinds: [.video])
            let start = monotonicNow()
            var count = 0
            // Each datagram causes one turn of the worker's loop.
            while count < 1200, monotonicNow() - start < .seconds(10) {
                publisher.rtp.send([0xff, 0], to: publisher.port)
                while subscriber.endpoint.rtp.receive(within: .zero) != nil { count += 1 }
            }
            #expect(count == 1200)
            #expect(monotonicNow() - start > .milliseconds(1200 / 16 - 10))
        }

        @Test("A key frame whose first packet is late reaches a waiting subscriber complete")
        func lateKeyFrame() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.video])
            let subscriber = try await TestSubscriber(engine, kinds: [.video])
            let frame = publisher.video.frame(isKey: true, packets: 8)
            try publisher.send(Array(frame[1...4]) + [frame[0]] + Array(frame[5...7]))
            let got = try subscriber.collect(8, from: publisher.video)
            #expect(got.map(\.index).sorted() == frame.map(\.index))
        }
    }
}
