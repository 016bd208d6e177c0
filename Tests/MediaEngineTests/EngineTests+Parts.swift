import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Parts on several threads")
    struct Parts {
        @Test("CLU-1 plain subscribers on three workers get every packet of a publisher, and their own retransmissions")
        func exchange() async throws {
            let engine = try EngineTests.engine {
                $0.workers = 3
                $0.spreadLoad = 0
            }
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, session: "demo")
            var subscribers: [TestSubscriber] = []
            for _ in 0..<6 { subscribers.append(try await TestSubscriber(engine, session: "demo")) }
            #expect(Set(subscribers.map { $0.transport.id.rawValue.prefix(2) }).count == 3)
            var audio: [SourcePacket] = []
            var video: [SourcePacket] = []
            for i in 0..<50 {
                let packet = publisher.audio.audioPacket(bytes: 60 + i)
                let frame = publisher.video.frame(isKey: i % 25 == 0, packets: 1 + i % 9, sizes: [1150, 1160, 700])
                try publisher.send([packet] + frame)
                audio.append(packet)
                video += frame
            }
            for subscriber in subscribers {
                let gotAudio = try subscriber.collect(audio.count, from: publisher.audio)
                let gotVideo = try subscriber.collect(video.count, from: publisher.video)
                #expect(gotAudio.map(\.payload) == audio.map(\.payload))
                #expect(gotVideo.map(\.payload) == video.map(\.payload))
            }
            #expect(try await engine.streams(session: "demo").map(\.subscribers) == [6])
            #expect(await engine.sessions().map(\.subscribers) == [6])
            for subscriber in subscribers { try await engine.closePlain(subscriber.transport.id, session: "demo") }
            try await engine.closePlain(publisher.transport.id, session: "demo")
            let counters = try await EngineTests.counters(of: engine) { $0.sessions == 0 && $0.transports == 0 }
            #expect(counters.sessions == 0 && counters.transports == 0 && counters.droppedLink == 0)
        }
    }
}
