package import MediaBase
package import SDP

/// Successful answer of the media plane to an order.
package enum MediaAnswer: Hashable, Sendable, Codable {
    case done
    /// Answer to `openPublisher` and `updatePublisher`.
    case publisher(PeerID, RelayDescription)
    /// Answer to `openSubscriber`.
    case subscriber(PeerID, RelayDescription, videoCodecs: [VideoCodec])
    /// Answer to `openVisitor`.
    ///
    /// - Parameters:
    ///   - videoCodec: codec of a publisher's video; nil without video.
    ///   - kinds: kinds of the tracks that the transport has; nil: those of the request.
    case visitor(PeerID, videoCodec: VideoCodec?, kinds: Set<MediaKind>?)
    /// Answer to `prepareRestart`: the relay's new credentials.
    case credentials(ICECredentials)

    /// Peer that the order has opened or changed.
    package var peer: PeerID? {
        switch self {
        case .publisher(let peer, _), .subscriber(let peer, _, _), .visitor(let peer, _, _): peer
        case .done, .credentials: nil
        }
    }

    // `visitor` is missing like the order that it answers.
    private enum CodingKeys: String, CodingKey {
        case done
        case publisher
        case subscriber
        case credentials
    }
}
