import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite struct OggOpusTests {
    private let folder = TemporaryFolder()

    @Test func roundTrip() throws {
        let reader = try OggOpusReader(source: MemorySource(try TestMedia.oggBytes()))
        let packets = try reader.all()
        #expect(packets.map(\.bytes) == TestMedia.audio)
        #expect(reader.head == OpusHead(channels: 2, preSkip: 312))
        #expect(reader.vendor == "Millrace" && reader.comments == ["TITLE=tone"])
        #expect(packets.map(\.timestamp) == (0..<150).map { Int64($0) * 960 - 312 })
        #expect(packets.allSatisfy { $0.duration == 960 && $0.trimEnd == 0 && $0.gapBefore == 0 })
        #expect(reader.damage.isEmpty)
    }

    @Test(arguments: [1, 500, 960, 961, 5000])
    func endIsTrimmed(samples: Int) throws {
        let sink = MemorySink()
        let writer = try OggOpusWriter(sink: sink, head: OpusHead(channels: 2, preSkip: 312))
        for packet in TestMedia.audio { try writer.write(packet) }
        try writer.finish(trimEnd: samples)
        let packets = try OggOpusReader(source: MemorySource(sink.bytes)).all()
        #expect(packets.reduce(0) { $0 + $1.trimEnd } == samples)
        #expect(packets.last?.trimEnd == min(samples, 960))
    }

    @Test(arguments: [254, 255, 256, 509, 510, 511, 65_024, 65_025, 65_026, 200_000])
    func packetsOfAnySizeSpanPages(size: Int) throws {
        let large = [UInt8(0xfc)] + [UInt8](repeating: 7, count: size - 1)
        let packets = [TestMedia.audio[0], large, TestMedia.audio[1], large, large]
        let sink = MemorySink()
        let writer = try OggOpusWriter(sink: sink, head: OpusHead(channels: 2, preSkip: 0))
        for packet in packets { try writer.write(packet) }
        try writer.finish()
        let reader = try OggOpusReader(source: MemorySource(sink.bytes))
        let read = try reader.all()
        #expect(read.map(\.bytes) == packets)
        #expect(read.map(\.timestamp) == (0..<5).map { Int64($0) * 960 })
        #expect(reader.damage.isEmpty, "\(reader.damage.notes)")
    }

    @Test func damagedPageLosesOnlyItsOwnPackets() throws {
        var bytes = try TestMedia.oggBytes()
        let pages = bytes.indices.dropLast(4).filter { bytes[$0...].starts(with: Array("OggS".utf8)) }
        #expect(pages.count == 5)
        bytes[pages[3] + 100] ^= 1
        let reader = try OggOpusReader(source: MemorySource(bytes))
        let packets = try reader.all()
        #expect(packets.count == 100)
        #expect(packets[50].gapBefore == 48_000)
        #expect(packets[50].timestamp == 96_000 - 312)
        #expect(reader.damage.notes.contains { $0.error.reason == .malformed("checksum") })
        #expect(reader.damage.lostBytes == Int64(pages[4] - pages[3]))
    }

    @Test func junkBetweenPagesIsSteppedOver() throws {
        let bytes = try TestMedia.oggBytes()
        let pages = bytes.indices.dropLast(4).filter { bytes[$0...].starts(with: Array("OggS".utf8)) }
        let mixed = Array(bytes[..<pages[3]]) + Array("OggOggS junk".utf8) + Array(bytes[pages[3]...])
        let reader = try OggOpusReader(source: MemorySource(mixed))
        #expect(try reader.all().count == 150)
        #expect(reader.damage.count == 1)
    }

    @Test func chainedStreamsGoOnInTime() throws {
        let bytes = try TestMedia.oggBytes()
        let reader = try OggOpusReader(source: MemorySource(bytes + bytes))
        let packets = try reader.all()
        #expect(packets.count == 300 && reader.chainedStreams == 1)
        // The samples that the second stream's pre-skip drops overlap the end of the first one.
        #expect(packets[150].timestamp == packets[149].timestamp + 960 - 312)
        #expect(reader.damage.isEmpty)
    }

    @Test("Chained streams whose granules claim 2^56 samples each end before their sum overflows")
    func chainedGranules() throws {
        var bytes: [UInt8] = []
        func page(_ sequence: UInt32, _ body: [UInt8], granule: Int64, isFirst: Bool = false) {
            var page = OggPage()
            page.isFirst = isFirst
            page.granule = granule
            page.sequence = sequence
            page.segments = [UInt8(body.count)]
            page.body = body
            bytes += page.bytes
        }
        // A packet of 20 ms.
        let packet: [UInt8] = [31 << 3, 0, 0, 0]
        for _ in 0..<300 {
            page(0, OpusHead(channels: 2, preSkip: 312).bytes, granule: 0, isFirst: true)
            page(1, Array("OpusTags".utf8) + [0, 0, 0, 0, 0, 0, 0, 0], granule: 0)
            page(2, packet, granule: 960)
            page(3, packet, granule: 1 << 56 - 1)
        }
        let reader = try OggOpusReader(source: MemorySource(bytes))
        let packets = try reader.all()
        #expect(packets.count == 34 && packets.allSatisfy { $0.timestamp < 1 << 61 })
        #expect(reader.chainedStreams == 16 && !reader.damage.isEmpty)
    }

    @Test func whatIsNoOpusSaysSo() {
        #expect(throws: ContainerError.self) { try OggOpusReader(source: MemorySource([])) }
        #expect(throws: ContainerError.self) { try OggOpusReader(source: MemorySource(Array("OggS".utf8))) }
        var page = OggPage()
        page.isFirst = true
        page.segments = [4]
        page.body = [1, 2, 3, 4]
        let error = #expect(throws: ContainerError.self) { try OggOpusReader(source: MemorySource(page.bytes)) }
        #expect(error?.container == .ogg)
    }

    @Test func packetLengthsFollowTheTableOfContents() {
        // RFC 6716 section 3.1: configuration 0, 3, 12, 16, 31 with one, two and counted frames.
        #expect(OpusPacketDuration.samples([0 << 3]) == 480)
        #expect(OpusPacketDuration.samples([3 << 3]) == 2880)
        #expect(OpusPacketDuration.samples([3 << 3 | 1]) == 5760)
        #expect(OpusPacketDuration.samples([13 << 3]) == 960)
        #expect(OpusPacketDuration.samples([16 << 3 | 2]) == 240)
        #expect(OpusPacketDuration.samples([31 << 3 | 3, 6]) == 5760)
        #expect(OpusPacketDuration.samples([31 << 3 | 3, 7]) == nil)
        #expect(OpusPacketDuration.samples([31 << 3 | 3, 0]) == nil)
        #expect(OpusPacketDuration.samples([31 << 3 | 3]) == nil)
        #expect(OpusPacketDuration.samples([]) == nil)
    }

    @Test(.enabled(if: MediaTool.ffmpeg.isInstalled && MediaTool.ffprobe.isInstalled, "ffmpeg is not installed"))
    func toolsAgree() throws {
        let ours = folder.file("ours.opus")
        try Data(try TestMedia.oggBytes()).write(to: URL(fileURLWithPath: ours))
        let probed = try MediaTool.ffprobe.run([
            "-v", "warning", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets:format=duration",
            "-of",
            "csv=p=0", ours,
        ])
        #expect(probed.status == 0 && probed.errors.isEmpty, "\(probed.errors)")
        #expect(probed.text.contains("opus,150") && probed.text.contains("3.000"), "\(probed.text)")

        let theirs = folder.file("theirs.opus")
        let made = try MediaTool.ffmpeg.run([
            "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2.345", "-c:a", "libopus", "-ac", "2",
            "-y",
            theirs,
        ])
        #expect(made.status == 0, "\(made.errors)")
        let reader = try OggOpusReader(source: FileSource(path: theirs))
        let packets = try reader.all()
        #expect(reader.damage.isEmpty)
        let heard = packets.reduce(0) { $0 + $1.duration - $1.trimEnd } - reader.head.preSkip
        // ffmpeg counts 2.345 s at 44.1 kHz and rounds up.
        #expect((112_560...112_561).contains(heard))
    }
}
