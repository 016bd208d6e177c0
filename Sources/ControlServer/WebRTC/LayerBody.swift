import MediaBase
import MediaEngine

/// Body of `POST {resource}/layer`: layers of the video that a subscriber requests. Empty: the layers that its bandwidth allows.
struct LayerBody: Decodable, Sendable {
    /// Highest encoding; 0 is the smallest.
    var spatial: Int?
    /// Highest temporal layer (0...3).
    var temporal: Int?
    /// RID of the only encoding to send.
    var encodingId: String?

    private enum CodingKeys: String, CodingKey {
        case spatial
        case temporal
        case encodingId
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        spatial = try container.integerIfPresent(UInt8.self, forKey: .spatial).map(Int.init)
        temporal = try container.integerIfPresent(UInt8.self, forKey: .temporal).map(Int.init)
        encodingId = try container.decodeIfPresent(String.self, forKey: .encodingId)
    }

    var choice: LayerChoice {
        get throws(Problem) {
            if let temporal, temporal > 3 {
                throw Problem(.invalidField, "a temporal layer of VP8 is 0 to 3", field: "temporal")
            }
            if let encodingId {
                guard let rid = RID(encodingId) else {
                    throw Problem(.invalidField, "an RID is 1 to 16 letters and digits", field: "encodingId")
                }
                guard spatial == nil else {
                    throw Problem(.invalidField, "encodingId names the encoding already", field: "spatial")
                }
                return .encoding(rid, temporal: temporal)
            }
            return spatial == nil && temporal == nil ? .automatic : .upTo(spatial: spatial, temporal: temporal)
        }
    }
}
