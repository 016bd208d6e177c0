import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite struct IVFTests {
    private let folder = TemporaryFolder()

    @Test func roundTrip() throws {
        let reader = try IVFReader(source: MemorySource(try TestMedia.ivfBytes()))
        #expect(reader.header.codec == "VP80" && reader.header.width == TestMedia.width)
        #expect(reader.header.frameCount == TestMedia.video.count)
        let frames = try reader.all()
        #expect(frames.map(\.bytes) == TestMedia.video.map(\.bytes))
        #expect(frames.map(\.timestamp) == (0..<90).map { Int64($0) })
        #expect(reader.time(of: frames[30]) == .seconds(1))
        #expect(reader.damage.isEmpty)
    }

    @Test func cutAtEveryByteOfTheLastFrame() throws {
        let bytes = try TestMedia.ivfBytes()
        let last = bytes.count - 12 - (TestMedia.video.last?.bytes.count ?? 0)
        for end in last..<bytes.count {
            let reader = try IVFReader(source: MemorySource(Array(bytes[..<end])))
            #expect(try reader.all().count == TestMedia.video.count - 1)
            #expect(reader.damage.count == (end == last ? 0 : 1))
        }
    }

    @Test func badHeadersAreTyped() throws {
        let good = try TestMedia.ivfBytes()
        for (offset, value) in [(0, UInt8(0)), (4, 1), (6, 31), (7, 255)] {
            var bytes = good
            bytes[offset] = value
            #expect(throws: ContainerError.self) { try IVFReader(source: MemorySource(bytes)) }
        }
        for count in 0..<32 {
            #expect(throws: ContainerError.self) { try IVFReader(source: MemorySource(Array(good.prefix(count)))) }
        }
    }

    @Test(.enabled(if: MediaTool.ffmpeg.isInstalled && MediaTool.ffprobe.isInstalled, "ffmpeg is not installed"))
    func toolsAgree() throws {
        let ours = folder.file("ours.ivf")
        try Data(try TestMedia.ivfBytes()).write(to: URL(fileURLWithPath: ours))
        let counted = try MediaTool.ffprobe.run([
            "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", ours,
        ])
        #expect(counted.text.contains("90"))
        let theirs = folder.file("theirs.ivf")
        let made = try MediaTool.ffmpeg.run([
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=1", "-c:v", "libvpx", "-y", theirs,
        ])
        #expect(made.status == 0, "\(made.errors)")
        let reader = try IVFReader(source: FileSource(path: theirs))
        #expect(try reader.all().count == 25)
        #expect(reader.damage.isEmpty)
    }
}
