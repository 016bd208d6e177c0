import CPage
package import NIOCore

/// File of the page, embedded in the binary.
package struct PageFile: Sendable {
    /// Path in its URL, such as `ui/app.js`.
    package let path: String
    package let bytes: ByteBuffer
    /// A strong validator (RFC 9110 section 8.8.3): a digest of the bytes.
    package let entityTag: String

    package var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    /// All files, by path.
    package static let all: [String: PageFile] = {
        let files = (0..<millrace_page_file_count).map { PageFile(millrace_page_file_at($0)) }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
    }()

    private init(_ file: millrace_page_file) {
        let content = UnsafeBufferPointer(start: file.bytes, count: file.count)
        path = String(cString: file.path)
        bytes = ByteBuffer(bytes: content)
        // FNV-1a distinguishes versions of a file; it does not protect against tampering.
        let digest = content.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        entityTag = "\"\(String(digest, radix: 16))-\(file.count)\""
    }

    /// Returns whether an `If-None-Match` field (RFC 9110 section 13.1.2) names this version.
    package func isNamed(by field: String) -> Bool {
        field.split(separator: ",").contains { item in
            let tag = item.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            return String(tag) == "*" || String(tag) == entityTag || String(tag) == "W/" + entityTag
        }
    }
}
