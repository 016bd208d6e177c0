import Foundation

/// Format of the state in the cluster's store: JSON with a fixed order of keys, so that equal states have equal texts. Fields may be added
/// if they are optional; a relay ignores those that it does not know.
enum SavedText {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
