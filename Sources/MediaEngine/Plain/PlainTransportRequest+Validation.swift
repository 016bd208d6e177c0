import Forwarding
import MediaBase

/// Checks of a request that need no state of the worker.
extension PlainTransportRequest {
    /// Checks that a transport's SSRCs differ, because two streams under one SSRC and key would share a keystream, and that the payload
    /// type of retransmissions is valid and unused.
    func checkRetransmission() throws(EngineError) {
        guard audio?.rtx == nil else {
            throw .invalidRequest(field: "audio.rtx", reason: "only video can have a retransmission stream (RFC 4588)")
        }
        var ssrcs: Set<UInt32> = []
        let named = [audio?.ssrc, video?.ssrc, video?.rtx?.ssrc].compactMap(\.self)
        for ssrc in named where !ssrcs.insert(ssrc).inserted { throw .ssrcInUse(ssrc) }
        guard let rtx = video?.rtx else { return }
        let others = [
            audio?.payloadType ?? MediaKind.audio.defaultPayloadType,
            video?.payloadType ?? MediaKind.video.defaultPayloadType,
        ]
        guard rtx.payloadType < 128, !(64...95).contains(rtx.payloadType), !others.contains(rtx.payloadType) else {
            throw .invalidRequest(
                field: "video.rtx.payloadType", reason: "must be 0 to 63 or 96 to 127, and unused by the tracks")
        }
    }

    /// Returns the checked destinations of a subscriber's tracks. Paths are not opened yet.
    /// - Parameter isIPv6: IP family that the relay is bound to.
    func targets(isIPv6: Bool?) throws(EngineError) -> [SubscriptionTarget] {
        guard audio != nil || video != nil else {
            throw .invalidRequest(field: "audio, video", reason: "request at least one track, with its port")
        }
        let host = self.address ?? ""
        var targets: [SubscriptionTarget] = []
        for (kind, track) in [(MediaKind.audio, audio), (.video, video)] {
            guard let track else { continue }
            guard let port = track.port, port > 0, rtcpMux || port < 65_535 else {
                throw .invalidRequest(field: "\(kind.rawValue).port", reason: "must be a UDP port, 1 to 65535")
            }
            try checkPayloadType(track.payloadType, kind)
            guard let address = SocketAddress(host, port: port),
                address.isIPv6 == isIPv6
            else {
                throw .addressUnusable(
                    address: host, reason: "must be a numeric address of the IP family that the relay is bound to")
            }
            var rtcpAddress = address
            if !rtcpMux { rtcpAddress.port = port + 1 }
            // With retransmissions, the default is used: the publisher's payload type could equal that of the retransmissions.
            let payloadType = track.payloadType ?? (video?.rtx == nil ? nil : kind.defaultPayloadType)
            targets.append(
                SubscriptionTarget(
                    kind: kind, path: -1, address: address, rtcpAddress: rtcpAddress,
                    payloadType: payloadType.map { PayloadType($0) }, codec: track.codec,
                    ssrc: track.ssrc.map { SSRC($0) },
                    rtx: track.rtx))
        }
        try checkRetransmission()
        return targets
    }

    func checkPayloadType(_ payloadType: UInt8?, _ kind: MediaKind) throws(EngineError) {
        guard let payloadType, payloadType > 127 || (64...95).contains(payloadType) else { return }
        throw .invalidRequest(
            field: "\(kind.rawValue).payloadType",
            reason: "must be 0 to 63 or 96 to 127; 64 to 95 would be read as RTCP (RFC 5761)")
    }
}
