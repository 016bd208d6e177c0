/// Stream of another protocol that ffmpeg receives or reads, and sends to a plain transport of the relay.
package struct IngestSource: Hashable, Sendable {
    /// Treatment of the source's video.
    package enum Video: String, CaseIterable, Sendable {
        /// H.264 of the source, which must have no B frames, because WebRTC clients cannot decode them.
        case copy
        case vp8
        case h264

        /// Codec of the plain transport, as the relay names it.
        package var codec: String {
            switch self {
            case .copy, .h264: "H264"
            case .vp8: "VP8"
            }
        }
    }

    /// Address and keys of the relay's plain transport.
    package struct Transport: Hashable, Sendable {
        package var address: String
        package var port: UInt16
        package var rtcpPort: UInt16
        /// Base64 of the master key and salt of the client's packets.
        package var key: String
        /// Name of the crypto-suite (RFC 4568 section 6.2).
        package var suite: String

        package init(address: String, port: UInt16, rtcpPort: UInt16, key: String, suite: String) {
            self.address = address
            self.port = port
            self.rtcpPort = rtcpPort
            self.key = key
            self.suite = suite
        }
    }

    /// Track of a plain transport.
    package struct Track: Hashable, Sendable {
        package var payloadType: UInt8
        /// Below 2^31: ffmpeg's option is signed.
        package var ssrc: UInt32

        package init(payloadType: UInt8, ssrc: UInt32) {
            self.payloadType = payloadType
            self.ssrc = ssrc
        }
    }

    /// Schemes that ffmpeg opens for this command. Others, such as `concat` and `subfile`, read files that a URL should not reach.
    package static let schemes: Set<String> = ["rtmp", "rtmps", "srt", "rtsp", "rtsps", "http", "https", "udp", "tcp"]

    /// Frames from one key frame to the next. A late subscriber waits for one, because ffmpeg cannot make one on request.
    private static let framesPerKeyFrame = 60
    /// Maximum size of a packet's payload; leaves space for the headers of tunnels.
    private static let packetBytes = 1_200

    package var url: String
    /// Whether ffmpeg waits for a sender (RTMP). SRT has `?mode=listener` in its URL.
    package var listens: Bool
    package var video: Video?
    package var hasAudio: Bool
    /// Kilobits per second of encoded video.
    package var videoKilobits: Int
    /// Whether a file begins again at its end.
    package var loops: Bool

    /// - Parameter video: nil to leave the video out.
    /// - Returns: nil for a scheme that is not in `schemes`, and for options that do not apply to the source.
    package init?(
        _ url: String, listens: Bool = false, video: Video? = .vp8, hasAudio: Bool = true, videoKilobits: Int = 2_500,
        loops: Bool = false
    ) {
        let scheme = LiveDestination.scheme(of: url)
        if let scheme, !Self.schemes.contains(scheme) { return nil }
        guard !listens || scheme == "rtmp", !loops || scheme == nil, !url.isEmpty, !url.hasPrefix("-") else {
            return nil
        }
        self.url = url
        self.listens = listens
        self.video = video
        self.hasAudio = hasAudio
        self.videoKilobits = videoKilobits
        self.loops = loops
    }

    /// Whether the source is a file, which is read at the speed of its timestamps.
    private var isFile: Bool { LiveDestination.scheme(of: url) == nil }

    /// Returns ffmpeg's arguments.
    package func arguments(to transport: Transport, audio: Track?, video track: Track?) -> [String] {
        var arguments = ["-nostdin", "-hide_banner", "-loglevel", "warning"]
        switch LiveDestination.scheme(of: url) {
        case nil: arguments += ["-re"] + (loops ? ["-stream_loop", "-1"] : [])
        case "rtsp", "rtsps": arguments += ["-rtsp_transport", "tcp"]
        case "rtmp" where listens: arguments += ["-listen", "1"]
        default: break
        }
        // Otherwise ffmpeg collects five seconds before it sends them in a burst.
        if !isFile { arguments += ["-fflags", "nobuffer", "-analyzeduration", "1000000"] }
        arguments += ["-i", isFile ? "file:" + url : url]
        if let video, let track {
            arguments += ["-map", "0:v:0"] + encoding(of: video) + output(track, transport)
        }
        if hasAudio, let audio {
            arguments += ["-map", "0:a:0", "-c:a", "libopus", "-b:a", "96k", "-ar", "48000", "-ac", "2"]
            arguments += output(audio, transport)
        }
        return arguments
    }

    private func encoding(of video: Video) -> [String] {
        let rate = "\(videoKilobits)k"
        let rates = ["-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "\(Self.framesPerKeyFrame)"]
        return switch video {
        // Subscribers need the parameter sets in front of each key frame.
        case .copy: ["-c:v", "copy", "-bsf:v", "h264_mp4toannexb,dump_extra"]
        case .vp8:
            [
                "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0",
                "-error-resilient", "default", "-pix_fmt", "yuv420p",
            ] + rates
        case .h264:
            [
                "-c:v", "libx264", "-profile:v", "baseline", "-preset", "veryfast", "-tune", "zerolatency",
                "-pix_fmt", "yuv420p", "-bsf:v", "dump_extra",
            ] + rates
        }
    }

    private func output(_ track: Track, _ transport: Transport) -> [String] {
        let host = transport.address.contains(":") ? "[\(transport.address)]" : transport.address
        return [
            "-f", "rtp", "-payload_type", "\(track.payloadType)", "-ssrc", "\(track.ssrc)",
            "-srtp_out_suite", transport.suite, "-srtp_out_params", transport.key,
            "srtp://\(host):\(transport.port)?rtcpport=\(transport.rtcpPort)&pkt_size=\(Self.packetBytes)",
        ]
    }
}
