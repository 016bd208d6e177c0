import MediaEngine

/// The retransmission stream (RFC 4588) of a `PlainTrackBody`.
struct PlainRTXBody: Codable, Sendable {
    var payloadType: UInt8
    /// Absent: the relay picks one.
    var ssrc: UInt32?

    private enum CodingKeys: String, CodingKey {
        case payloadType
        case ssrc
    }

    init(_ request: PlainRTXRequest) {
        payloadType = request.payloadType
        ssrc = request.ssrc
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let number = try container.integerIfPresent(UInt8.self, forKey: .payloadType) else {
            throw DecodingError.keyNotFound(
                CodingKeys.payloadType,
                .init(codingPath: container.codingPath, debugDescription: "the field is missing"))
        }
        payloadType = number
        ssrc = try container.integerIfPresent(UInt32.self, forKey: .ssrc)
    }

    /// - Parameter field: path of this object in the body.
    func request(field: String) throws(Problem) -> PlainRTXRequest {
        try PlainTrackBody.check(payloadType, field: field)
        if ssrc == 0 { throw Problem(.invalidField, "0 is not usable as an SSRC", field: field + ".ssrc") }
        return PlainRTXRequest(payloadType: payloadType, ssrc: ssrc)
    }
}
