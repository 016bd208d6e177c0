/// The answer to a request on the wire: `{"id": 7, "result": {…}}` or `{"id": 7, "error": {…}}`.
public struct ResultMessage<Answer: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var id: UInt32
    public var result: Result<Answer, SignalingError>

    public init(id: UInt32, _ result: Result<Answer, SignalingError>) {
        self.id = id
        self.result = result
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case result
        case error
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UInt32.self, forKey: .id)
        if let error = try container.decodeIfPresent(SignalingError.self, forKey: .error) {
            result = .failure(error)
        } else {
            result = .success(try container.decode(Answer.self, forKey: .result))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        switch result {
        case .success(let answer): try container.encode(answer, forKey: .result)
        case .failure(let error): try container.encode(error, forKey: .error)
        }
    }
}
