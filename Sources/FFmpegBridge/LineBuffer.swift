/// Lines of a program's standard error. Bounded: a longer line is cut, and bytes that are not UTF-8 are replaced.
package struct LineBuffer: Sendable {
    package static let maximumBytes = 1_000

    private var partial: [UInt8] = []

    package init() {}

    /// Returns the lines that are complete with these bytes, without empty ones.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            // ffmpeg ends a line that the next one overwrites with a carriage return.
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let line = take() { lines.append(line) }
            } else if partial.count < Self.maximumBytes {
                partial.append(byte)
            }
        }
        return lines
    }

    /// Returns the rest at the end of the output.
    package mutating func finish() -> String? { take() }

    private mutating func take() -> String? {
        defer { partial.removeAll(keepingCapacity: true) }
        return partial.isEmpty ? nil : String(decoding: partial, as: UTF8.self)
    }
}
