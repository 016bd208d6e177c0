import Foundation

/// Lines of the report on standard output.
enum Report {
    private static let lock = NSLock()

    static func write(_ values: [String: any Encodable & Sendable]) {
        let fields = values.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard let data = try? JSONEncoder().encode(value) else { return nil }
            return "\"\(name)\":" + String(decoding: data, as: UTF8.self)
        }
        lock.withLock { FileHandle.standardOutput.write(Data("{\(fields.joined(separator: ","))}\n".utf8)) }
    }

    /// Milliseconds of the wall clock, which all clients on this machine share.
    static var clock: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
