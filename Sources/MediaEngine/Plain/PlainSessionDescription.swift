import MediaBase
import SRTP

/// Session description (RFC 8866) of a plain transport, with its key in the syntax of RFC 4568.
enum PlainSessionDescription {
    static func text(for transport: PlainTransport) -> String {
        let family = transport.address.contains(":") ? "IP6" : "IP4"
        // Key of the sender of the described media: the relay for a subscriber, the client for a publisher.
        let key = transport.direction == .subscribe ? transport.relayKey : transport.clientKey
        var lines = [
            "v=0", "o=- 0 0 IN \(family) \(transport.address)", "s=\(printable(transport.session))",
            "c=IN \(family) \(transport.address)", "t=0 0",
        ]
        for (media, track) in [("audio", transport.audio), ("video", transport.video)] {
            guard let track else { continue }
            let channels = track.channels.map { "/\($0)" } ?? ""
            let formats = track.rtx.map { "\(track.payloadType) \($0.payloadType)" } ?? "\(track.payloadType)"
            lines += [
                "m=\(media) \(track.port) RTP/SAVP \(formats)",
                "a=rtpmap:\(track.payloadType) \(track.codec)/\(track.clockRate)\(channels)",
            ]
            if media == "audio" { lines.append("a=fmtp:\(track.payloadType) stereo=1;sprop-stereo=1;useinbandfec=1") }
            // Without this, players take packetization mode 0, which has no fragments (RFC 6184 section 8.1).
            if track.codec == VideoCodec.h264.rawValue {
                lines.append("a=fmtp:\(track.payloadType) packetization-mode=1")
            }
            if let rtx = track.rtx {
                lines += [
                    "a=rtpmap:\(rtx.payloadType) rtx/\(track.clockRate)",
                    "a=fmtp:\(rtx.payloadType) apt=\(track.payloadType)",
                ]
            }
            lines.append(
                transport.rtcpMux ? "a=rtcp-mux" : "a=rtcp:\(track.rtcpPort) IN \(family) \(transport.address)")
            lines += [
                "a=crypto:1 \(transport.suite.sdesName) inline:\(key.base64)",
                transport.direction == .subscribe ? "a=sendonly" : "a=recvonly",
                "a=ssrc:\(track.ssrc) cname:millrace",
            ]
            if let rtx = track.rtx {
                lines += ["a=ssrc:\(rtx.ssrc) cname:millrace", "a=ssrc-group:FID \(track.ssrc) \(rtx.ssrc)"]
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// Returns text without control characters, so that a session name cannot add lines.
    private static func printable(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }
        return kept.isEmpty ? "-" : String(String.UnicodeScalarView(kept))
    }
}
