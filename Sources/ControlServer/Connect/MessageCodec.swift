import Foundation
import NIOCore
import NIOFoundationCompat
import Signaling

/// Decoding of requests and encoding of answers.
enum MessageCodec {
    /// Error for a text that is not a request. Its answer has this `id`, 0 if none could be read.
    struct Refusal: Error, Equatable {
        var id: UInt32
        var error: SignalingError
    }

    private static let decoder = JSONDecoder()
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return encoder
    }()

    /// Readable parts of a message that is not a request.
    private struct Head: Decodable {
        var id: UInt32?
        var method: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case method
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try? container.decode(UInt32.self, forKey: .id)
            method = try? container.decode(String.self, forKey: .method)
        }
    }

    static func request(_ text: ByteBuffer) throws(Refusal) -> RequestMessage {
        let data = Data(buffer: text)
        let message: RequestMessage
        do {
            message = try decoder.decode(RequestMessage.self, from: data)
        } catch {
            throw refusal(of: data, error)
        }
        guard message.id > 0 else {
            throw Refusal(id: 0, error: SignalingError(.malformedMessage, "an id must be 1 or more", field: "id"))
        }
        return message
    }

    /// - Returns: the error `messageTooLarge` instead of an answer above the size that clients must accept.
    static func answer<Answer: Hashable & Sendable & Codable>(
        _ id: UInt32, _ result: Result<Answer, SignalingError>
    ) -> ByteBuffer {
        do throws(SignalingError) {
            return try bounded(id, result)
        } catch {
            return failure(id, error)
        }
    }

    /// - Throws: `messageTooLarge` for an answer above the size that clients must accept.
    private static func bounded<Answer: Hashable & Sendable & Codable>(
        _ id: UInt32, _ result: Result<Answer, SignalingError>
    ) throws(SignalingError) -> ByteBuffer {
        // Strings and numbers always encode.
        guard let data = try? encoded(ResultMessage(id: id, result)) else { return ByteBuffer() }
        try checkSize(data.count)
        return ByteBuffer(data: data)
    }

    static func encoded(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

    /// - Throws: `messageTooLarge` for an answer above the size that clients must accept.
    static func checkSize(_ bytes: Int) throws(SignalingError) {
        let limit = SignalingProtocol.maximumRelayMessageBytes
        guard bytes <= limit else {
            throw SignalingError(
                .messageTooLarge, "the answer has \(bytes) bytes, a message of the relay at most \(limit)")
        }
    }

    static func failure(_ id: UInt32, _ error: SignalingError) -> ByteBuffer {
        answer(id, Result<Done, SignalingError>.failure(error))
    }

    private static func refusal(of data: Data, _ error: any Error) -> Refusal {
        guard let head = try? decoder.decode(Head.self, from: data) else {
            return Refusal(id: 0, error: SignalingError(.malformedMessage, "a message must be a JSON object"))
        }
        guard let id = head.id, id > 0 else {
            return Refusal(
                id: 0, error: SignalingError(.malformedMessage, "an id must be a whole number above 0", field: "id"))
        }
        guard let method = head.method else {
            return Refusal(id: id, error: SignalingError(.malformedMessage, "method must be a string", field: "method"))
        }
        guard RequestTable.type(of: method) != nil else {
            return Refusal(
                id: id, error: SignalingError(.unknownMethod, "there is no method \"\(method.prefix(40))\""))
        }
        guard let error = error as? DecodingError else {
            return Refusal(id: id, error: SignalingError(.malformedMessage))
        }
        let problem = Problem(error)
        // The path is given relative to `params`.
        let field = problem.field.map { $0.hasPrefix("params.") ? String($0.dropFirst("params.".count)) : $0 }
        return Refusal(id: id, error: SignalingError(.invalidField, problem.detail, field: field))
    }
}
