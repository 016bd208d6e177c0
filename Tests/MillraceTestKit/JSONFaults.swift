import Foundation

/// Decodes JSON of a value in which one part after another is missing or replaced. Decoding must refuse it with a `DecodingError`, or take it;
/// a trap ends the test.
package struct JSONFaults {
    /// Paths of the parts without which JSON is decoded: those that may be nil, and entries of dictionaries.
    package private(set) var optional: Set<String> = []
    /// Number of variants that were refused.
    package private(set) var refused = 0
    /// Variants that were refused with another error.
    package private(set) var strange: [String] = []

    private static var replacements: [Any] {
        [
            NSNull(), true, -1, 1e300, UInt64.max, Int64.min, 255, "", "x", String(repeating: "x", count: 300),
            [Any](), ["x", "x"], [String: Any](), ["x": "x"],
        ]
    }

    /// - Parameter use: uses a value that was decoded from JSON with a fault.
    package init<Value: Codable>(of value: Value, use: (Value) -> Void = { _ in }) throws {
        let whole = try JSONSerialization.jsonObject(
            with: try JSONEncoder().encode(value), options: .fragmentsAllowed)
        for variant in Self.variants(of: whole, at: []) {
            let data = try JSONSerialization.data(withJSONObject: variant.json, options: .fragmentsAllowed)
            do {
                use(try JSONDecoder().decode(Value.self, from: data))
                if variant.isMissing { optional.insert(variant.path.joined(separator: ".")) }
            } catch is DecodingError {
                refused += 1
            } catch {
                strange.append("\(variant.path): \(error)")
            }
        }
    }

    private struct Variant {
        var json: Any
        var path: [String]
        /// Whether the part is missing; otherwise it is replaced.
        var isMissing = false
    }

    private static func variants(of json: Any, at path: [String]) -> [Variant] {
        var all = replacements.map { Variant(json: $0, path: path) }
        if let object = json as? [String: Any] {
            for (key, value) in object {
                var without = object
                without[key] = nil
                all.append(Variant(json: without, path: path + [key], isMissing: true))
                for inner in variants(of: value, at: path + [key]) {
                    var changed = object
                    changed[key] = inner.json
                    all.append(Variant(json: changed, path: inner.path, isMissing: inner.isMissing))
                }
            }
        } else if let array = json as? [Any] {
            for (index, value) in array.enumerated() {
                for inner in variants(of: value, at: path + ["\(index)"]) {
                    var changed = array
                    changed[index] = inner.json
                    all.append(Variant(json: changed, path: inner.path, isMissing: inner.isMissing))
                }
            }
        }
        return all
    }
}

extension JSONFaults {
    /// Returns the value that is decoded from the JSON of a value.
    package static func decoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    /// Checks that a value is the same after a way through JSON, and that faulty JSON of it is refused with a `DecodingError`.
    /// - Parameters:
    ///   - optional: paths of the parts that may be missing.
    ///   - minimum: lowest number of variants that must be refused.
    ///   - use: uses a value that was decoded from JSON with a fault.
    /// - Throws: `JSONCheckFailure` if one of this does not hold, which ends the test.
    package static func check<Value: Codable & Equatable>(
        _ value: Value, optional: Set<String> = [], refusing minimum: Int = 1, use: (Value) -> Void = { _ in }
    ) throws {
        let read = try decoded(value)
        guard read == value else { throw JSONCheckFailure("\(read) is not \(value)") }
        let faults = try JSONFaults(of: value, use: use)
        guard faults.strange.isEmpty else { throw JSONCheckFailure("other errors: \(faults.strange)") }
        guard faults.optional == optional else { throw JSONCheckFailure("optional are \(faults.optional.sorted())") }
        guard faults.refused >= minimum else { throw JSONCheckFailure("only \(faults.refused) variants are refused") }
    }

    /// Decodes a value from text.
    package static func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}
