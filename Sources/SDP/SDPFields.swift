// Values are taken apart byte by byte: a character of Swift may be many of them, and SDP's separators are ASCII.

extension StringProtocol {
    /// The parts between separators, empty ones left out; the last of `max` parts holds all the rest.
    func fields(_ separator: Unicode.Scalar = " ", max: Int = .max) -> [Substring] {
        Substring(self).utf8.split(separator: UInt8(ascii: separator), maxSplits: max == .max ? max : max - 1)
            .map { Substring($0) }
    }

    /// What stands before and after the first separator; nil where there is none.
    func halves(_ separator: Unicode.Scalar) -> (head: String, tail: String)? {
        guard let place = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (String(self[..<place]), String(self[utf8.index(after: place)...]))
    }

    /// A number without sign or blanks; nil where it is none or does not fit.
    func decimal<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? {
        guard utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return T(self, radix: 10)
    }

    /// Visible ASCII without blanks: RFC 8866 section 9 allows less, clients use more.
    var isToken: Bool { !utf8.isEmpty && utf8.allSatisfy { (33...126).contains($0) } }

    /// As an identifier of RFC 8830 section 2: 1 to 64 characters, of which none ends a field or a line.
    var asIdentifier: String {
        let kept = utf8.prefix(64).map { (33...126).contains($0) ? $0 : UInt8(ascii: "-") }
        return kept.isEmpty ? "-" : String(decoding: kept, as: UTF8.self)
    }
}
