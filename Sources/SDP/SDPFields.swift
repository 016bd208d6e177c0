// Values are parsed byte by byte: a Swift character may have several bytes, and SDP's separators are ASCII.

extension StringProtocol {
    /// Returns the parts between separators without empty ones; the last of `max` parts contains the rest.
    func fields(_ separator: Unicode.Scalar = " ", max: Int = .max) -> [Substring] {
        Substring(self).utf8.split(separator: UInt8(ascii: separator), maxSplits: max == .max ? max : max - 1)
            .map { Substring($0) }
    }

    /// Returns the text before and after the first separator; nil if there is none.
    func halves(_ separator: Unicode.Scalar) -> (head: String, tail: String)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (String(self[..<index]), String(self[utf8.index(after: index)...]))
    }

    /// Returns a number without sign or blanks; nil if the text is not such a number or does not fit.
    func decimal<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? {
        guard utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return T(self, radix: 10)
    }

    /// True for visible ASCII without blanks. RFC 8866 section 9 allows fewer characters, but clients use more.
    var isToken: Bool { !utf8.isEmpty && utf8.allSatisfy { (33...126).contains($0) } }

    /// The text as an identifier of RFC 8830 section 2: 1 to 64 characters, none of which ends a field or a line.
    var asIdentifier: String {
        let kept = utf8.prefix(64).map { (33...126).contains($0) ? $0 : UInt8(ascii: "-") }
        return kept.isEmpty ? "-" : String(decoding: kept, as: UTF8.self)
    }
}
