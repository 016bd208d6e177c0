#if DEBUG
    import MediaBase
    import MillraceTestKit
    import RTP
    import Testing

    @testable import MediaEngine

    /// Runs each fault next to a worker without it.
    @Suite("Faults of test builds")
    struct FaultTests {
        @Test(
            "drop-video: every 40th video packet is dropped and cannot be retransmitted",
            arguments: [nil, Fault.dropVideo])
        func dropVideo(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            let subscriber = try bench.view()
            for i in 0..<30 {
                try bench.send([publisher.audio.audioPacket()], from: publisher)
                try bench.send(publisher.video.frame(isKey: i == 0), from: publisher)
            }
            let first = try #require(subscriber.packets(.video).first)
            let got = subscriber.packets(.video).map { $0.sequence - first.sequence }
            #expect(got == (0..<120).filter { fault == nil || $0 % 40 != 39 })
            #expect(subscriber.packets(.audio).count == 30)
            try bench.sendRTCP(from: subscriber) {
                GenericNACK(
                    sender: SSRC(7), media: subscriber.ssrc(.video),
                    sequences: [39, 40].map { first.header.sequenceNumber.advanced(by: $0) }
                ).write(into: &$0)
            }
            #expect(bench.worker.counters.packetsRetransmitted == (fault == nil ? 2 : 1))
            #expect(bench.worker.counters.nacksSent == 0)
        }

        @Test("drop-audio: no audio, all video", arguments: [nil, Fault.dropAudio])
        func dropAudio(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            let subscriber = try bench.view()
            for i in 0..<10 {
                try bench.send([publisher.audio.audioPacket()], from: publisher)
                try bench.send(publisher.video.frame(isKey: i == 0), from: publisher)
            }
            #expect(subscriber.packets(.audio).count == (fault == nil ? 10 : 0))
            #expect(subscriber.packets(.video).count == 40)
        }

        @Test(
            "swap-audio, cross-session: another session's media under the subscriber's own SSRC, sequence numbers and timestamps",
            arguments: [nil, Fault.swapAudio, .crossSession])
        func swap(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let names = ["a", "b", "c"]
            let publishers = try names.map { try bench.publish($0) }
            let subscribers = try names.map { try bench.view($0) }
            // Until all publishers have begun, some subscribers get their own media.
            let begun = [MediaKind.audio: 1, .video: 4]
            for i in 0..<12 {
                for publisher in publishers {
                    try bench.send([publisher.audio.audioPacket()], from: publisher)
                    try bench.send(publisher.video.frame(isKey: i < 2), from: publisher)
                }
            }
            for (i, subscriber) in subscribers.enumerated() {
                for (kind, swapped) in [(MediaKind.audio, Fault.swapAudio), (.video, .crossSession)] {
                    let source = publishers[fault == swapped ? (i + 2) % 3 : i]
                    let id = kind == .audio ? source.audio.id : source.video.id
                    let got = subscriber.packets(kind)
                    #expect(got.count >= 11 * begun[kind, default: 0])
                    #expect(got.dropFirst(2 * begun[kind, default: 0]).allSatisfy { $0.sourceID == id })
                    #expect(zip(got, got.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
                    #expect(
                        zip(got, got.dropFirst()).allSatisfy {
                            (0..<9_000).contains($1.header.timestamp.distance(from: $0.header.timestamp))
                        })
                }
                let before = publishers.map(\.keyFrameRequests)
                try bench.sendRTCP(from: subscriber) {
                    PLI(sender: SSRC(7), media: subscriber.ssrc(.video)).write(into: &$0)
                }
                try bench.run(for: .milliseconds(600))
                let asked = zip(publishers, before).map { $0.keyFrameRequests > $1 }
                #expect(asked.firstIndex(of: true) == (fault == .crossSession ? (i + 2) % 3 : i))
                for publisher in publishers {
                    try bench.send(publisher.video.frame(isKey: true), from: publisher)
                }
            }
        }

        @Test("swap-audio: a single session keeps its own audio")
        func swapAlone() throws {
            let bench = try FaultBench(.swapAudio)
            let publisher = try bench.publish()
            let subscriber = try bench.view()
            for _ in 0..<10 { try bench.send([publisher.audio.audioPacket()], from: publisher) }
            #expect(subscriber.packets(.audio).count == 10)
        }

        @Test("freeze: from 4 s after the first frame only audio is sent", arguments: [nil, Fault.freeze])
        func freeze(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            let subscriber = try bench.view()
            for i in 0..<60 {
                try bench.send([publisher.audio.audioPacket()], from: publisher)
                try bench.send(publisher.video.frame(isKey: i % 10 == 0, packets: 1), from: publisher)
                try bench.run(for: .milliseconds(96))
            }
            #expect(subscriber.packets(.audio).count == 60)
            #expect(subscriber.packets(.video).count == (fault == nil ? 60 : 40))
            // A subscriber that joins later receives no video either.
            let late = try bench.view()
            try bench.run(for: .milliseconds(50))
            #expect(late.packets(.video).isEmpty == (fault != nil))
        }

        @Test("no-retransmit: NACKs are counted, not answered", arguments: [nil, Fault.noRetransmit])
        func noRetransmit(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            let subscriber = try bench.view()
            for i in 0..<5 { try bench.send(publisher.video.frame(isKey: i == 0), from: publisher) }
            let sequences = subscriber.packets(.video).map(\.header.sequenceNumber)
            #expect(sequences.count == 20)
            try bench.sendRTCP(from: subscriber) {
                GenericNACK(sender: SSRC(7), media: subscriber.ssrc(.video), sequences: Array(sequences[3...5])).write(
                    into: &$0)
            }
            #expect(subscriber.streams.repeated.count == (fault == nil ? 3 : 0))
            #expect(bench.worker.counters.nacksReceived == 3)
        }

        @Test(
            "no-keyframe: a new subscriber waits for a key frame that the relay never requests",
            arguments: [nil, Fault.noKeyFrame])
        func noKeyFrame(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            for i in 0..<10 { try bench.send(publisher.video.frame(isKey: i == 0), from: publisher) }
            let subscriber = try bench.view()
            try bench.send(publisher.video.frame(isKey: false), from: publisher)
            try bench.run(for: .milliseconds(50))
            #expect(subscriber.packets(.video).count == (fault == nil ? 44 : 0))
            try bench.sendRTCP(from: subscriber) {
                PLI(sender: SSRC(7), media: subscriber.ssrc(.video)).write(into: &$0)
            }
            try bench.run(for: .milliseconds(600))
            #expect((publisher.keyFrameRequests > 0) == (fault == nil))
            try bench.send(publisher.video.frame(isKey: true), from: publisher)
            #expect(subscriber.packets(.video).count == (fault == nil ? 48 : 4))
        }

        @Test("deaf-to-moves: media stays at a peer's first address", arguments: [nil, Fault.deafToMoves])
        func deafToMoves(_ fault: Fault?) throws {
            let bench = try FaultBench(fault)
            let publisher = try bench.publish()
            try bench.send([publisher.audio.audioPacket()], from: publisher)
            let subscriber = try FaultPeer(bench)
            #expect(try subscriber.run(for: .seconds(5)) { subscriber.isConnected })
            try bench.send([publisher.audio.audioPacket()], from: publisher)
            #expect(try subscriber.media() == [subscriber.home: 1])
            subscriber.moves = true
            try subscriber.run(for: .seconds(12)) { false }
            _ = try subscriber.media()
            try bench.send([publisher.audio.audioPacket()], from: publisher)
            #expect(try subscriber.media() == [fault == nil ? subscriber.away : subscriber.home: 1])
        }
    }

    extension EngineTests {
        @Test("stall: a worker sleeps 800 ms every 3 s")
        func stall() async throws {
            let engine = try Self.engine { $0.fault = .stall }
            defer { engine.stop() }
            let start = monotonicNow()
            var longest = MediaTime.zero
            while monotonicNow() - start < .milliseconds(4_500), longest < .milliseconds(700) {
                let before = monotonicNow()
                _ = await engine.counters()
                longest = max(longest, monotonicNow() - before)
            }
            #expect(longest >= .milliseconds(700))
        }

        @Test("trap: the process ends by an overflow 500 ms after the first subscriber, and not before")
        func trap() async throws {
            let bench = try FaultBench(.trap)
            let publisher = try bench.publish()
            for _ in 0..<100 { try bench.send([publisher.audio.audioPacket()], from: publisher) }
            try bench.run(for: .seconds(2))
            #expect(bench.worker.faults.trapAt == nil)
            _ = try bench.view()
            try bench.run(for: FaultInjector.trapDelay - .milliseconds(2))
            #expect(bench.worker.faults.trapAt != nil)
            await #expect(processExitsWith: .failure) {
                let bench = try FaultBench(.trap)
                _ = try bench.publish()
                _ = try bench.view()
                try bench.run(for: FaultInjector.trapDelay + .seconds(1))
            }
            await #expect(processExitsWith: .success) {
                let bench = try FaultBench(nil)
                _ = try bench.publish()
                _ = try bench.view()
                try bench.run(for: FaultInjector.trapDelay + .seconds(1))
            }
        }
    }
#endif
