/// Tokens of removed participants (USR-6). Holds at most `limit`; drops the oldest.
struct RevokedTokens: Sendable {
    private let limit: Int
    private var held: Set<TokenFingerprint> = []
    private var order: [TokenFingerprint] = []
    /// Index of the oldest token once the limit is reached.
    private var oldest = 0

    init(limit: Int) { self.limit = max(limit, 1) }

    var count: Int { held.count }

    /// All tokens, oldest first.
    var all: [TokenFingerprint] { Array(order[oldest...] + order[..<oldest]) }

    func contains(_ token: TokenFingerprint) -> Bool { held.contains(token) }

    mutating func insert(_ token: TokenFingerprint) {
        guard held.insert(token).inserted else { return }
        if order.count < limit {
            order.append(token)
        } else {
            held.remove(order[oldest])
            order[oldest] = token
            oldest = (oldest + 1) % limit
        }
    }
}
