import MediaBase
import Testing

@testable import Containers

@Suite struct WebMDamageTests {
    /// Returns the offset of the last cluster, for cuts behind it.
    private func lastCluster(_ bytes: [UInt8]) -> Int {
        bytes.indices.reversed().first { bytes[$0...].starts(with: [0x1f, 0x43, 0xb6, 0x75]) } ?? 0
    }

    @Test(arguments: [true, false])
    func cutAnywhereInTheLastClusterKeepsTheRest(finished: Bool) throws {
        let bytes = try TestMedia.webMBytes(finished: finished)
        let cluster = lastCluster(bytes)
        let before = try WebMReader(source: MemorySource(Array(bytes[..<cluster]))).all().count
        #expect(before > 0)
        var previous = before
        // Each byte around the cluster's start and the file's end, a sample between them.
        let cuts = Set(cluster..<cluster + 60).union(bytes.count - 60..<bytes.count)
            .union(stride(from: cluster, to: bytes.count, by: 211))
        for end in cuts.sorted() {
            let reader = try WebMReader(source: MemorySource(Array(bytes[..<end])))
            let count = try reader.all().count
            #expect(count >= previous, "cut at \(end)")
            previous = count
            // A finished file shows that data is missing. An unfinished one is complete at the end of each block.
            if finished { #expect(!reader.damage.isEmpty, "cut at \(end)") }
        }
        #expect(previous >= TestMedia.interleaved.count - 1)
    }

    @Test func truncatedBlockIsNotedWithItsPosition() throws {
        let bytes = try TestMedia.webMBytes(finished: false)
        let reader = try WebMReader(source: MemorySource(Array(bytes.dropLast(3))))
        #expect(try reader.all().count == TestMedia.interleaved.count - 1)
        let note = try #require(reader.damage.notes.first)
        #expect(note.error.container == .webm && note.error.field == "SimpleBlock" && note.error.reason == .truncated)
        #expect(note.error.offset > 0 && note.lostBytes > 0)
    }

    @Test func damageInOneClusterKeepsTheOthers() throws {
        var bytes = try TestMedia.webMBytes()
        let intact = try WebMReader(source: MemorySource(bytes)).all()
        // Overwrites the block's own header. No element's ID begins with a zero byte.
        let middle = Int(intact[intact.count / 2].position)
        for index in middle - 6..<middle + 6 { bytes[index] = 0 }
        let reader = try WebMReader(source: MemorySource(bytes))
        let frames = try reader.all()
        #expect(!reader.damage.isEmpty)
        #expect(frames.count < TestMedia.interleaved.count)
        #expect(frames.count > TestMedia.interleaved.count / 2)
        #expect(frames.last?.bytes == TestMedia.audio.last)
    }

    @Test func whatIsNoWebMSaysSo() {
        for bytes: [UInt8] in [[], [0x1a], Array("RIFF....WAVE".utf8), [0x1a, 0x45, 0xdf, 0xa3]] {
            #expect(throws: ContainerError.self) { try WebMReader(source: MemorySource(bytes)) }
        }
    }

    @Test func hugeSizesCostNoMemory() throws {
        // CodecPrivate of 2^40 bytes, and a block of as many.
        var buffer = EBMLBuffer()
        buffer.master(.ebml) { $0.string(.docType, "webm") }
        buffer.id(.segment)
        buffer.raw(EBMLBuffer.unknownSize)
        buffer.master(.tracks) { tracks in
            tracks.master(.trackEntry) { entry in
                entry.unsigned(.trackNumber, 1)
                entry.unsigned(.trackType, 1)
                entry.string(.codecID, "V_VP8")
            }
        }
        let header = buffer.bytes
        for id in [EBMLID.codecPrivate, .simpleBlock, .cues, .void] {
            var tail = EBMLBuffer()
            tail.id(.cluster)
            tail.raw(EBMLBuffer.unknownSize)
            tail.unsigned(.timestamp, 0)
            tail.id(id)
            tail.raw(EBMLBuffer.sizeBytes(1 << 40, width: 8))
            tail.raw([0x81, 0, 0, 0x80, 1, 2, 3])
            let reader = try WebMReader(source: MemorySource(header + tail.bytes))
            _ = try reader.all()
        }
    }

    @Test(arguments: [UInt8(0x02), 0x04, 0x06])
    func lacedBlocksAreTakenApart(flags: UInt8) throws {
        // Three frames of 4, 4 and 4 bytes: Xiph, fixed and EBML lacing.
        let frames: [[UInt8]] = [[0xf8, 1, 2, 3], [0xf8, 4, 5, 6], [0xf8, 7, 8, 9]]
        let sizes: [UInt8] = flags == 0x04 ? [] : flags == 0x02 ? [4, 4] : [0x84, 0xbf]
        var buffer = EBMLBuffer()
        buffer.master(.ebml) { $0.string(.docType, "webm") }
        buffer.master(.segment) { segment in
            segment.master(.tracks) { tracks in
                tracks.master(.trackEntry) { entry in
                    entry.unsigned(.trackNumber, 1)
                    entry.unsigned(.trackType, 2)
                    entry.string(.codecID, "A_OPUS")
                }
            }
            segment.master(.cluster) { cluster in
                cluster.unsigned(.timestamp, 100)
                cluster.binary(.simpleBlock, [0x81, 0, 5, 0x80 | flags, 2] + sizes + frames.flatMap { $0 })
            }
        }
        let read = try WebMReader(source: MemorySource(buffer.bytes)).all()
        #expect(read.map(\.bytes) == frames)
        // 0xf8: one frame of 20 ms.
        #expect(read.map { $0.timestamp.rawValue / 1_000_000 } == [105, 125, 145])
    }
}
