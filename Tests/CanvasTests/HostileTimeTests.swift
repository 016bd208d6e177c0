import Canvas
import Codecs
import Containers
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

/// Publishers whose timestamps or sizes would cost a reader memory.
@Suite(.timeLimit(.minutes(10))) struct HostileTimeTests {
    static let chunkLimit = (256 << 10) + 100

    func body(
        _ packets: [SentPacket], _ format: CanvasBytes.Format, kind: MediaKind
    ) async throws -> (bytes: [UInt8], largest: Int, held: Int, statistics: CanvasStatistics) {
        let tap = PacketTap(capacity: 4 << 20)
        let queue = CanvasQueue(frames: 500, audioBlocks: 5_000)
        let canvas = try CanvasTap(packets: tap, options: CanvasOptions(kinds: [kind]), consumer: queue)
        for packet in packets { _ = packet.feed { tap.push($0) } }
        tap.flush()
        tap.close()
        await canvas.ended()
        var (bytes, largest, held): ([UInt8], Int, Int) = ([], 0, 0)
        let iterator = CanvasBytes(tap: canvas, queue: queue, format: format).makeAsyncIterator()
        while let chunk = try await iterator.next(isolation: nil) {
            largest = max(largest, chunk.count)
            held = max(held, iterator.heldBytes)
            bytes += chunk
        }
        return (bytes, largest, held, canvas.statistics)
    }

    /// Adds a step of RTP time to each of the packets `range`, so that the offset grows from one to the next.
    func jumping(_ packets: [[SentPacket]], _ range: Range<Int>, by step: Int64) -> [SentPacket] {
        packets.enumerated().flatMap { index, frame in
            let steps = Int64(max(0, min(index, range.upperBound) - range.lowerBound))
            return frame.map { packet in
                var packet = packet
                packet.timestamp &+= steps &* step
                return packet
            }
        }
    }

    @Test(
        "CAN-2: Three frames whose RTP time jumps are not filled in Y4M, and later frames keep their time",
        arguments: [1 << 31, -(1 << 31), 890_000, 95_000, 1 << 30, -100_000] as [Int64])
    func videoJumps(step: Int64) async throws {
        let sent = try Synthetic.video(frames: 40)
        let result = try await body(jumping(sent, 5..<8, by: step), .y4m(rate: 120), kind: .video)
        #expect(result.largest <= Self.chunkLimit)
        #expect(result.held <= 3 * 160 * 120 * 3 / 2)
        let reader = try Y4MReader(source: MemorySource(result.bytes))
        var frames = 0
        while try reader.next() != nil { frames += 1 }
        // 40 frames in 1.3 s of arrival are 157 frames at 120 a second; a jump may cost or add a few.
        #expect((150...165).contains(frames))
        #expect(result.statistics.restarts == 3 && result.statistics.decodedFrames == 40)
    }

    @Test(
        "CAN-2: Three packets whose RTP time jumps are not filled in WAV, and later audio keeps its time",
        arguments: [1 << 31, -(1 << 31), 475_000, 50_000, 24_000_000, -100_000] as [Int64])
    func audioJumps(step: Int64) async throws {
        let sent = try Synthetic.audio(packets: 100).map { [$0] }
        let result = try await body(jumping(sent, 50..<53, by: step), .wav, kind: .audio)
        #expect(result.largest <= 200_000)
        let reader = try WAVReader(source: MemorySource(result.bytes))
        let milliseconds = reader.remainingFrames / 48
        #expect((1_900...2_100).contains(milliseconds))
        #expect(result.statistics.restarts == 3)
    }

    @Test("CAN-2: A pause is filled piece by piece, each made when the reader asks for it")
    func pause() async throws {
        var video = try Synthetic.video(width: 640, height: 360, frames: 4).flatMap { $0 }
        for index in video.indices where video[index].timestamp >= 90_000 + 2 * 3_000 {
            video[index].timestamp += 9 * 90_000
            video[index].arrival += .seconds(9)
        }
        let result = try await body(video, .y4m(rate: 120), kind: .video)
        let frame = 640 * 360 * 3 / 2
        #expect(result.largest <= Self.chunkLimit && result.held <= 3 * frame)
        #expect(result.bytes.count > 1_080 * frame)

        var audio = try Synthetic.audio(packets: 20)
        for index in 10..<20 {
            audio[index].timestamp += 300 * 48_000
            audio[index].arrival += .seconds(300)
        }
        let heard = try await body(audio, .wav, kind: .audio)
        #expect(heard.largest <= 200_000)
        #expect(try WAVReader(source: MemorySource(heard.bytes)).remainingFrames == 48_000 * 300 + 20 * 960)
        #expect(result.statistics.restarts == 0 && heard.statistics.restarts == 0)
    }

    @Test("A thousand packets that each claim a gap take no memory before they are read")
    func everyPacketJumps() throws {
        let good = try Synthetic.audio(packets: 1)[0]
        for step in [470_000, 43_200, 1 << 31] as [Int64] {
            let canvas = try StreamCanvas()
            for index in 0..<1_000 {
                var packet = good
                packet.sequence += Int64(index)
                packet.timestamp &+= Int64(index) &* step
                packet.arrival += .milliseconds(Int64(index))
                packet.feed { canvas.insert($0) }
            }
            var largest = canvas.audio.heldBytes
            while canvas.nextOutput() != nil { largest = max(largest, canvas.audio.heldBytes) }
            #expect(largest < 1 << 20)
            // At most a second may be claimed for each restart, and a restart is due within two packets.
            #expect(canvas.audio.restarts >= 499)
        }
    }

    @Test("A frame that is too large is dropped before memory is taken for it, and the next key frame decodes")
    func oversizedFrame() throws {
        let canvas = try StreamCanvas(maximumPixels: 160 * 120)
        var packets = Array(try Synthetic.video(frames: 3).joined())
        let next = try #require(packets.last?.sequence) + 1
        var large = packets[0]
        large.sequence = next
        large.timestamp += 9_000
        large.arrival += .milliseconds(100)
        large.marker = true
        // A key frame of 16383x16383 (RFC 6386 section 9.1) behind a one-byte descriptor.
        large.payload = [0x10, 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f, 0, 0, 0, 0]
        packets.append(large)
        packets += try Synthetic.video(frames: 3, firstSequence: next + 1, firstFrame: 4).joined()
        var decoded = 0
        for packet in packets {
            packet.feed { canvas.insert($0) }
            while case .frame? = canvas.nextOutput() { decoded += 1 }
        }
        #expect(decoded == 6 && canvas.video.oversizedFrames == 1)
    }

    @Test("A reader's largest frame follows from its memory", arguments: [16, 64, 128, 1_024])
    func memory(megabytes: Int) {
        let pixels = CanvasMemory.maximumPixels(readerBytes: megabytes << 20)
        // 12 MiB of packets and 9.5 raw frames of 1.5 bytes a pixel.
        #expect(Double(12 << 20) + Double(pixels) * 1.5 * 9.5 <= Double(megabytes << 20))
        if megabytes >= 64 { #expect(pixels >= 2560 * 1440) }
    }

    @Test("Restarts of the timeline are reported once, however often RTP time jumps")
    func reports() async throws {
        let (reports, report) = AsyncStream.makeStream(of: UInt64.self)
        var options = CanvasOptions(kinds: [.audio])
        options.onRestart = { report.yield($0) }
        let tap = PacketTap(capacity: 4 << 20)
        let canvas = try CanvasTap(packets: tap, options: options, consumer: CanvasQueue())
        for (index, packet) in try Synthetic.audio(packets: 300).enumerated() {
            var packet = packet
            packet.timestamp += Int64(index) * 100_000
            _ = packet.feed { tap.push($0) }
            tap.flush()
        }
        tap.close()
        await canvas.ended()
        report.finish()
        var count = 0
        for await _ in reports { count += 1 }
        #expect(count == 1 && canvas.statistics.restarts == 299)
    }
}
