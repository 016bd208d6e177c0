import Foundation

/// The VP8 test vectors, if they are available: in `MILLRACE_VECTORS`, otherwise beside the repository.
enum TestVectors {
    static let directory: URL = {
        if let path = ProcessInfo.processInfo.environment["MILLRACE_VECTORS"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }()

    /// Names without extension.
    static let vp8: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/vp8")) ?? []
        return names.filter { $0.hasSuffix(".ivf") }.map { String($0.dropLast(4)) }.sorted()
    }()

    /// Returns the frames of an IVF file: 32 bytes of header, then 12 bytes and the data for each.
    static func frames(of name: String) throws -> [[UInt8]] {
        let file = [UInt8](try Data(contentsOf: directory.appendingPathComponent("vp8/\(name).ivf")))
        var frames: [[UInt8]] = []
        var at = 32
        while at + 12 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) }
            at += 12
            frames.append(Array(file[at..<min(at + size, file.count)]))
            at += size
        }
        return frames
    }

    /// Returns the digest of each frame: the first word of each line.
    static func digests(of name: String) throws -> [String] {
        let text = try String(contentsOf: directory.appendingPathComponent("vp8/\(name).ivf.md5"), encoding: .utf8)
        return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }
}
