import MediaBase
import MillraceTestKit
package import SDP
package import Signaling

extension SavedNegotiation {
    /// Returns the negotiation of a client that receives the audio of a stream; the same at each call.
    package static func sample(of stream: StreamID) throws -> SavedNegotiation {
        var random = SeededGenerator(seed: 4)
        func side(_ setup: PeerDescription.Setup, _ number: UInt8) -> RelayDescription {
            RelayDescription(
                credentials: .random(using: &random), fingerprint: fingerprint(number), setup: setup, candidates: [],
                isLite: setup == .passive)
        }
        let relay = side(.passive, 2)
        var negotiation = SubscribeNegotiation(SubscribeNegotiation.Configuration(relay: relay), using: &random)
        try negotiation.subscribe(stream.rawValue, kinds: [.audio], now: .zero)
        guard let made = negotiation.takeOffer(now: .seconds(1)) else { preconditionFailure("a stream is offered") }
        let parsed = try Offer(
            SessionDescription(parsing: Array(made.sdp.utf8), limits: .subscription), answererIsLite: false)
        let tracks = try parsed.subscribable([.vp8])
        let answer = parsed.answer(side(.active, 9), tracks: tracks.map { .receive($0) }, keepsOthers: true).text
        _ = try negotiation.accept(answer, revision: made.revision, now: .seconds(1))
        guard let saved = negotiation.saved else { preconditionFailure("no offer is open") }
        return saved
    }
}
