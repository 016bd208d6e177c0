import MediaEngine
import SessionMedia
import Signaling

/// Client without a control connection on its way into a session.
struct Visit: Sendable {
    let visitor: Visitor
    let media: MediaVisitor
    /// Offer for the relay that it asked; nil: its transport opens at this relay.
    let offer: VisitorOffer?
    /// Opens its transport in the engine of this relay, with kinds that start muted.
    let open: @Sendable (Set<TrackKind>) async throws(EngineError) -> MediaAnswer
    /// Whether `Conference` has admitted it.
    var isAdmitted = false
    /// Counts the transport for its holder; nil before the admission.
    var leases: TransportLeases?
    /// Error of `open`.
    var failure: EngineError?

    /// Returns the outcome of its admission: false if the session was over before.
    /// - Parameter refusal: answer of `SessionMedia`; nil: admitted.
    func outcome(_ refusal: SignalingError?) -> Result<Bool, any Error> {
        if let failure { return .failure(failure) }
        guard let refusal else { return .success(true) }
        return refusal.code == .sessionEnded && !isAdmitted ? .success(false) : .failure(refusal)
    }

    init(
        visitor: Visitor, media: MediaVisitor, offer: VisitorOffer? = nil,
        open: @escaping @Sendable (Set<TrackKind>) async throws(EngineError) -> MediaAnswer
    ) {
        self.visitor = visitor
        self.media = media
        self.offer = offer
        self.open = open
    }
}
