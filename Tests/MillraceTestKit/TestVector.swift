import Foundation

/// Reader for the files of `Tests/Vectors`, which are hexadecimal text; their origins are listed in `SOURCES.md`.
package enum TestVector {
    package struct Missing: Error {
        package let path: String
    }

    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors")

    /// Returns the bytes of a file that contains only hexadecimal text.
    package static func bytes(_ path: String) throws -> [UInt8] {
        try bytes(hexadecimal: text(path))
    }

    /// Returns the datagrams of a capture: one per line, `rtp` or `rtcp` and the bytes.
    package static func datagrams(_ path: String, _ kind: String) throws -> [[UInt8]] {
        try text(path).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == kind ? bytes(hexadecimal: String(words[1])) : nil
        }
    }

    /// Returns bytes from hexadecimal digits; other characters are skipped.
    package static func bytes(hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Returns the text of a file.
    package static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: directory.appendingPathComponent(path).path) else {
            throw Missing(path: path)
        }
        return String(decoding: data, as: UTF8.self)
    }
}
