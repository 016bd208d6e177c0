import Foundation

/// Output of results for programs.
enum JSONLine {
    /// Prints a value as one line of JSON, keys sorted.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
        fflush(nil)
    }
}
