import NIOConcurrencyHelpers

/// A static token of the configuration, which a running relay can replace.
final class StaticToken: Sendable {
    private let token: NIOLockedValueBox<BearerToken?>

    /// - Parameter text: nil if none is configured.
    init(_ text: String?) { token = NIOLockedValueBox(text.map(BearerToken.init)) }

    /// The token that requests must carry now; nil if none is configured.
    var current: BearerToken? { token.withLockedValue { $0 } }

    func replace(with text: String?) { token.withLockedValue { $0 = text.map(BearerToken.init) } }
}
