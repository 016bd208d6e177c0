import Foundation
package import Logging

/// Writes one line per message to standard error: `2026-11-21T01:49:06.123Z info text key=value`, or the same as a JSON
/// object.
package struct StandardErrorLogHandler: LogHandler {
    /// The level of this logger, if it has one of its own, otherwise that of the relay.
    package var logLevel: Logger.Level {
        get { own ?? level.current }
        set { own = newValue }
    }
    package var metadata: Logger.Metadata = [:]
    private let level: LogLevel
    private var own: Logger.Level?
    private let format: RelayConfiguration.LogFormat

    package init(level: LogLevel, format: RelayConfiguration.LogFormat) {
        self.level = level
        self.format = format
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = event.metadata.map { metadata.merging($0) { $1 } } ?? metadata
        let time = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
        let line: String
        switch format {
        case .text:
            line = Self.textLine(time: time, level: event.level, message: event.message, metadata: all)
        case .json:
            line = Self.jsonLine(time: time, level: event.level, message: event.message, metadata: all)
        }
        // One write per line, so that lines of several threads do not mix.
        let bytes = Array((line + "\n").utf8)
        bytes.withUnsafeBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let n = Glibc.write(STDERR_FILENO, rest.base, rest.count)
                if n <= 0 { break }
                rest = rest.dropFirst(n)
            }
        }
    }

    static func textLine(time: String, level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata)
        -> String
    {
        var line = "\(time) \(level.rawValue) \(escaped("\(message)"))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let text = escaped("\(value)")
            line += text.contains(" ") || text.isEmpty ? " \(key)=\"\(text)\"" : " \(key)=\(text)"
        }
        return line
    }

    static func jsonLine(time: String, level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata)
        -> String
    {
        var object = ["time": time, "level": level.rawValue, "message": "\(message)"]
        for (key, value) in metadata where object[key] == nil { object[key] = "\(value)" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(object) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Escapes control characters: text from the network must not forge lines or move the cursor.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 32 || scalar.value == 127 {
                out += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

extension Slice where Base == UnsafeRawBufferPointer {
    fileprivate var base: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
