import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

extension Request {
    /// Decodes the body as `T`. Unknown fields are ignored; a value that does not fit throws a `Problem` that names the field.
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

    /// Media type of the body, in lower case and without parameters; nil if none is given.
    var mediaType: String? {
        headers[.contentType]?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    /// Returns the whole body.
    ///
    /// - Parameter key: configuration key of `limit`, which is in bytes.
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
            // The connection ended within the body, which is an error of the client and not of the relay.
            throw Problem(.malformedRequest, "the request ended before its body was complete")
        }
    }
}
