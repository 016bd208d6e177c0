import Foundation

/// Reads the files of `Tests/Vectors`, which are hexadecimal text; its `SOURCES.md` says where they come from.
package enum TestVector {
    package struct Missing: Error {
        package let path: String
    }

    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors")

    /// The bytes of a file whose whole text is hexadecimal.
    package static func bytes(_ path: String) throws -> [UInt8] {
        try bytes(hexadecimal: text(path))
    }

    /// The datagrams of a capture: a line each, `rtp` or `rtcp` and the bytes.
    package static func datagrams(_ path: String, _ kind: String) throws -> [[UInt8]] {
        try text(path).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == kind ? bytes(hexadecimal: String(words[1])) : nil
        }
    }

    /// Bytes from hexadecimal digits; whatever is no digit is skipped.
    package static func bytes(hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The whole of a file.
    package static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: directory.appendingPathComponent(path).path) else {
            throw Missing(path: path)
        }
        return String(decoding: data, as: UTF8.self)
    }
}
