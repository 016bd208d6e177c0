import MediaBase
package import MediaEngine
import SRTP

/// Body of `POST /v1/sessions/{session}/plain`.
package struct PlainTransportBody: Codable, Sendable {
    /// `publish` or `subscribe`.
    var direction: String
    var stream: String?
    /// Session password; not needed if the relay has an admin token.
    var password: String?
    /// Name of a crypto-suite (RFC 4568 section 6.2, RFC 7714 section 14.2).
    var suite: String?
    var rtcpMux: Bool?
    /// Subscribe: numeric address that receives media. Absent: the HTTP client's address.
    var address: String?
    var audio: PlainTrackBody?
    var video: PlainTrackBody?

    package init(_ request: PlainTransportRequest) {
        direction = request.direction.rawValue
        stream = request.stream
        suite = request.suite.sdesName
        rtcpMux = request.rtcpMux
        address = request.address
        audio = request.audio.map(PlainTrackBody.init)
        video = request.video.map(PlainTrackBody.init)
    }

    /// - Parameter peer: numeric address of the HTTP client.
    func request(session: SessionName, peer: String?) throws(Problem) -> PlainTransportRequest {
        guard let direction = TransportDirection(rawValue: direction) else {
            throw Problem(.invalidField, "\"\(direction)\" is not one of publish, subscribe", field: "direction")
        }
        var request = PlainTransportRequest(direction: direction, session: session.rawValue)
        if let stream {
            do {
                request.stream = try StreamName(stream).rawValue
            } catch {
                throw Problem(.invalidField, error.detail, field: "stream")
            }
        }
        if let suite {
            guard let known = SRTPSuite(sdesName: suite) else {
                let names = SRTPSuite.allCases.map(\.sdesName).joined(separator: ", ")
                throw Problem(.invalidField, "\"\(suite)\" is not one of \(names)", field: "suite")
            }
            request.suite = known
        }
        request.rtcpMux = rtcpMux ?? false
        if let address {
            guard SocketAddress(address, port: 0) != nil else {
                throw Problem(.invalidField, "\"\(address)\" is not a numeric address", field: "address")
            }
            request.address = address
        } else if direction == .subscribe {
            request.address = peer
        }
        request.audio = try audio?.request(field: "audio", direction: direction)
        request.video = try video?.request(field: "video", direction: direction)
        switch direction {
        case .publish:
            // If neither is named, both are opened.
            if audio == nil, video == nil {
                request.audio = PlainTrackRequest()
                request.video = PlainTrackRequest()
            }
        case .subscribe:
            if audio == nil, video == nil {
                throw Problem(
                    .invalidField, "a subscriber must name the port of audio, video or both", field: "audio")
            }
            if let a = request.audio?.port, let v = request.video?.port, collide(a, v) {
                throw Problem(.invalidField, "the ports of audio and video overlap", field: "video.port")
            }
        }
        if let a = request.audio?.ssrc, a == request.video?.ssrc {
            throw Problem(.invalidField, "audio and video need different SSRCs", field: "video.ssrc")
        }
        if let a = request.audio?.payloadType, a == request.video?.payloadType {
            throw Problem(.invalidField, "audio and video need different payload types", field: "video.payloadType")
        }
        return request
    }

    /// Returns whether RTP of one track would arrive on the RTCP port of the other. The same port for both is allowed, because SSRCs
    /// distinguish the tracks.
    private func collide(_ a: UInt16, _ b: UInt16) -> Bool {
        rtcpMux != true && a != b && (a &+ 1 == b || b &+ 1 == a)
    }
}
