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

    private enum DoneCodingKeys: CodingKey {}

    private enum PublisherCodingKeys: CodingKey {
        case _0
        case _1
    }

    private enum SubscriberCodingKeys: CodingKey {
        case _0
        case _1
        case videoCodecs
    }

    private enum CredentialsCodingKeys: CodingKey { case _0 }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "there must be one answer"))
        }
        switch key {
        case .done:
            _ = try container.nestedContainer(keyedBy: DoneCodingKeys.self, forKey: key)
            self = .done
        case .publisher:
            let values = try container.nestedContainer(keyedBy: PublisherCodingKeys.self, forKey: key)
            self = .publisher(
                try values.decode(PeerID.self, forKey: ._0), try values.decode(RelayDescription.self, forKey: ._1))
        case .subscriber:
            let values = try container.nestedContainer(keyedBy: SubscriberCodingKeys.self, forKey: key)
            let codecs = try values.decode([VideoCodec].self, forKey: .videoCodecs)
            // Each offer of video has at least one codec, under a payload type of its own.
            try values.check(
                !codecs.isEmpty && Set(codecs).count == codecs.count, .videoCodecs, "there must be different codecs")
            self = .subscriber(
                try values.decode(PeerID.self, forKey: ._0), try values.decode(RelayDescription.self, forKey: ._1),
                videoCodecs: codecs)
        case .credentials:
            let values = try container.nestedContainer(keyedBy: CredentialsCodingKeys.self, forKey: key)
            self = .credentials(try values.decode(ICECredentials.self, forKey: ._0))
        }
    }
}
