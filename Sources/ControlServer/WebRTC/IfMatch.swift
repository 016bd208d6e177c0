/// `If-Match` field of a request (RFC 9110 section 13.1.1).
enum IfMatch: Equatable {
    case absent
    /// `*`: matches every tag.
    case any
    /// Strong tags of the list, with their quotation marks. A weak tag matches nothing.
    case tags([String])

    /// - Parameter field: value of the field; several lines are joined by commas.
    init(field: String?) {
        guard let field else {
            self = .absent
            return
        }
        var tags: [String] = []
        var rest = Substring(field)
        while let first = rest.first {
            if first == "," || first == " " || first == "\t" {
                rest.removeFirst()
            } else if first == "*" {
                self = .any
                return
            } else {
                let isWeak = rest.hasPrefix("W/")
                if isWeak { rest.removeFirst(2) }
                guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { break }
                let tag = String(rest[...end])
                // RFC 9725 requires `*` and shows `"*"`; clients send either. No tag of the relay has this text.
                if tag == "\"*\"" {
                    self = .any
                    return
                }
                if !isWeak { tags.append(tag) }
                rest = rest[rest.index(after: end)...]
            }
        }
        self = .tags(tags)
    }

    /// - Parameter tag: tag of the resource, with its quotation marks.
    func matches(_ tag: String) -> Bool {
        switch self {
        case .absent: false
        case .any: true
        case .tags(let tags): tags.contains(tag)
        }
    }
}
