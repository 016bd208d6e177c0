import Foundation

/// The first HTTP/1.1 response in the bytes from a server.
struct RawHTTPResponse: Sendable {
    struct Malformed: Error {
        let text: String
    }

    let status: Int
    /// Header fields by lower-case name; the last value of repeated fields.
    let fields: [String: String]
    /// Header fields in order, with lower-case names.
    let lines: [(name: String, value: String)]
    let body: [UInt8]

    init(_ bytes: [UInt8]) throws {
        let separator: [UInt8] = [13, 10, 13, 10]
        guard let end = bytes.firstRange(of: separator) else {
            throw Malformed(text: String(decoding: bytes, as: UTF8.self))
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else {
            throw Malformed(text: String(decoding: bytes, as: UTF8.self))
        }
        if status == 100 {
            self = try RawHTTPResponse(Array(bytes[end.upperBound...]))
            return
        }
        var fields: [String: String] = [:]
        var fieldLines: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields[line[..<colon].lowercased()] = value
            fieldLines.append((line[..<colon].lowercased(), value))
        }
        self.status = status
        self.fields = fields
        self.lines = fieldLines
        let rest = bytes[end.upperBound...]
        if fields["transfer-encoding"] == "chunked" {
            body = Self.joined(chunks: rest)
        } else if let length = fields["content-length"].flatMap({ Int($0) }) {
            body = Array(rest.prefix(length))
        } else {
            body = Array(rest)
        }
    }

    /// Returns all values of a repeated field.
    func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }

    var text: String { String(decoding: body, as: UTF8.self) }

    var json: [String: Any] {
        get throws {
            guard let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
                throw Malformed(text: text)
            }
            return object
        }
    }

    /// The `code` of a problem document; nil if the response is not one.
    var problemCode: String? {
        guard fields["content-type"] == "application/problem+json" else { return nil }
        return (try? json)?["code"] as? String
    }

    private static func joined(chunks: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var rest = chunks
        while let line = rest.firstRange(of: [13, 10]) {
            guard let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size > 0 else {
                break
            }
            let data = rest[line.upperBound...]
            out += data.prefix(size)
            rest = data.dropFirst(size + 2)
        }
        return out
    }
}
