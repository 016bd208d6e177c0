import FFmpegBridge
import Testing

@Suite("LIV-2 Sources that ffmpeg receives") struct IngestSourceTests {
    private static let transport = IngestSource.Transport(
        address: "::1", port: 7982, rtcpPort: 7983, key: "a2V5", suite: "AES_CM_128_HMAC_SHA1_80")
    private static let audio = IngestSource.Track(payloadType: 111, ssrc: 1)
    private static let video = IngestSource.Track(payloadType: 96, ssrc: 2)

    private func arguments(_ source: IngestSource?) throws -> [String] {
        try #require(source).arguments(to: Self.transport, audio: Self.audio, video: Self.video)
    }

    @Test("LIV-2 schemes that read local files through a URL, and options that do not apply, are refused")
    func refused() {
        for url in ["", "-i", "file:///etc/passwd", "subfile://a", "crypto://a", "pipe://0"] {
            #expect(IngestSource(url) == nil, "\(url)")
        }
        #expect(IngestSource("srt://h:1", listens: true) == nil)
        #expect(IngestSource("rtmp://h/a", loops: true) == nil)
    }

    @Test("LIV-2 a path is opened as a file, whatever it looks like")
    func files() throws {
        let arguments = try arguments(IngestSource("concat:a|b", loops: true))
        #expect(arguments.contains("file:concat:a|b"))
        #expect(arguments.contains("-stream_loop"))
    }

    @Test("LIV-2 each track is an output of its own with the transport's key, ports and SSRC")
    func outputs() throws {
        let both = try arguments(IngestSource("rtmp://0.0.0.0/live", listens: true))
        #expect(both.count { $0 == "srtp://[::1]:7982?rtcpport=7983&pkt_size=1200" } == 2)
        #expect(both.count { $0 == "a2V5" } == 2)
        #expect(both.contains("-listen"))
        let audioOnly = try arguments(IngestSource("rtsp://h/s", video: nil))
        #expect(!audioOnly.contains("0:v:0") && audioOnly.contains("0:a:0") && audioOnly.contains("-rtsp_transport"))
        let videoOnly = try arguments(IngestSource("srt://h:1", video: .copy, hasAudio: false))
        #expect(videoOnly.contains("0:v:0") && !videoOnly.contains("0:a:0") && videoOnly.contains("copy"))
    }
}
