import MediaEngine
import SessionMedia

/// Client without a control connection on its way into a session.
struct Visit: Sendable {
    let visitor: Visitor
    let media: MediaVisitor
    /// Opens its transport in the engine.
    let open: @Sendable () async throws(EngineError) -> MediaAnswer
    /// Whether `Conference` has admitted it.
    var isAdmitted = false
    /// Counts the transport for its holder; nil before the admission.
    var leases: TransportLeases?
    /// Error of `open`.
    var failure: EngineError?

    init(
        visitor: Visitor, media: MediaVisitor, open: @escaping @Sendable () async throws(EngineError) -> MediaAnswer
    ) {
        self.visitor = visitor
        self.media = media
        self.open = open
    }
}
