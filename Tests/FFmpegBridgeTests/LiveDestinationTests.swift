import FFmpegBridge
import Foundation
import Testing

@Suite("LIV-2 Destinations that need H.264") struct LiveDestinationTests {
    @Test("LIV-2 URLs and directories are recognised, others are refused")
    func parsing() {
        #expect(LiveDestination("RTMPS://live.example/app/key") == .rtmp(url: "RTMPS://live.example/app/key"))
        #expect(LiveDestination("srt://h:9000?mode=listener") == .srt(url: "srt://h:9000?mode=listener"))
        let directory = FileManager.default.temporaryDirectory.path
        #expect(LiveDestination(directory) == .hls(directory: URL(filePath: directory, directoryHint: .isDirectory)))
        for text in ["", "https://h/whip", "file:///tmp", "concat:a", directory + "/none", "-f"] {
            #expect(LiveDestination(text) == nil, "\(text)")
        }
    }

    @Test("LIV-2 each destination is the last argument, behind its format")
    func arguments() throws {
        var encoding = LiveDestination.Encoding()
        encoding.width = 640
        encoding.height = 360
        let rtmp = try #require(LiveDestination("rtmp://h/a/k")).arguments(encoding)
        #expect(rtmp.suffix(5) == ["-f", "flv", "-flvflags", "no_duration_filesize", "rtmp://h/a/k"])
        #expect(rtmp.contains { $0.contains("pad=640:360:") })
        #expect(
            try #require(LiveDestination("srt://h:1")).arguments(encoding).suffix(3) == ["-f", "mpegts", "srt://h:1"])
        let hls = LiveDestination.hls(directory: URL(filePath: "/d", directoryHint: .isDirectory)).arguments(encoding)
        #expect(hls.last == "/d/index.m3u8")
    }
}
