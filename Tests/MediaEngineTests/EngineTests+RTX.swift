import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Retransmissions of plain transports on a stream of their own (RFC 4588)")
    struct RTX {
        @Test(
            "A subscriber with an RTX stream gets retransmissions on it; one without gets them on the media stream",
            arguments: SRTPSuite.allCases, [nil, 0x4242] as [UInt32?])
        func subscriber(_ suite: SRTPSuite, _ ssrc: UInt32?) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, suite: suite, mux: true)
            let frame = publisher.video.frame(isKey: true, packets: 8)
            try publisher.send(frame)
            _ = try await EngineTests.counters(of: engine) { $0.packetsReceived == 8 }
            let subscriber = try await TestSubscriber(
                engine, suite: suite, mux: true, kinds: [.video],
                rtx: PlainRTXRequest(payloadType: 97, ssrc: ssrc))
            let plain = try await TestSubscriber(engine, suite: suite, mux: true, kinds: [.video])
            let rtx = try #require(subscriber.transport.video?.rtx)
            #expect(rtx.payloadType == 97 && rtx.ssrc != subscriber.transport.video?.ssrc)
            if let ssrc { #expect(rtx.ssrc == ssrc) }
            let video = try #require(subscriber.transport.video)
            #expect(subscriber.transport.sdp.contains("m=video \(video.port) RTP/SAVP 96 97\r\n"))
            #expect(subscriber.transport.sdp.contains("a=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n"))
            #expect(subscriber.transport.sdp.contains("a=ssrc-group:FID \(video.ssrc) \(rtx.ssrc)\r\n"))
            #expect(plain.transport.video?.rtx == nil && !plain.transport.sdp.contains("rtx"))

            for each in [subscriber, plain] {
                each.relayPort = publisher.rtcpPort
                let got = try each.collect(8, from: publisher.video)
                let wanted = got[2...4].map(\.header.sequenceNumber)
                try each.sendRTCP {
                    GenericNACK(sender: SSRC(7), media: each.ssrc(.video), sequences: wanted).write(into: &$0)
                }
            }
            let media = subscriber.ssrc(.video).rawValue
            try subscriber.collect { subscriber.streams.retransmitted[media]?.count ?? 0 >= 3 }
            let again = subscriber.streams.retransmitted[media] ?? []
            #expect(again.map(\.payload) == frame[2...4].map(\.payload))
            #expect(again.allSatisfy { $0.head[1] & 0x7f == 97 })
            #expect(subscriber.streams.repeated.isEmpty)
            try plain.collect { plain.streams.repeated.count >= 3 }
            #expect(plain.streams.repeated.map(\.payload) == frame[2...4].map(\.payload))
        }

        @Test(
            "Packets that a publisher retransmits by RTX fill the gap; other payload types on that stream are dropped")
        func publisher() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(
                engine, mux: true, kinds: [.video], rtx: PlainRTXRequest(payloadType: 97, ssrc: 0x777))
            #expect(publisher.transport.video?.rtx == PlainRTX(payloadType: 97, ssrc: 0x777))
            let subscriber = try await TestSubscriber(engine, mux: true, kinds: [.video])
            let frame = publisher.video.frame(isKey: true, packets: 8)
            try publisher.send(Array(frame[..<3] + frame[4...]))
            let missing = try publisher.awaitRTCP {
                $0.kind == .genericNACK ? try GenericNACK(parsing: $0).sequences : nil
            }
            #expect(missing == [frame[3].header.sequenceNumber])

            func again(payloadType: UInt8, sequence: UInt16) -> SourcePacket {
                var packet = frame[3]
                let original = packet.header.sequenceNumber.rawValue
                packet.header.ssrc = SSRC(0x777)
                packet.header.payloadType = PayloadType(payloadType)
                packet.header.sequenceNumber = SequenceNumber(sequence)
                packet.payload = [UInt8(original >> 8), UInt8(original & 0xff)] + packet.payload
                return packet
            }
            try publisher.send([again(payloadType: 98, sequence: 10), again(payloadType: 97, sequence: 11)])
            let got = try subscriber.collect(8, from: publisher.video)
            #expect(got.sorted { $0.sequence < $1.sequence }.map(\.payload) == frame.map(\.payload))
            let counters = await engine.counters()
            #expect(counters.rtxReceived == 1 && counters.droppedPayloadType == 1)
        }

        @Test("SSRCs and payload types that do not distinguish the streams are refused")
        func invalid() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            func refused(_ change: (inout PlainTransportRequest) -> Void) async -> EngineError? {
                var request = PlainTransportRequest(direction: .publish, session: "demo")
                request.audio = PlainTrackRequest(ssrc: 1)
                request.video = PlainTrackRequest(ssrc: 2, rtx: PlainRTXRequest(payloadType: 97, ssrc: 3))
                change(&request)
                do throws(EngineError) {
                    _ = try await engine.openPlain(request)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(await refused { $0.video?.rtx?.ssrc = 1 } == .ssrcInUse(1))
            #expect(await refused { $0.video?.rtx?.ssrc = 2 } == .ssrcInUse(2))
            for payloadType: UInt8 in [96, 111, 64, 95, 200] {
                let error = await refused { $0.video?.rtx?.payloadType = payloadType }
                #expect(error?.code == "invalidRequest", "\(payloadType)")
            }
            #expect(await refused { $0.audio?.rtx = PlainRTXRequest(payloadType: 98) }?.code == "invalidRequest")
            #expect(await engine.counters().transports == 0)
            #expect(await refused { _ in } == nil)
            // The SSRCs are in use in the session, including the SSRC of the retransmissions.
            #expect(
                await refused {
                    $0.audio = nil
                    $0.video = PlainTrackRequest(ssrc: 3)
                } == .ssrcInUse(3))
        }
    }
}
