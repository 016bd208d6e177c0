import MediaBase
import RTP

extension SDPLine {
    /// Returns the lines of a track's payload types, their parameters and the negotiated RTCP messages.
    /// - Parameters:
    ///   - sends: true if the side that writes the lines sends.
    ///   - minimumPacketTime: of Opus, in milliseconds (RFC 7587 section 6.1: `minptime`).
    ///   - usesDTX: true if Opus may stop sending during silence.
    static func codec(_ track: TrackDescription, sends: Bool, minimumPacketTime: UInt16 = 10, usesDTX: Bool = false)
        -> [SDPLine]
    {
        var lines = track.codecs.flatMap { codec($0) }
        if track.kind == .audio {
            // Asks for stereo: without it, some clients that have two channels send one. Clients with one channel still send one.
            var parameters = ["minptime=\(minimumPacketTime)", "useinbandfec=1", "stereo=1"]
            if sends { parameters.append("sprop-stereo=1") }
            if usesDTX { parameters.append("usedtx=1") }
            lines.append(SDPLine(attribute: "fmtp", "\(track.payloadType) " + parameters.joined(separator: ";")))
            lines += track.codecs.flatMap { red(of: $0) }
        }
        return lines
    }

    /// Returns the lines of redundant audio: each block is a packet of the codec (RFC 2198 section 5). Any number of blocks may be sent.
    private static func red(of codec: CodecDescription) -> [SDPLine] {
        guard let red = codec.redPayloadType else { return [] }
        return [
            SDPLine(attribute: "rtpmap", "\(red) red/\(codec.kind.clockRate)/2"),
            SDPLine(attribute: "fmtp", "\(red) \(codec.payloadType)/\(codec.payloadType)"),
        ]
    }

    private static func codec(_ codec: CodecDescription) -> [SDPLine] {
        var lines = [SDPLine(attribute: "rtpmap", "\(codec.payloadType) \(codec.encodingName)")]
        let messages: [(TrackDescription.Feedback, String)] = [
            (.remb, "goog-remb"), (.transportCC, "transport-cc"), (.fir, "ccm fir"), (.nack, "nack"),
            (.pli, "nack pli"),
        ]
        for (feedback, text) in messages where codec.feedback.contains(feedback) {
            lines.append(SDPLine(attribute: "rtcp-fb", "\(codec.payloadType) \(text)"))
        }
        if !codec.parameters.isEmpty {
            lines.append(SDPLine(attribute: "fmtp", "\(codec.payloadType) \(codec.parameters)"))
        }
        if let rtx = codec.rtxPayloadType {
            lines.append(SDPLine(attribute: "rtpmap", "\(rtx) rtx/\(codec.kind.clockRate)"))
            lines.append(SDPLine(attribute: "fmtp", "\(rtx) apt=\(codec.payloadType)"))
        }
        return lines
    }

    /// Returns the lines with ids of header extensions (RFC 8285 section 5).
    static func extensions(_ map: RTPExtensionMap) -> [SDPLine] {
        RTPExtensionKind.allCases.compactMap { kind in
            map[kind].map { SDPLine(attribute: "extmap", HeaderExtensionLine(id: $0, kind: kind).text) }
        }
    }

    /// Returns the lines of a track's SSRCs (RFC 5576). Without the FID group some clients take retransmissions for separate media.
    static func sources(_ ssrc: SSRC, rtx: SSRC?, cname: String, msid: String) -> [SDPLine] {
        var lines: [SDPLine] = []
        if let rtx { lines.append(SDPLine(attribute: "ssrc-group", "FID \(ssrc) \(rtx)")) }
        for source in [ssrc, rtx].compactMap({ $0 }) {
            lines.append(SDPLine(attribute: "ssrc", "\(source) cname:\(cname.asIdentifier)"))
            lines.append(SDPLine(attribute: "ssrc", "\(source) msid:\(msid)"))
        }
        return lines
    }
}
