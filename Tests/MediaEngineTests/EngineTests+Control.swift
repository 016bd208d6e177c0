import Glibc
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Control")
    struct Control {
        private func error(_ body: () async throws -> Void) async -> EngineError? {
            do {
                try await body()
                return nil
            } catch {
                return error as? EngineError
            }
        }

        private func subscription(_ session: String, _ stream: String?, port: UInt16 = 9) -> PlainTransportRequest {
            var request = PlainTransportRequest(direction: .subscribe, session: session)
            request.stream = stream
            request.address = "127.0.0.1"
            request.rtcpMux = true
            request.audio = PlainTrackRequest(port: port)
            return request
        }

        @Test("Packets of a muted track are dropped at the relay and counted", arguments: [MediaKind.audio, .video])
        func mute(_ kind: MediaKind) async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, mux: true)
            let subscriber = try await TestSubscriber(engine, mux: true)
            func send(isKey: Bool) throws {
                try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: isKey, packets: 1))
            }
            for i in 0..<5 { try send(isKey: i == 0) }
            _ = try await EngineTests.counters(of: engine) { $0.packetsReceived == 10 }
            try await engine.setMuted(session: "demo", stream: "cam", kind: kind, muted: true)
            for _ in 0..<7 { try send(isKey: true) }
            let muted = try await EngineTests.counters(of: engine) { $0.packetsMuted == 7 && $0.packetsForwarded >= 17 }
            #expect(muted.packetsMuted == 7 && muted.packetsForwarded == 17)
            let snapshot = try #require(try await engine.streams(session: "demo").first)
            #expect((kind == .audio ? snapshot.audio : snapshot.video)?.muted == true)
            #expect((kind == .audio ? snapshot.video : snapshot.audio)?.muted == false)
            try await engine.setMuted(session: "demo", stream: "cam", kind: kind, muted: false)
            if kind == .video { #expect(try publisher.awaitRTCP { $0.kind == .pli ? true : nil } == true) }
            for i in 0..<3 { try send(isKey: i == 1) }
            // Video resumes with its key frame; the packet before it does not reach subscribers.
            let own = kind == .audio ? publisher.audio : publisher.video
            let other = kind == .audio ? publisher.video : publisher.audio
            let got = try subscriber.collect(kind == .audio ? 8 : 7, from: own)
            #expect(try subscriber.collect(15, from: other).count == 15)
            #expect(got.map(\.sequence) == got.indices.map { got[0].sequence + Int64($0) })
            #expect(
                got.map { $0.index - got[0].index }
                    == (kind == .audio ? [0, 1, 2, 3, 4, 12, 13, 14] : [0, 1, 2, 3, 4, 13, 14]))
        }

        @Test("A paused subscriber receives nothing until it resumes, even if the stream is published again in between")
        func pause() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine)
            let subscriber = try await TestSubscriber(engine, mux: true)
            try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: true))
            #expect(try subscriber.collect(4, from: publisher.video).count == 4)
            try await engine.setPaused(subscriber.transport.id, session: "demo", kind: .video, paused: true)
            try publisher.send([publisher.audio.audioPacket()] + publisher.video.frame(isKey: true))
            #expect(try subscriber.collect(2, from: publisher.audio).count == 2)
            try await engine.closePlain(publisher.transport.id, session: "demo")
            let second = try await TestPublisher(engine, id: 5)
            try second.send(second.video.frame(isKey: true) + [second.audio.audioPacket()])
            #expect(try subscriber.collect(1, from: second.audio).count == 1)
            try subscriber.drain()
            #expect(subscriber.streams.packets(from: publisher.video.id).count == 4)
            #expect(subscriber.streams.packets(from: second.video.id).isEmpty)
            try await engine.setPaused(subscriber.transport.id, session: "demo", kind: .video, paused: false)
            try second.send(second.video.frame(isKey: true))
            let got = try subscriber.collect(4, from: second.video)
            #expect(
                got.map(\.sequence)
                    == (0..<4).map { subscriber.streams.packets(from: publisher.video.id)[3].sequence + 1 + $0 })
        }

        @Test("A stream published again under its name continues at the subscriber under the same SSRC")
        func republish() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let first = try await TestPublisher(engine, id: 1)
            let subscriber = try await TestSubscriber(engine, suite: .aeadAES128GCM, mux: true)
            for i in 0..<10 { try first.send([first.audio.audioPacket()] + first.video.frame(isKey: i == 0)) }
            #expect(try subscriber.collect(40, from: first.video).count == 40)
            #expect(try subscriber.collect(10, from: first.audio).count == 10)
            #expect(await error { _ = try await TestPublisher(engine, id: 2) } == .streamExists("cam"))
            try await engine.closePlain(first.transport.id, session: "demo")
            #expect(try await engine.streams(session: "demo").isEmpty)
            let second = try await TestPublisher(engine, id: 2, suite: .aesCM128HMACSHA1_32)
            for i in 0..<10 { try second.send([second.audio.audioPacket()] + second.video.frame(isKey: i == 0)) }
            _ = try subscriber.collect(40, from: second.video)
            _ = try subscriber.collect(10, from: second.audio)
            #expect(subscriber.streams.packets.count == 2)
            for stream in subscriber.streams.packets.values {
                #expect(stream.map(\.sequence) == stream.indices.map { stream[0].sequence + Int64($0) })
                let frames = stream.compactMap(\.descriptor).map(\.pictureID)
                #expect(zip(frames, frames.dropFirst()).allSatisfy { ($1 &- $0) & 0x7fff <= 1 })
            }
        }

        @Test("Closing either side while packets flow does not affect other participants")
        func closeWhilePacketsFlow() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let steady = try await TestPublisher(engine, stream: "steady", id: 99)
            let steadySubscriber = try await TestSubscriber(engine, stream: "steady", mux: true).reporting(
                beside: steady)
            try steady.send(steady.video.frame(isKey: true))
            for round in 0..<30 {
                let publisher = try await TestPublisher(
                    engine, stream: "brief", id: UInt32(round + 1), mux: round % 2 == 0)
                let subscriber = try await TestSubscriber(engine, stream: "brief", mux: true)
                for i in 0..<20 {
                    try publisher.send(
                        [publisher.audio.audioPacket()] + publisher.video.frame(isKey: i == 0, packets: 8))
                    try steady.send(steady.video.frame(isKey: false))
                    if i == 10 {
                        // Packets of the closing transport are still in the socket's queue.
                        let closing = round % 3 == 0 ? subscriber.transport.id : publisher.transport.id
                        try await engine.closePlain(closing, session: "demo")
                    }
                }
                let left = round % 3 == 0 ? publisher.transport.id : subscriber.transport.id
                try await engine.closePlain(left, session: "demo")
                try steadySubscriber.collect {
                    steadySubscriber.streams.packets(from: steady.video.id).count >= 4 + 80 * (round + 1)
                }
            }
            let got = steadySubscriber.streams.packets(from: steady.video.id)
            #expect(got.map(\.index) == (0..<Int64(4 + 80 * 30)).map { got[0].index + $0 })
            let counters = await engine.counters()
            #expect(counters.transports == 2 && counters.streams == 1)
        }

        @Test("Unknown names and ids are refused with the matching error")
        func unknown() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            #expect(await error { _ = try await engine.openPlain(subscription("x", nil)) } == .unknownSession("x"))
            #expect(await error { _ = try await engine.streams(session: "x") } == .unknownSession("x"))
            #expect(
                await error { try await engine.closePlain(TransportID(rawValue: "1"), session: "x") }
                    == .unknownSession("x"))
            let publisher = try await TestPublisher(engine, kinds: [.audio])
            #expect(await error { _ = try await engine.openPlain(subscription("demo", "x")) } == .unknownStream("x"))
            #expect(
                await error { try await engine.closePlain(TransportID(rawValue: "1"), session: "demo") }
                    == .unknownTransport("1"))
            #expect(await error { _ = try await engine.openTap(session: "demo", stream: "x") } == .unknownStream("x"))
            #expect(
                await error { try await engine.setMuted(session: "demo", stream: "cam", kind: .video, muted: true) }?
                    .code
                    == "invalidRequest")
            #expect(
                await error {
                    try await engine.setPaused(publisher.transport.id, session: "demo", kind: .audio, paused: true)
                }
                    == .unknownTransport(publisher.transport.id.rawValue))
            try await engine.closePlain(publisher.transport.id, session: "demo")
            #expect(
                await error { try await engine.closePlain(publisher.transport.id, session: "demo") }
                    == .unknownSession("demo"))
        }

        @Test("Invalid requests are refused with the name of the field")
        func invalid() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine)
            func field(_ change: (inout PlainTransportRequest) -> Void) async -> String? {
                var request = subscription("demo", "cam")
                change(&request)
                switch await error({ _ = try await engine.openPlain(request) }) {
                case .invalidRequest(let field, _): return field
                case .addressUnusable: return "address"
                case .ssrcInUse: return "ssrc"
                case let other: return other.map(\.code)
                }
            }
            #expect(await field { $0.audio = nil } == "audio, video")
            #expect(await field { $0.audio?.port = nil } == "audio.port")
            #expect(await field { $0.audio?.port = 0 } == "audio.port")
            #expect(
                await field {
                    $0.audio?.port = 65_535
                    $0.rtcpMux = false
                } == "audio.port")
            #expect(await field { $0.audio?.payloadType = 64 } == "audio.payloadType")
            #expect(await field { $0.audio?.payloadType = 95 } == "audio.payloadType")
            #expect(await field { $0.audio?.payloadType = 200 } == "audio.payloadType")
            #expect(await field { $0.address = nil } == "address")
            #expect(await field { $0.address = "example.org" } == "address")
            #expect(await field { $0.address = "::1" } == "address")
            #expect(
                await field {
                    $0.audio?.ssrc = 7
                    $0.video = PlainTrackRequest(port: 9, ssrc: 7)
                } == "ssrc")
            func publishing(_ change: (inout PlainTransportRequest) -> Void) async -> String? {
                await field {
                    $0 = PlainTransportRequest(direction: .publish, session: "demo")
                    change(&$0)
                }
            }
            #expect(await publishing { $0.video = PlainTrackRequest(payloadType: 80) } == "video.payloadType")
            #expect(await publishing { $0.stream = PlainTransportRequest.allStreams } == "stream")
            #expect(await publishing { $0.audio = PlainTrackRequest(ssrc: publisher.audio.ssrc.rawValue) } == "ssrc")
            #expect(
                await publishing {
                    $0.audio = PlainTrackRequest(ssrc: 5)
                    $0.video = PlainTrackRequest(ssrc: 5)
                } == "ssrc")
            // The refused requests leave no state behind.
            let counters = await engine.counters()
            #expect(counters.transports == 1 && counters.streams == 1 && counters.sessions == 1)
        }

        @Test("Each limit refuses with its own name")
        func limits() async throws {
            func limited(_ change: (inout EngineLimits) -> Void, _ body: (MediaEngine) async throws -> Void)
                async throws -> EngineError?
            {
                let engine = try EngineTests.engine { change(&$0.limits) }
                defer { engine.stop() }
                let refusal = await error { try await body(engine) }
                if case .limitReached(let name, _) = refusal, name != "mailbox" {
                    #expect(await engine.counters().refusedLimit == 1)
                }
                return refusal
            }
            #expect(
                try await limited({ $0.sessions = 2 }) { engine in
                    for i in 0..<3 { _ = try await TestPublisher(engine, session: "\(i)", id: UInt32(i)) }
                } == .limitReached(name: "sessions", limit: 2))
            #expect(
                try await limited({ $0.streamsPerSession = 3 }) { engine in
                    for i in 0..<4 { _ = try await TestPublisher(engine, stream: "\(i)", id: UInt32(i)) }
                } == .limitReached(name: "streamsPerSession", limit: 3))
            #expect(
                try await limited({ $0.transportsPerSession = 4 }) { engine in
                    _ = try await TestPublisher(engine)
                    for _ in 0..<4 { _ = try await engine.openPlain(subscription("demo", nil)) }
                } == .limitReached(name: "transportsPerSession", limit: 4))
            #expect(
                try await limited({ $0.tapsPerStream = 2 }) { engine in
                    _ = try await TestPublisher(engine)
                    // Closing a tap makes room for another one.
                    try await engine.openTap(session: "demo", stream: "cam").close()
                    for _ in 0..<3 { _ = try await engine.openTap(session: "demo", stream: "cam") }
                } == .limitReached(name: "tapsPerStream", limit: 2))
            #expect(
                try await limited({ $0.mailbox = 0 }) { _ = try await TestPublisher($0) }
                    == .limitReached(name: "mailbox", limit: 0))
        }

        @Test("A subscriber to all streams gets no more SSRCs than its limit, and the refused ones are counted")
        func ssrcLimit() async throws {
            let engine = try EngineTests.engine { $0.limits.ssrcsPerTransport = 3 }
            defer { engine.stop() }
            _ = try await TestPublisher(engine, stream: "a", id: 1)
            let subscriber = try await TestSubscriber(engine, stream: PlainTransportRequest.allStreams)
            _ = try await TestPublisher(engine, stream: "b", id: 2)
            #expect(subscriber.transport.sources.count == 2)
            #expect(await engine.counters().refusedLimit == 1)
        }

        @Test("A publisher that sends no authentic packets is closed after its timeout, another one is not")
        func publisherTimeout() async throws {
            let engine = try EngineTests.engine { $0.limits.publisherTimeout = .milliseconds(300) }
            defer { engine.stop() }
            var events = engine.observeStreams().makeAsyncIterator()
            let silent = try await TestPublisher(engine, session: "a", stream: "silent", id: 1).transport.id
            let lively = try await TestPublisher(engine, session: "a", stream: "lively", id: 2)
            #expect(await events.next() == .published(session: "a", transport: silent, stream: "silent"))
            #expect(await events.next() == .published(session: "a", transport: lively.transport.id, stream: "lively"))
            let idle = try Endpoint()
            for _ in 0..<40 {
                try lively.send([lively.audio.audioPacket()])
                _ = idle.receive(within: .milliseconds(20))
            }
            #expect(await events.next() == .closed(session: "a", transport: silent, stream: "silent"))
            #expect(try await engine.streams(session: "a").map(\.name) == ["lively"])
            // The session ends with its last transport.
            #expect(await events.next() == .closed(session: "a", transport: lively.transport.id, stream: "lively"))
            #expect(await engine.sessions().isEmpty)
        }

        @Test("stop() during calls answers every one of them", arguments: [1, 3])
        func stopWithCallsInFlight(_ workers: Int) async throws {
            for _ in 0..<5 {
                let engine = try EngineTests.engine { $0.workers = workers }
                let outcomes = await withTaskGroup(of: EngineError?.self) { group in
                    for i in 0..<300 {
                        group.addTask {
                            do throws(EngineError) {
                                _ = try await engine.openPlain(
                                    PlainTransportRequest(direction: .publish, session: "\(i)"))
                                return nil
                            } catch {
                                return error
                            }
                        }
                    }
                    group.addTask {
                        engine.stop()
                        return nil
                    }
                    var all: [EngineError?] = []
                    for await outcome in group { all.append(outcome) }
                    return all
                }
                #expect(outcomes.count == 301)
                #expect(outcomes.allSatisfy { $0 == nil || $0 == .stopped })
                #expect(await error { _ = try await engine.streams(session: "1") } == .stopped)
                #expect(await engine.sessions().isEmpty)
            }
        }

        @Test("A second stop(), also from another thread, has no effect; events end and taps close")
        func stopTwice() async throws {
            let engine = try EngineTests.engine { $0.workers = 2 }
            let told = engine.observeStreams()
            let id = try await TestPublisher(engine).transport.id
            let tap = try await engine.openTap(session: "demo", stream: "cam")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { engine.stop() } }
            }
            engine.stop()
            #expect(tap.isClosed && !tap.wait(timeout: .seconds(10)))
            let events: [StreamEvent] = await told.reduce(into: []) { $0.append($1) }
            #expect(
                events == [
                    .published(session: "demo", transport: id, stream: "cam"),
                    .closed(session: "demo", transport: id, stream: "cam"),
                ])
        }

        @Test("Packets are forwarded in time while thousands of calls are queued")
        func fairness() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, kinds: [.audio])
            let subscriber = try await TestSubscriber(engine, mux: true, kinds: [.audio])
            try publisher.send([publisher.audio.audioPacket()])
            _ = try subscriber.collect(1, from: publisher.audio)
            let calls = Task {
                await withTaskGroup(of: Void.self) { group in
                    for i in 0..<4000 {
                        group.addTask {
                            _ = try? await engine.openPlain(
                                PlainTransportRequest(direction: .publish, session: "s\(i)"))
                        }
                    }
                }
            }
            // Sends one packet at a time, so the round trip through the relay shows the worker's longest turn.
            var count = 1
            var longest = MediaTime.zero
            while await engine.sessions().count < 4000, count < 10_000 {
                let start = monotonicNow()
                try publisher.send([publisher.audio.audioPacket()])
                count += 1
                #expect(try subscriber.collect(count, from: publisher.audio).count == count)
                longest = max(longest, monotonicNow() - start)
            }
            await calls.value
            #expect(await engine.sessions().count == 4001)
            #expect(longest < .milliseconds(300))
        }

        @Test("Invalid engine configurations are refused")
        func configuration() async throws {
            func refusal(_ change: (inout EngineConfiguration) -> Void) async -> String? {
                await error { try EngineTests.engine(change).stop() }.map(\.code)
            }
            #expect(await refusal { $0.workers = 0 } == "invalidRequest")
            #expect(await refusal { $0.workers = 257 } == "invalidRequest")
            #expect(await refusal { $0.gather = .milliseconds(6) } == "invalidRequest")
            #expect(await refusal { $0.gather = .milliseconds(-1) } == "invalidRequest")
            #expect(await refusal { $0.plainPort = 7983 } == "invalidRequest")
            #expect(await refusal { ($0.plainPort, $0.workers) = (65_534, 2) } == "invalidRequest")
            #expect(await refusal { $0.bindAddress = "relay.example" } == "addressUnusable")
            #expect(await refusal { $0.bindAddress = "192.0.2.1" } != nil)
            let engine = try EngineTests.engine()
            #expect(await refusal { $0.plainPort = engine.plainPorts[0] } == "addressUnusable")
            engine.stop()
        }
    }
}
