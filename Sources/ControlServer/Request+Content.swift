import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

extension Request {
    /// The body as `T`. Unknown fields are ignored; what does not fit throws a `Problem` that names the field.
    func json<T: Decodable>(_ type: T.Type, limit: Int) async throws -> T {
        if let contentType = headers[.contentType] {
            guard let media = mediaType, media == "application/json" || media.hasSuffix("+json") else {
                throw Problem(.unsupportedMediaType, "the body is \(contentType), not application/json")
            }
        }
        let buffer = try await content(limit: limit, key: "http.bodyBytes")
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch let error as DecodingError {
            throw Problem(error)
        }
    }

    /// The media type of the body, in lower case and without parameters; nil where none is named.
    var mediaType: String? {
        headers[.contentType]?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    /// The whole body.
    ///
    /// - Parameter key: configuration key that `limit`, in bytes, is of.
    func content(limit: Int, key: String) async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Problem(.bodyTooLarge, "the body has \(length) bytes, \(limit) are allowed", limit: key)
        }
        do {
            return try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem(.bodyTooLarge, "the body has more than \(limit) bytes", limit: key)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The connection ended or broke within the body: the client's doing, and no fault of the relay.
            throw Problem(.malformedRequest, "the request ended before its body was complete")
        }
    }
}
