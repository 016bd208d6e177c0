/// A line of a description: a letter and its value; for an attribute, its name and the value after the colon (RFC 8866 section 5).
package struct SDPLine: Sendable, Hashable {
    /// ASCII letter in front of the equals sign.
    package let type: UInt8
    /// Name of an attribute; empty for other lines.
    package let name: String
    /// Nil for an attribute without colon.
    package let value: String?
    /// Line number in the parsed text, counted from 1; 0 for a line that this side made.
    package let number: Int

    init(type: UInt8, name: String, value: String?, number: Int) {
        self.type = type
        self.name = name
        self.value = value
        self.number = number
    }

    /// - Precondition: `type` is one ASCII character.
    init(_ type: Unicode.Scalar, _ value: String) {
        self.init(type: UInt8(ascii: type), name: "", value: value, number: 0)
    }

    init(attribute name: String, _ value: String? = nil) {
        self.init(type: UInt8(ascii: "a"), name: name, value: value, number: 0)
    }

    /// The line without its end.
    package var text: String {
        let head = String(Unicode.Scalar(type)) + "="
        guard type == UInt8(ascii: "a") else { return head + (value ?? "") }
        return head + name + (value.map { ":" + $0 } ?? "")
    }

    var error: SDPError {
        let field = type == UInt8(ascii: "a") ? "a=\(name)" : "\(Unicode.Scalar(type))="
        return .malformed(line: number, field: field)
    }
}

extension [SDPLine] {
    /// Returns the first attribute of that name.
    package func attribute(_ name: String) -> SDPLine? { first { $0.name == name } }

    package func has(_ name: String) -> Bool { contains { $0.name == name } }

    /// Returns the first attribute's value; nil if there is none.
    package func value(_ name: String) -> String? { attribute(name)?.value }

    package func attributes(_ name: String) -> [SDPLine] { filter { $0.name == name } }

    /// The last direction attribute; valid descriptions have at most one.
    var direction: MediaDirection? {
        for line in reversed() where line.value == nil && !line.name.isEmpty {
            if let direction = MediaDirection(rawValue: line.name) { return direction }
        }
        return nil
    }
}
