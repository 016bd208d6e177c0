import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("RTCP")
    struct Feedback {
        /// Returns a publisher whose key frame is cached and a subscriber that has caught up.
        private func pair(
            _ engine: MediaEngine, _ suite: SRTPSuite = .aesCM128HMACSHA1_80, mux: Bool = true
        ) async throws -> (TestPublisher, TestSubscriber, [SourcePacket]) {
            let publisher = try await TestPublisher(engine, suite: suite, mux: mux)
            let frame = publisher.video.frame(isKey: true, packets: 6)
            try publisher.send([publisher.audio.audioPacket()] + frame)
            _ = try await EngineTests.counters(of: engine) { $0.packetsReceived == 7 }
            let subscriber = try await TestSubscriber(engine, suite: suite, mux: mux)
            subscriber.relayPort = publisher.rtcpPort
            #expect(try subscriber.collect(6, from: publisher.video).count == 6)
            return (publisher, subscriber, frame)
        }

        private func wait(_ time: MediaTime) throws {
            let idle = try Endpoint()
            _ = idle.receive(within: time)
        }

        @Test(
            "A sender report reaches the subscriber with the subscriber's SSRC, timestamps and counts",
            arguments: SRTPSuite.allCases, [false, true])
        func senderReports(_ suite: SRTPSuite, _ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, subscriber, frame) = try await pair(engine, suite, mux: mux)
            let ntp = NTPTime(seconds: 3_900_000_000, fraction: 0x4000_0000)
            let timestamp = RTPTimestamp(frame[0].header.timestamp.rawValue &+ 45_000)
            try publisher.report(publisher.video, ntp: ntp, timestamp: timestamp)
            let report = try #require(
                try subscriber.awaitRTCP {
                    $0.kind == .senderReport ? try SenderReport(parsing: $0) : nil
                })
            #expect(report.sender == subscriber.ssrc(.video))
            #expect(report.packetCount == 6)
            #expect(report.octetCount == UInt32(frame.reduce(0) { $0 + $1.payload.count }))
            // Timestamps of the first publication are forwarded unchanged, so the report matches the publisher's clock.
            let elapsed = report.ntpTime.distance(from: ntp).seconds
            #expect(elapsed >= 0 && elapsed < 10)
            #expect(abs(Double(report.rtpTimestamp.distance(from: timestamp)) - elapsed * 90_000) <= 2)
        }

        @Test("After a republication, reports use the subscriber's timestamps")
        func senderReportsJoined() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (first, subscriber, _) = try await pair(engine)
            try await engine.closePlain(first.transport.id, session: "demo")
            let second = try await TestPublisher(engine, id: 9)
            let frame = second.video.frame(isKey: true)
            try second.send(frame)
            let got = try subscriber.collect(4, from: second.video)
            let ntp = NTPTime(seconds: 77, fraction: 0)
            try second.report(second.video, ntp: ntp, timestamp: frame[0].header.timestamp)
            let report = try #require(
                try subscriber.awaitRTCP {
                    $0.kind == .senderReport ? try SenderReport(parsing: $0) : nil
                })
            let elapsed = report.ntpTime.distance(from: ntp).seconds
            let viewed = try #require(got.first).header.timestamp
            #expect(viewed != frame[0].header.timestamp)
            #expect(abs(Double(report.rtpTimestamp.distance(from: viewed)) - elapsed * 90_000) <= 2)
            #expect(report.packetCount == 10)
        }

        @Test(
            "The publisher gets receiver reports with its loss and the time of its last sender report",
            arguments: [false, true])
        func receiverReports(_ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, mux: mux, kinds: [.audio])
            let ntp = NTPTime(seconds: 0x1234_5678, fraction: 0x9abc_def0)
            let packets = (0..<100).map { _ in publisher.audio.audioPacket() }
            try publisher.send(Array(packets[0..<50] + packets[60..<100]))
            try publisher.report(publisher.audio, ntp: ntp, timestamp: packets[99].header.timestamp)
            let block = try #require(
                try publisher.awaitRTCP { packet -> ReportBlock? in
                    guard packet.kind == .receiverReport else { return nil }
                    return try ReceiverReport(parsing: packet).blocks.first {
                        $0.lastSenderReport != 0 && $0.cumulativeLost > 0
                    }
                })
            #expect(block.source == publisher.audio.ssrc)
            #expect(block.cumulativeLost == 10)
            #expect(block.highestSequence == UInt32(packets[99].index))
            #expect(block.lastSenderReport == ntp.compact)
            #expect(block.delaySinceLastSenderReport > 0 && block.delaySinceLastSenderReport < 10 << 16)
        }

        @Test(
            "Key frame requests of a subscriber reach the publisher, at most one in 500 ms", arguments: [false, true])
        func pli(_ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, subscriber, _) = try await pair(engine, mux: mux)
            var times: [MediaTime] = []
            let start = monotonicNow()
            while monotonicNow() - start < .milliseconds(1300) {
                try subscriber.sendRTCP { PLI(sender: SSRC(7), media: subscriber.ssrc(.video)).write(into: &$0) }
                let media = try publisher.awaitRTCP(within: .milliseconds(10)) {
                    $0.kind == .pli ? try PLI(parsing: $0).media : nil
                }
                guard let media else { continue }
                #expect(media == publisher.video.ssrc)
                times.append(monotonicNow())
            }
            #expect(times.count >= 2 && times.count <= 3)
            #expect(times[0] - start < .milliseconds(400))
            // Measured on arrival: the test's thread may be late once.
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(400) })
            let counters = await engine.counters()
            #expect(counters.keyFrameRequestsSent == UInt64(times.count))
            #expect(counters.keyFrameRequestsReceived > 20)
        }

        @Test("A key frame request is held until the publisher sends its first packet")
        func pliBeforeTheFirstPacket() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.video])
            let subscriber = try await TestSubscriber(engine, kinds: [.video])
            try wait(.milliseconds(250))
            #expect(await engine.counters().keyFrameRequestsSent == 0)
            try publisher.send(publisher.video.frame(isKey: false))
            #expect(try publisher.awaitRTCP { $0.kind == .pli ? true : nil } == true)
            try publisher.send(publisher.video.frame(isKey: true))
            #expect(try subscriber.collect(4, from: publisher.video).count == 4)
        }

        @Test("A full intra request (FIR) counts as a key frame request")
        func fir() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, subscriber, _) = try await pair(engine)
            try subscriber.sendRTCP {
                FIR(sender: SSRC(7), entries: [FIR.Entry(source: subscriber.ssrc(.video), sequence: 1)]).write(
                    into: &$0)
            }
            #expect(try publisher.awaitRTCP { $0.kind == .pli ? true : nil } == true)
        }

        @Test(
            "Packets that a subscriber reports missing are retransmitted byte by byte", arguments: SRTPSuite.allCases,
            [false, true])
        func nack(_ suite: SRTPSuite, _ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, subscriber, _) = try await pair(engine, suite, mux: mux)
            let sequences = subscriber.streams.packets(from: publisher.video.id).map(\.header.sequenceNumber)
            let asked = [sequences[1], sequences[4], sequences[5].advanced(by: 1)]
            try subscriber.sendRTCP {
                GenericNACK(sender: SSRC(7), media: subscriber.ssrc(.video), sequences: asked).write(into: &$0)
            }
            #expect(try subscriber.collect { subscriber.streams.repeated.count >= 2 })
            #expect(subscriber.streams.repeated.map(\.header.sequenceNumber) == [sequences[1], sequences[4]])
            let counters = try await EngineTests.counters(of: engine) { $0.packetsRetransmitted == 2 }
            #expect(counters.nacksReceived == 3 && counters.packetsRetransmitted == 2)
        }

        @Test("A subscriber that keeps requesting everything is limited to its share; others are not limited")
        func nackFlood() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, greedy, _) = try await pair(engine)
            let modest = try await TestSubscriber(engine, mux: true)
            modest.relayPort = publisher.rtcpPort
            for i in 0..<40 { try publisher.send(publisher.video.frame(isKey: i == 0, packets: 10)) }
            #expect(try greedy.collect(406, from: publisher.video).count == 406)
            #expect(try modest.collect(400, from: publisher.video).count >= 400)
            let sequences = greedy.streams.packets(from: publisher.video.id).map(\.header.sequenceNumber)
            for i in 0..<200 {
                try greedy.sendRTCP {
                    GenericNACK(
                        sender: SSRC(7), media: greedy.ssrc(.video),
                        sequences: (0..<60).map { sequences[(i * 60 + $0) % 400] }
                    ).write(into: &$0)
                }
            }
            let counters = try await EngineTests.counters(of: engine) { $0.nacksReceived == 12_000 }
            #expect(counters.retransmissionsLimited > 10_000)
            #expect(counters.packetsRetransmitted < 400)
            try modest.sendRTCP {
                let missed = modest.streams.packets(from: publisher.video.id)[7].header.sequenceNumber
                GenericNACK(sender: SSRC(8), media: modest.ssrc(.video), sequences: [missed]).write(into: &$0)
            }
            #expect(try modest.collect { modest.streams.repeated.count == 1 })
        }

        @Test(
            "The relay requests missing packets from the publisher and forwards them when they arrive",
            arguments: [false, true])
        func nackToPublisher(_ mux: Bool) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, subscriber, _) = try await pair(engine, mux: mux)
            let frame = publisher.video.frame(isKey: false, packets: 8)
            // All packets are protected in order with one libsrtp2 counter; two of them are not sent.
            let datagrams = try frame.map { try publisher.protected($0) }
            for i in [0, 1, 4, 5, 6, 7] { publisher.rtp.send(datagrams[i], to: publisher.port) }
            let asked = try #require(
                try publisher.awaitRTCP { $0.kind == .genericNACK ? try GenericNACK(parsing: $0) : nil })
            #expect(asked.media == publisher.video.ssrc)
            #expect(asked.sequences == [frame[2], frame[3]].map(\.header.sequenceNumber))
            for i in [2, 3] { publisher.rtp.send(datagrams[i], to: publisher.port) }
            let got = try subscriber.collect(14, from: publisher.video)
            #expect(Set(got.map(\.index)).isSuperset(of: frame.map(\.index)))
            #expect(await engine.counters().nacksSent == 2)
        }

        @Test(
            "A missing packet is requested from the publisher within the reordering delay, not at the next housekeeping"
        )
        func nackIsPrompt() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let (publisher, _, _) = try await pair(engine)
            var delays: [MediaTime] = []
            for i in 0..<8 {
                let packets = (0..<3).map { _ in publisher.audio.audioPacket() }
                let datagrams = try packets.map { try publisher.protected($0) }
                publisher.rtp.send(datagrams[0], to: publisher.port)
                publisher.rtp.send(datagrams[2], to: publisher.port)
                let start = monotonicNow()
                _ = try publisher.awaitRTCP { packet -> Bool? in
                    guard packet.kind == .genericNACK else { return nil }
                    return try GenericNACK(parsing: packet).sequences.contains(packets[1].header.sequenceNumber)
                        ? true : nil
                }
                delays.append(monotonicNow() - start)
                publisher.rtp.send(datagrams[1], to: publisher.port)
                try wait(.milliseconds(Int64(60 + 37 * i % 100)))
            }
            // Only half of the delays are checked: a busy machine delays some.
            #expect(delays.sorted()[5] < .milliseconds(60))
        }

        @Test("A burst of coalesced RTCP datagrams is read packet by packet")
        func coalesced() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.audio])
            var burst: [UInt8] = []
            var segment = 0
            for i in 0..<60 {
                let bytes = try publisher.protectedRTCP {
                    SenderReport(
                        sender: publisher.audio.ssrc, ntpTime: NTPTime(rawValue: UInt64(i)),
                        rtpTimestamp: RTPTimestamp(0),
                        packetCount: 0, octetCount: 0
                    ).write(into: &$0)
                }
                segment = bytes.count
                burst += bytes
            }
            #expect(burst.count > 2048)
            _ = publisher.rtcp.sendSegmented(burst, segment: segment, to: publisher.rtcpPort)
            let counters = try await EngineTests.counters(of: engine) { $0.rtcpReceived == 60 }
            #expect(counters.rtcpReceived == 60 && counters.droppedOversized == 0)
        }

        @Test("A subscription for another client's address does not cut off that client's RTCP")
        func sameAddress() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            for suite in SRTPSuite.allCases {
                let session = "\(suite)"
                let publisher = try await TestPublisher(
                    engine, session: session, id: UInt32(suite.rawValue) + 1, mux: true, kinds: [.video])
                try publisher.send(publisher.video.frame(isKey: true))
                _ = try await EngineTests.counters(of: engine) {
                    $0.packetsReceived == 4 * (UInt64(suite.rawValue) + 1)
                }
                let first = try await TestSubscriber(engine, session: session, suite: suite, mux: true, kinds: [.video])
                first.relayPort = publisher.rtcpPort
                let second = try await TestSubscriber(
                    engine, session: session, suite: suite, mux: true, kinds: [.video], at: [first.endpoint])
                second.relayPort = publisher.rtcpPort
                for subscriber in [first, second] {
                    let before = await engine.counters().keyFrameRequestsReceived
                    try subscriber.sendRTCP { PLI(sender: SSRC(7), media: subscriber.ssrc(.video)).write(into: &$0) }
                    let after = try await EngineTests.counters(of: engine) { $0.keyFrameRequestsReceived == before + 1 }
                    #expect(after.keyFrameRequestsReceived == before + 1)
                }
                try await engine.closePlain(second.transport.id, session: session)
                let before = await engine.counters()
                try first.sendRTCP { PLI(sender: SSRC(7), media: first.ssrc(.video)).write(into: &$0) }
                try second.sendRTCP { PLI(sender: SSRC(7), media: second.ssrc(.video)).write(into: &$0) }
                let after = try await EngineTests.counters(of: engine) {
                    $0.keyFrameRequestsReceived > before.keyFrameRequestsReceived
                        && $0.droppedUnauthenticRTCP > before.droppedUnauthenticRTCP
                }
                #expect(after.keyFrameRequestsReceived == before.keyFrameRequestsReceived + 1)
                #expect(after.droppedUnauthenticRTCP == before.droppedUnauthenticRTCP + 1)
            }
        }
    }
}
