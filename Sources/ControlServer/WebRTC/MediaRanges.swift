import Foundation

/// `Accept` field of a request (RFC 9110 section 12.5.1).
struct MediaRanges {
    /// Type in lower case, and whether its weight is above 0.
    private let ranges: [(type: String, isWanted: Bool)]

    /// - Parameter field: values of all its lines; empty: every type is accepted.
    init(field: [String]) {
        ranges = field.flatMap { $0.split(separator: ",") }.map { range in
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            return (parts.first ?? "", !isRefused)
        }
    }

    /// Returns whether the client accepts a type. The most specific range decides.
    func take(_ type: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let group = type.prefix { $0 != "/" } + "/*"
        for name in [type, String(group), "*/*"] {
            if let range = ranges.first(where: { $0.type == name }) { return range.isWanted }
        }
        return false
    }
}
