import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite struct Y4MTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [(16, 16), (17, 15), (1, 1), (175, 143)])
    func roundTrip(width: Int, height: Int) throws {
        let frames = (0..<3).map { TestMedia.frame($0, width: width, height: height) }
        let sink = MemorySink()
        let writer = try Y4MWriter(
            sink: sink, header: Y4MHeader(width: width, height: height, rate: 30_000, scale: 1001))
        for frame in frames { try writer.write(frame) }
        try writer.finish()
        let reader = try Y4MReader(source: MemorySource(sink.bytes))
        #expect(reader.header == writer.header)
        #expect(try reader.all().map(\.bytes) == frames.map(\.bytes))
        #expect(reader.damage.isEmpty)
    }

    @Test func cutFileGivesWholeFrames() throws {
        let sink = MemorySink()
        let writer = try Y4MWriter(sink: sink, header: Y4MHeader(width: 8, height: 8, rate: 25))
        for index in 0..<3 { try writer.write(TestMedia.frame(index, width: 8, height: 8)) }
        try writer.finish()
        let last = sink.bytes.count - 96 - 6
        for end in last..<sink.bytes.count {
            let reader = try Y4MReader(source: MemorySource(Array(sink.bytes[..<end])))
            #expect(try reader.all().count == 2)
            #expect(reader.damage.count == (end == last ? 0 : 1))
        }
    }

    @Test(arguments: [
        "", "YUV4MPEG2", "YUV4MPEG2 W8 H8\u{0}", "YUV4MPEG2 W0 H8 F25:1\n", "YUV4MPEG2 W8 H99999999 F25:1\n",
        "YUV4MPEG2 W8 H8 F0:0\n", "YUV4MPEG2 W8 H8 F25:1 C444\n", "YUV4MPEG2 W8 H8 F25:1 It\n",
    ])
    func badHeadersAreTyped(text: String) {
        #expect(throws: ContainerError.self) { try Y4MReader(source: MemorySource(Array(text.utf8))) }
    }

    @Test func otherSizeIsRefused() throws {
        let writer = try Y4MWriter(sink: MemorySink(), header: Y4MHeader(width: 8, height: 8, rate: 25))
        #expect(throws: ContainerError.self) { try writer.write(I420Frame(width: 16, height: 8)) }
    }

    @Test(.enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func ffmpegReadsOursAndWeReadTheirs() throws {
        let path = folder.file("ours.y4m")
        let writer = try Y4MWriter(sink: FileSink(path: path), header: Y4MHeader(width: 35, height: 21, rate: 25))
        let frames = (0..<5).map { TestMedia.frame($0, width: 35, height: 21) }
        for frame in frames { try writer.write(frame) }
        try writer.finish()
        let raw = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
        #expect(raw.bytes == frames.flatMap(\.bytes))
        let theirs = folder.file("theirs.y4m")
        _ = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-pix_fmt", "yuv420p", "-y", theirs])
        #expect(try Y4MReader(source: FileSource(path: theirs)).all().map(\.bytes) == frames.map(\.bytes))
    }
}
