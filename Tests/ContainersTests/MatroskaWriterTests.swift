import MediaBase
import Testing

@testable import Containers

@Suite struct MatroskaWriterTests {
    private static func tracks(_ count: Int) -> [MatroskaTrack] {
        (0..<count).map { MatroskaTrack(name: "Track \($0)", media: .audio(channels: 2, preSkip: 312)) }
    }

    @Test("A file of several tracks has all frames in order, a duration, a seek index and its chapters")
    func roundTrip() throws {
        let sink = MemorySink()
        let video = MatroskaTrack(
            name: "Ada (camera)", media: .video(.vp8, width: 640, height: 360, rotation: .quarter))
        let writer = try MatroskaWriter(sink: sink, tracks: [video] + Self.tracks(2), date: 1_785_585_600_000_000_000)
        for index in 0..<300 {
            for track in 0..<3 {
                try writer.write(
                    track: track, timestamp: .milliseconds(Int64(index) * 40), duration: .milliseconds(40),
                    isKeyframe: track > 0 || index % 50 == 0, bytes: [UInt8(track), UInt8(index % 256)])
            }
        }
        try writer.finish(chapters: [MatroskaChapter(time: .seconds(3), title: "Ada joins")])
        #expect(writer.duration == .seconds(12) && writer.byteCount == Int64(sink.bytes.count))

        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(reader.tracks.map(\.number) == [1, 2, 3])
        #expect(
            reader.tracks[0].codec == .vp8 && reader.tracks[0].width == 640 && reader.tracks[0].rotation == .quarter)
        #expect(reader.tracks[1].codec == .opus && reader.tracks[1].channels == 2)
        #expect(reader.info.duration == .seconds(12) && reader.info.date == 1_785_585_600_000_000_000)
        var counts: [Int: Int] = [:]
        while let frame = try reader.next() {
            let count = counts[frame.track, default: 0]
            #expect(frame.timestamp == .milliseconds(Int64(count) * 40))
            #expect(frame.bytes == [UInt8(frame.track - 1), UInt8(count % 256)])
            #expect(frame.isKeyframe == (frame.track > 1 || count % 50 == 0))
            counts[frame.track] = count + 1
        }
        #expect(counts == [1: 300, 2: 300, 3: 300] && reader.damage.isEmpty)
        #expect(reader.structure.hasCues && reader.structure.segmentSizeIsKnown && reader.structure.clusters == 12)
        let title = Array("Ada joins".utf8)
        #expect(sink.bytes.indices.contains { sink.bytes[$0...].starts(with: title) })
    }

    @Test("Track numbers above 126 have two bytes, and more tracks than the limit are refused")
    func manyTracks() throws {
        let sink = MemorySink()
        let writer = try MatroskaWriter(sink: sink, tracks: Self.tracks(130))
        for track in [125, 126, 129] {
            try writer.write(track: track, timestamp: .zero, isKeyframe: true, bytes: [7, 7])
        }
        try writer.finish()
        let blocks: [[UInt8]] = [
            [0xa3, 0x86, 0xfe, 0, 0, 0x80, 7, 7], [0xa3, 0x87, 0x40, 0x7f, 0, 0, 0x80, 7, 7],
            [0xa3, 0x87, 0x40, 0x82, 0, 0, 0x80, 7, 7],
        ]
        let wanted = Array(blocks.joined())
        #expect(sink.bytes.indices.contains { sink.bytes[$0...].starts(with: wanted) })
        for count in [0, MatroskaWriter.maximumTracks + 1] {
            #expect(throws: ContainerError.self) { try MatroskaWriter(sink: MemorySink(), tracks: Self.tracks(count)) }
        }
        #expect(throws: ContainerError.self) {
            try MatroskaWriter(sink: MemorySink(canOverwrite: false), tracks: Self.tracks(1))
        }
        #expect(throws: ContainerError.self) {
            try writer.write(track: 0, timestamp: .zero, isKeyframe: true, bytes: [1])
        }
    }
}
