import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

/// Each reader gets seeded damage of every kind: it ends, does not trap, and returns no more than the file contains.
@Suite struct MutationTests {
    /// Flips, overwrites, removes, repeats and cuts runs of bytes.
    private static func mutate(_ input: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
            let at = Int.random(in: 0..<bytes.count, using: &generator)
            let length = min(bytes.count - at, Int.random(in: 1...64, using: &generator))
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[at] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
            case 2: for index in at..<at + length { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
            case 3: bytes.removeSubrange(at..<at + length)
            case 4: bytes.insert(contentsOf: bytes[at..<at + length], at: at)
            case 5: for index in at..<at + min(length, 8) { bytes[index] = 0xff }
            default: if Int.random(in: 0..<4, using: &generator) == 0 { bytes.removeSubrange(at...) }
            }
        }
        return bytes
    }

    private func run(_ input: [UInt8], rounds: Int, seed: UInt64, _ body: ([UInt8]) throws -> Void) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<rounds {
            do { try body(Self.mutate(input, &generator)) } catch is ContainerError {}
        }
    }

    @Test func webM() throws {
        // A short file, so that damage often hits structure.
        let sink = MemorySink()
        let writer = try WebMWriter(sink: sink, configuration: TestMedia.webMConfiguration)
        for block in TestMedia.interleaved.prefix(30) {
            switch block {
            case .video(let time, let frame):
                try writer.write(
                    .video, timestamp: time, isKeyframe: frame.isKeyframe, bytes: Array(frame.bytes.prefix(40)))
            case .audio(let time, let packet):
                try writer.write(.audio, timestamp: time, isKeyframe: true, bytes: Array(packet.prefix(30)))
            }
        }
        try writer.finish()
        try run(sink.bytes, rounds: 20_000, seed: 1) { bytes in
            let reader = try WebMReader(source: MemorySource(bytes))
            var total = 0
            while let frame = try reader.next() { total += frame.bytes.count }
            #expect(total <= bytes.count)
        }
    }

    @Test func ogg() throws {
        let sink = MemorySink()
        let writer = try OggOpusWriter(sink: sink, head: OpusHead(channels: 2, preSkip: 312), comments: ["A=b"])
        for packet in TestMedia.audio { try writer.write(Array(packet.prefix(12))) }
        try writer.finish()
        try run(sink.bytes, rounds: 3_000, seed: 2) { bytes in
            _ = try OggOpusReader(source: MemorySource(bytes)).all()
        }
        // The same with corrected checksums, so that damage reaches the data behind them.
        try run(sink.bytes, rounds: 3_000, seed: 3) { bytes in
            let reader = try OggOpusReader(source: MemorySource(Self.withChecksums(bytes)))
            for packet in try reader.all() { #expect(packet.trimEnd <= packet.duration) }
        }
    }

    private static func withChecksums(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        var at = 0
        while at + 27 <= bytes.count {
            let segments = Int(bytes[at + 26])
            guard bytes[at...].starts(with: Array("OggS".utf8)), at + 27 + segments <= bytes.count else {
                at += 1
                continue
            }
            let end = at + 27 + segments + bytes[at + 27..<at + 27 + segments].reduce(0) { $0 + Int($1) }
            guard end <= bytes.count else { break }
            let crc = bytes[at..<end].withUnsafeBytes { OggCRC.checksum($0) }
            for index in 0..<4 { bytes[at + 22 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
            at = end
        }
        return bytes
    }

    @Test func ivf() throws {
        try run(try TestMedia.ivfBytes(), rounds: 2_000, seed: 4) { bytes in
            let reader = try IVFReader(source: MemorySource(bytes))
            for frame in try reader.all() { _ = reader.time(of: frame) }
        }
    }

    @Test func y4m() throws {
        let sink = MemorySink()
        let writer = try Y4MWriter(sink: sink, header: Y4MHeader(width: 16, height: 16, rate: 25))
        for index in 0..<3 { try writer.write(TestMedia.frame(index, width: 16, height: 16)) }
        try writer.finish()
        try run(sink.bytes, rounds: 3_000, seed: 5) { bytes in
            _ = try Y4MReader(source: MemorySource(bytes)).all()
        }
    }

    @Test func wav() throws {
        let sink = MemorySink()
        let writer = try WAVWriter(sink: sink)
        try writer.write(samples: [Int16](repeating: 5, count: 100))
        try writer.finish()
        try run(sink.bytes, rounds: 10_000, seed: 6) { bytes in
            _ = try WAVReader(source: MemorySource(bytes)).read(frames: .max)
        }
    }
}
