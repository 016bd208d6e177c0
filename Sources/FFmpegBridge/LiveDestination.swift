package import Foundation

/// Destination of a live stream that needs H.264 and AAC, and so a process of ffmpeg: RTMP, SRT or HLS.
package enum LiveDestination: Hashable, Sendable {
    case rtmp(url: String)
    case srt(url: String)
    /// Directory for a playlist `index.m3u8` and its segments.
    case hls(directory: URL)

    /// Video that ffmpeg makes. All of it has one size, because most platforms do not accept another one within a stream.
    package struct Encoding: Hashable, Sendable {
        package var width = 1_280
        package var height = 720
        package var framesPerSecond = 30
        /// Kilobits per second.
        package var videoKilobits = 2_500
        package var audioKilobits = 128

        package init() {}
    }

    /// Seconds between key frames, and of an HLS segment.
    private static let keyFrameSeconds = 2
    private static let playlistSegments = 6

    /// - Returns: nil if the text is neither a URL with one of the schemes `rtmp`, `rtmps` and `srt` nor the path of a directory that exists.
    package init?(_ text: String) {
        switch Self.scheme(of: text) {
        case "rtmp", "rtmps": self = .rtmp(url: text)
        case "srt": self = .srt(url: text)
        case nil:
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory), isDirectory.boolValue else {
                return nil
            }
            self = .hls(directory: URL(filePath: text, directoryHint: .isDirectory))
        default: return nil
        }
    }

    /// Returns the scheme of a URL in lower case; nil if the text has none.
    static func scheme(of text: String) -> String? {
        guard let end = text.range(of: "://") else { return nil }
        return text[..<end.lowerBound].lowercased()
    }

    /// Returns ffmpeg's arguments. It reads WebM or Matroska from its standard input.
    package func arguments(_ encoding: Encoding) -> [String] {
        let size = "\(encoding.width):\(encoding.height)"
        let filters = [
            "scale=\(size):force_original_aspect_ratio=decrease", "pad=\(size):(ow-iw)/2:(oh-ih)/2", "setsar=1",
            "fps=\(encoding.framesPerSecond)",
        ]
        let rate = "\(encoding.videoKilobits)k"
        return [
            "-nostdin", "-hide_banner", "-loglevel", "warning", "-fflags", "nobuffer", "-analyzeduration", "1000000",
            "-i", "pipe:0", "-map", "0:v:0?", "-map", "0:a:0?",
            "-vf", filters.joined(separator: ","),
            "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p",
            "-b:v", rate, "-maxrate", rate, "-bufsize", "\(encoding.videoKilobits * 2)k",
            "-g", "\(encoding.framesPerSecond * Self.keyFrameSeconds)", "-sc_threshold", "0",
            "-c:a", "aac", "-b:a", "\(encoding.audioKilobits)k", "-ar", "48000", "-ac", "2",
        ] + output
    }

    private var output: [String] {
        switch self {
        case .rtmp(let url): ["-f", "flv", "-flvflags", "no_duration_filesize", url]
        case .srt(let url): ["-f", "mpegts", url]
        case .hls(let directory):
            [
                "-f", "hls", "-hls_time", "\(Self.keyFrameSeconds)", "-hls_list_size", "\(Self.playlistSegments)",
                "-hls_flags", "delete_segments+independent_segments+temp_file",
                "-hls_segment_filename", directory.appending(path: "segment%06d.ts").path,
                directory.appending(path: "index.m3u8").path,
            ]
        }
    }
}
