import Canvas
import Containers
import Dispatch
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

/// Taps with their thread. All waits are for events, none for a fixed time.
@Suite(.timeLimit(.minutes(10))) struct CanvasTapTests {
    func push(_ packets: some Sequence<SentPacket>, to tap: PacketTap) {
        for packet in packets { _ = packet.feed { tap.push($0) } }
        tap.flush()
    }

    @Test("CAN-1: frames and audio pass through the tap until it is closed")
    func delivery() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        let queue = CanvasQueue(frames: 100, audioBlocks: 100)
        let tap = try CanvasTap(packets: packets, consumer: queue)
        push(try Synthetic.video(frames: 20).joined(), to: packets)
        push(try Synthetic.audio(packets: 20), to: packets)
        var count = 0
        for await frame in queue.frames {
            #expect(frame.width == 160)
            count += 1
            if count == 20 { break }
        }
        var blocks = 0
        for await block in queue.audio {
            #expect(block.frameCount == 960)
            blocks += 1
            if blocks == 20 { tap.close() }
        }
        await tap.ended()
        #expect(blocks == 20)
        let statistics = tap.statistics
        #expect(statistics.decodedFrames == 20 && statistics.audioBlocks == 20 && statistics.isEnded)
        #expect(statistics.droppedPackets == 0 && statistics.decodeErrors == 0)
        #expect(packets.isClosed)
    }

    @Test("The end of the stream ends the tap, after the packets that are still queued")
    func streamEnd() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        push(try Synthetic.video(frames: 10).joined(), to: packets)
        packets.close()
        let queue = CanvasQueue(frames: 100)
        let tap = try CanvasTap(packets: packets, consumer: queue)
        var count = 0
        for await _ in queue.frames { count += 1 }
        await tap.ended()
        #expect(count == 10)
    }

    @Test("CAN-1: a slow reader gets the latest frame, and the frames it missed are counted")
    func latestFrame() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        push(try Synthetic.video(frames: 30).joined(), to: packets)
        packets.close()
        let queue = CanvasQueue(frames: 1)
        let tap = try CanvasTap(packets: packets, consumer: queue)
        await tap.ended()
        var times: [MediaTime] = []
        for await frame in queue.frames { times.append(frame.captureTime) }
        #expect(times == [.seconds(1) + .nanoseconds(29 * 1_000_000_000 / 30)])
        #expect(queue.droppedFrames == 29)
    }

    @Test("CAN-1: a consumer that blocks makes its own tap lose packets, counts them, and recovers at a key frame")
    func slowConsumer() async throws {
        let packets = PacketTap(capacity: 64 << 10)
        let sent = try Synthetic.video(width: 320, height: 240, frames: 300, keyFrameInterval: 30)
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let tap = try CanvasTap(
            packets: packets,
            consumer: CanvasCallbacks(frame: { frame in
                if frame.captureTime == .seconds(1) {
                    arrival.yield()
                    gate.wait()
                }
                return true
            }))
        push(sent[0], to: packets)
        for await _ in arrived { break }
        // The consumer blocks in its first frame: the pipe fills, and pushing does not wait.
        push(sent[1..<299].joined(), to: packets)
        #expect(packets.dropped > 0)
        gate.signal()
        packets.close()
        await tap.ended()
        let statistics = tap.statistics
        #expect(statistics.droppedPackets == packets.dropped)
        #expect(statistics.decodedFrames > 1 && statistics.decodedFrames < 299)
        #expect(statistics.decodeErrors == 0)
    }

    @Test("A key frame is requested at the start")
    func keyFrameRequest() async throws {
        let (requests, request) = AsyncStream.makeStream(of: Void.self)
        let queue = CanvasQueue()
        let tap = try CanvasTap(packets: PacketTap(capacity: 1 << 16), consumer: queue) { request.yield() }
        for await _ in requests { break }
        tap.close()
        await tap.ended()
        #expect(tap.statistics.keyFrameRequests >= 1)
        for await _ in queue.frames { Issue.record("a frame without packets") }
    }

    @Test("An audio tap requests no key frame")
    func audioOnly() async throws {
        let packets = PacketTap(capacity: 1 << 20, kinds: [.audio])
        push(try Synthetic.audio(packets: 5), to: packets)
        packets.close()
        let tap = try CanvasTap(packets: packets, options: CanvasOptions(kinds: [.audio]), consumer: CanvasQueue())
        await tap.ended()
        #expect(tap.statistics.keyFrameRequests == 0 && tap.statistics.audioBlocks == 5)
    }

    @Test("A consumer that returns false ends the tap")
    func enough() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        push(try Synthetic.video(frames: 10).joined(), to: packets)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let tap = try CanvasTap(
            packets: packets,
            consumer: CanvasCallbacks(frame: { _ in false }, finish: { end.yield() }))
        for await _ in ends { break }
        await tap.ended()
        #expect(packets.isClosed && tap.statistics.decodedFrames == 1)
    }

    @Test("A tap without references ends")
    func abandoned() async throws {
        let packets = PacketTap(capacity: 1 << 16)
        let queue = CanvasQueue()
        var tap: CanvasTap? = try CanvasTap(packets: packets, consumer: queue)
        #expect(tap?.statistics.decodedFrames == 0)
        tap = nil
        for await _ in queue.frames {}
        #expect(packets.isClosed)
    }

    @Test("CAN-2: a still is a PNG of the next frame")
    func still() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        push(try Synthetic.video(frames: 2).joined(), to: packets)
        let png = try await CanvasTap.still(within: .seconds(30)) {
            (options, consumer) async throws(CanvasError) in
            try CanvasTap(packets: packets, options: options, consumer: consumer)
        }
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
        #expect(Array(png[16..<24]) == [0, 0, 0, 160, 0, 0, 0, 120])
    }

    @Test("A stream without frames gives no still, and reports that")
    func noStill() async throws {
        let packets = PacketTap(capacity: 1 << 16)
        await #expect(throws: CanvasError.noFrame(within: .milliseconds(20))) {
            try await CanvasTap.still(within: .milliseconds(20)) {
                (options, consumer) async throws(CanvasError) in
                try CanvasTap(packets: packets, options: options, consumer: consumer)
            }
        }
    }

    @Test("CAN-2: a still of video that cannot be decoded fails at once, with no further key frame request")
    func undecodableStill() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        let sent = Array(try Synthetic.video(frames: 30).joined())
        push(try VideoCanvasTests.encrypted(sent, seed: 1), to: packets)
        let (requests, request) = AsyncStream.makeStream(of: Void.self)
        let clock = ContinuousClock()
        let begin = clock.now
        await #expect(throws: CanvasError.undecodable) {
            try await CanvasTap.still(within: .seconds(600)) { (options, consumer) async throws(CanvasError) in
                try CanvasTap(packets: packets, options: options, consumer: consumer) { request.yield() }
            }
        }
        #expect(clock.now - begin < .seconds(60), "not the whole time")
        request.finish()
        #expect(await requests.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test("CAN-2: a body of Y4M begins with its header and contains whole frames")
    func y4mBytes() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        let (options, queue) = (CanvasOptions(kinds: [.video]), CanvasQueue(frames: 100))
        let tap = try CanvasTap(packets: packets, options: options, consumer: queue)
        push(try Synthetic.video(frames: 12).joined(), to: packets)
        packets.close()
        var bytes: [UInt8] = []
        for try await chunk in CanvasBytes(tap: tap, queue: queue, format: .y4m(rate: 30)) { bytes += chunk }
        let reader = try Y4MReader(source: MemorySource(bytes))
        var frames = 0
        while let frame = try reader.next() {
            #expect(frame.width == 160)
            frames += 1
        }
        #expect(frames == 12)
    }

    @Test("CAN-2: a body of WAV can be read while it is written")
    func wavBytes() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        let (options, queue) = (CanvasOptions(kinds: [.audio]), CanvasQueue(audioBlocks: 100))
        let tap = try CanvasTap(packets: packets, options: options, consumer: queue)
        push(try Synthetic.audio(packets: 40), to: packets)
        packets.close()
        var bytes: [UInt8] = []
        for try await chunk in CanvasBytes(tap: tap, queue: queue, format: .wav) { bytes += chunk }
        let reader = try WAVReader(source: MemorySource(bytes))
        #expect(reader.format == WAVFormat(sampleRate: 48_000, channels: 2))
        #expect(reader.remainingFrames == 40 * 960)
    }

    @Test("CAN-2: a body counts the frames that its slow reader missed, also of streams that it continues with")
    func droppedFrames() async throws {
        func body(frames: Int) async throws -> CanvasBytes {
            let packets = PacketTap(capacity: 1 << 20)
            push(try Synthetic.video(frames: frames).joined(), to: packets)
            packets.close()
            let queue = CanvasQueue(frames: 2)
            let tap = try CanvasTap(packets: packets, options: CanvasOptions(kinds: [.video]), consumer: queue)
            await tap.ended()
            return CanvasBytes(tap: tap, queue: queue, format: .y4m(rate: 30))
        }
        let iterator = try await body(frames: 12).makeAsyncIterator()
        #expect(iterator.takeDrops() == 10)
        while try await iterator.next(isolation: nil) != nil {}
        #expect(iterator.takeDrops() == 0)
        iterator.go(on: try await body(frames: 5))
        #expect(iterator.takeDrops() == 3)
    }

    @Test("Leaving a body ends its tap")
    func leftBody() async throws {
        let packets = PacketTap(capacity: 1 << 20)
        let queue = CanvasQueue(frames: 2)
        push(try Synthetic.video(frames: 3).joined(), to: packets)
        let tap = try CanvasTap(packets: packets, consumer: queue)
        for try await _ in CanvasBytes(tap: tap, queue: queue, format: .y4m(rate: 30)) { break }
        await tap.ended()
        #expect(packets.isClosed)
    }
}
