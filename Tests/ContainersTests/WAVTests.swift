import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite struct WAVTests {
    private let folder = TemporaryFolder()
    private let samples = (0..<9600).map { Int16(truncatingIfNeeded: $0 &* 7919) }

    @Test(arguments: [1, 2])
    func roundTrip(channels: Int) throws {
        let sink = MemorySink()
        let writer = try WAVWriter(sink: sink, format: WAVFormat(sampleRate: 48_000, channels: channels))
        try writer.write(PCMBlock(channels: channels, samples: samples))
        try writer.finish()
        let reader = try WAVReader(source: MemorySource(sink.bytes))
        #expect(reader.format == WAVFormat(sampleRate: 48_000, channels: channels))
        #expect(reader.remainingFrames == Int64(samples.count / channels))
        #expect(try reader.read(frames: 100_000) == samples)
        #expect(try reader.read(frames: 1).isEmpty)
        #expect(reader.damage.isEmpty)
    }

    @Test("A sample rate that no header can hold is refused", arguments: [0, -1, 768_001, 0x1_0000_0000, Int.max])
    func invalidSampleRate(rate: Int) throws {
        #expect(throws: ContainerError.self) {
            try WAVWriter(sink: MemorySink(), format: WAVFormat(sampleRate: rate, channels: 2))
        }
    }

    @Test func streamWithoutSizesIsReadToItsEnd() throws {
        let sink = MemorySink(canOverwrite: false)
        let writer = try WAVWriter(sink: sink)
        try writer.write(samples: samples)
        try writer.finish()
        #expect(sink.bytes[40..<44].elementsEqual([0xff, 0xff, 0xff, 0xff]))
        let reader = try WAVReader(source: MemorySource(sink.bytes))
        #expect(try reader.read(frames: 100_000) == samples)
        #expect(reader.damage.isEmpty)
    }

    @Test func cutFileGivesWhatIsThere() throws {
        let sink = MemorySink()
        let writer = try WAVWriter(sink: sink)
        try writer.write(samples: samples)
        try writer.finish()
        let reader = try WAVReader(source: MemorySource(Array(sink.bytes.dropLast(5))))
        #expect(try reader.read(frames: 100_000).count == samples.count - 4)
        #expect(reader.damage.count == 1)
        for count in 0..<44 {
            #expect(throws: ContainerError.self) {
                try WAVReader(source: MemorySource(Array(sink.bytes.prefix(count))))
            }
        }
    }

    @Test(.enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func ffmpegReadsOursAndWeReadTheirs() throws {
        let path = folder.file("ours.wav")
        let writer = try WAVWriter(sink: FileSink(path: path))
        try writer.write(samples: samples)
        try writer.finish()
        let raw = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s16le", "-"])
        #expect(raw.errors.isEmpty)
        #expect(raw.bytes == samples.withUnsafeBytes { Array($0) })
        let theirs = folder.file("theirs.wav")
        _ = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-y", theirs])
        #expect(try WAVReader(source: FileSource(path: theirs)).read(frames: 100_000) == samples)
    }
}
