/// A request on the wire: `{"id": 7, "method": "signal", "params": {…}}`.
public struct RequestMessage: Hashable, Sendable, Codable {
    /// Id chosen by the client and repeated in the answer: 1 or more, unique among open requests.
    public var id: UInt32
    public var request: Request

    public init(id: UInt32, _ request: Request) {
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
        request = try Request(container.decode(Method.self, forKey: .method), from: container, key: .params)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(request.method, forKey: .method)
        try request.encodeBody(to: &container, key: .params)
    }
}
