internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOFoundationCompat

extension Request {
    /// The body as `T`. Unknown fields are ignored; what does not fit throws a `Problem` that names the field.
    func json<T: Decodable>(_ type: T.Type, limit: Int) async throws -> T {
        if let contentType = headers[.contentType] {
            let media = contentType.split(separator: ";").first.map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard let media, media == "application/json" || media.hasSuffix("+json") else {
                throw Problem(.unsupportedMediaType, "the body is \(contentType)")
            }
        }
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Problem(.bodyTooLarge, "the body has \(length) bytes, \(limit) are allowed", limit: "http.bodyBytes")
        }
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem(.bodyTooLarge, "the body has more than \(limit) bytes", limit: "http.bodyBytes")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch let error as DecodingError {
            throw Problem(error)
        }
    }

    /// Reads away a body that the request need not have.
    func discardBody(limit: Int) async throws {
        do {
            _ = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem(.bodyTooLarge, "the body has more than \(limit) bytes", limit: "http.bodyBytes")
        }
    }
}
