import MediaBase
import MediaEngine
import RTP

/// One track of a `PlainTransportBody`.
struct PlainTrackBody: Codable, Sendable {
    /// Subscribe: UDP port that receives RTP. Publish: ignored.
    var port: UInt16?
    /// Absent: 111 for Opus, 96 for video.
    var payloadType: UInt8?
    /// Absent: the relay picks one.
    var ssrc: UInt32?
    /// Video: `VP8`, `H264`, `VP9` or `AV1`. Publish: absent means VP8. Subscribe: absent means whichever the stream has.
    var codec: String?
    /// Video: asks for retransmissions by RFC 4588. Absent: a retransmission repeats the original packet.
    var rtx: PlainRTXBody?
    /// Publish, H.264: `sprop-parameter-sets` of the publisher's session description.
    var parameterSets: String?

    private enum CodingKeys: String, CodingKey {
        case port
        case payloadType
        case ssrc
        case codec
        case rtx
        case parameterSets
    }

    init(_ request: PlainTrackRequest) {
        port = request.port
        payloadType = request.payloadType
        ssrc = request.ssrc
        codec = request.codec?.rawValue
        rtx = request.rtx.map(PlainRTXBody.init)
        parameterSets = request.parameterSets?.text
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        port = try container.integerIfPresent(UInt16.self, forKey: .port)
        payloadType = try container.integerIfPresent(UInt8.self, forKey: .payloadType)
        ssrc = try container.integerIfPresent(UInt32.self, forKey: .ssrc)
        codec = try container.decodeIfPresent(String.self, forKey: .codec)
        rtx = try container.decodeIfPresent(PlainRTXBody.self, forKey: .rtx)
        parameterSets = try container.decodeIfPresent(String.self, forKey: .parameterSets)
    }

    /// - Parameter field: path of this object in the body.
    func request(field: String, direction: TransportDirection) throws(Problem) -> PlainTrackRequest {
        if let payloadType { try Self.check(payloadType, field: field) }
        if direction == .subscribe {
            guard let port else { throw Problem(.invalidField, "the field is missing", field: field + ".port") }
            guard port > 0, port < .max else {
                throw Problem(.invalidField, "a port is 1 to 65534", field: field + ".port")
            }
        }
        var video: VideoCodec?
        if let codec {
            let names = field == "video" ? VideoCodec.allCases.map(\.rawValue) : ["opus"]
            guard names.contains(codec) else {
                throw Problem(
                    .invalidField, "\"\(codec)\" is not one of \(names.joined(separator: ", "))",
                    field: field + ".codec")
            }
            video = VideoCodec(rawValue: codec)
        }
        if ssrc == 0 { throw Problem(.invalidField, "0 is not usable as an SSRC", field: field + ".ssrc") }
        return PlainTrackRequest(
            port: direction == .subscribe ? port : nil, payloadType: payloadType, ssrc: ssrc,
            codec: video, rtx: try rtx?.request(field: field + ".rtx"),
            parameterSets: try sets(of: video, field: field, direction))
    }

    private func sets(
        of codec: VideoCodec?, field: String, _ direction: TransportDirection
    ) throws(Problem) -> H264ParameterSets? {
        guard let parameterSets else { return nil }
        let path = field + ".parameterSets"
        guard direction == .publish, codec == .h264 else {
            throw Problem(.invalidField, "only a publisher of H264 has parameter sets", field: path)
        }
        do throws(RTPError) { return try H264ParameterSets(parameterSets) } catch {
            throw Problem(
                .invalidField,
                "must be SPS and PPS in base64 with a comma between them, at most "
                    + "\(H264ParameterSets.maximumPayload) bytes", field: path)
        }
    }

    /// Refuses 64...95, which would read as RTCP if RTP and RTCP share a port (RFC 5761 section 4).
    static func check(_ payloadType: UInt8, field: String) throws(Problem) {
        guard payloadType < 128, !(64...95).contains(payloadType) else {
            throw Problem(.invalidField, "a payload type is 0 to 63 or 96 to 127", field: field + ".payloadType")
        }
    }
}
