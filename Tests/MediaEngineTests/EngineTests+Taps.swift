import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Taps")
    struct Taps {
        @Test("A tap gets a stream's packets decrypted, with the publisher's clock, and ends with the stream")
        func packets() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, suite: .aeadAES128GCM)
            let tap = try await engine.openTap(session: "demo", stream: "cam")
            let audioOnly = try await engine.openTap(session: "demo", stream: "cam", kinds: [.audio])
            let ntp = NTPTime(seconds: 1000, fraction: 0)
            try publisher.report(publisher.audio, ntp: ntp, timestamp: RTPTimestamp(publisher.audio.timestamp))
            _ = try await EngineTests.counters(of: engine) { $0.rtcpReceived == 1 }
            var expected: [MediaKind: [SourcePacket]] = [:]
            for i in 0..<20 {
                let audio = publisher.audio.audioPacket()
                let frame = publisher.video.frame(isKey: i == 0)
                try publisher.send([audio] + frame)
                expected[.audio, default: []].append(audio)
                expected[.video, default: []] += frame
            }
            var got: [MediaKind: [(sequence: Int64, payload: [UInt8], ntp: UInt64?)]] = [:]
            while got[.video]?.count != 80 || got[.audio]?.count != 20, tap.wait(timeout: .seconds(10)) {
                while let packet = tap.next({ ($0.kind, ($0.sequence, Array($0.payload), $0.captureNTP)) }) {
                    got[packet.0, default: []].append(packet.1)
                }
            }
            for kind in MediaKind.allCases {
                #expect(got[kind]?.map(\.payload) == expected[kind]?.map(\.payload))
                #expect(got[kind]?.map(\.sequence) == expected[kind]?.map(\.index))
            }
            #expect(got[.video]?.allSatisfy { $0.ntp == nil } == true)
            // 20 ms per packet from the report on.
            for (i, packet) in (got[.audio] ?? []).enumerated() {
                let time = NTPTime(rawValue: try #require(packet.ntp))
                #expect(abs(time.distance(from: ntp).milliseconds - Double(20 * (i + 1))) < 0.01)
            }
            var audioPackets = 0
            while audioOnly.next({ #expect($0.kind == .audio) }) != nil { audioPackets += 1 }
            #expect(audioPackets == 20)
            #expect(await engine.counters().taps == 2)
            audioOnly.close()
            try publisher.send([publisher.audio.audioPacket()])
            #expect(tap.wait(timeout: .seconds(10)))
            #expect(audioOnly.isEmpty && audioOnly.dropped == 0)
            #expect(await engine.counters().taps == 1)
            try await engine.closePlain(publisher.transport.id, session: "demo")
            while tap.next({ _ in }) != nil {}
            #expect(tap.isClosed && !tap.wait(timeout: .never))
        }

        @Test("A slow tap reader loses packets, subscribers do not")
        func slowReader() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.video])
            let tap = try await engine.openTap(session: "demo", stream: "cam", capacity: 1)
            let subscriber = try await TestSubscriber(engine, mux: true, kinds: [.video])
            for i in 0..<50 { try publisher.send(publisher.video.frame(isKey: i == 0)) }
            #expect(try subscriber.collect(200, from: publisher.video).count == 200)
            var held = 0
            while tap.next({ _ in }) != nil { held += 1 }
            #expect(held > 50 && held < 60)
            #expect(tap.dropped == UInt64(200 - held))
            #expect(await engine.counters().droppedTap == tap.dropped)
        }

        @Test("A muted track sends nothing to taps either")
        func muted() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.audio])
            let tap = try await engine.openTap(session: "demo", stream: "cam")
            try await engine.setMuted(session: "demo", stream: "cam", kind: .audio, muted: true)
            try publisher.send([publisher.audio.audioPacket(), publisher.audio.audioPacket()])
            _ = try await EngineTests.counters(of: engine) { $0.packetsMuted == 2 }
            #expect(tap.isEmpty)
        }

        @Test("After a mute the sequence numbers of a tap continue without a gap")
        func unmuted() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.audio])
            let tap = try await engine.openTap(session: "demo", stream: "cam")
            try publisher.send([publisher.audio.audioPacket()])
            #expect(tap.wait(timeout: .seconds(10)))
            let first = try #require(tap.next { ($0.sequence, $0.timestamp) })
            try await engine.setMuted(session: "demo", stream: "cam", kind: .audio, muted: true)
            try publisher.send([publisher.audio.audioPacket(), publisher.audio.audioPacket()])
            _ = try await EngineTests.counters(of: engine) { $0.packetsMuted == 2 }
            try await engine.setMuted(session: "demo", stream: "cam", kind: .audio, muted: false)
            try publisher.send([publisher.audio.audioPacket()])
            #expect(tap.wait(timeout: .seconds(10)))
            let next = try #require(tap.next { ($0.sequence, $0.timestamp) })
            #expect(next.0 == first.0 + 1 && next.1 == first.1 + 3 * 960)
        }
    }
}
