/// A request on the wire: `{"id": 7, "method": "signal", "params": {…}}`.
public struct RequestMessage: Hashable, Sendable, Codable {
    /// Id chosen by the client and repeated in the answer: 1 or more, unique among open requests.
    public var id: UInt32
    public var request: any RequestBody

    public init(id: UInt32, _ request: any RequestBody) {
        self.id = id
        self.request = request
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case method
        case params
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UInt32.self, forKey: .id)
        let method = try container.decode(String.self, forKey: .method)
        guard let type = RequestTable.type(of: method) else {
            throw DecodingError.dataCorruptedError(
                forKey: .method, in: container, debugDescription: "there is no such method")
        }
        if let type = type as? any ParameterlessRequest.Type {
            request = type.init()
        } else {
            request = try container.decode(type, forKey: .params)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(request.method, forKey: .method)
        try container.encode(request, forKey: .params)
    }

    public static func == (one: RequestMessage, other: RequestMessage) -> Bool {
        one.id == other.id && AnyHashable(one.request) == AnyHashable(other.request)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(AnyHashable(request))
    }
}
