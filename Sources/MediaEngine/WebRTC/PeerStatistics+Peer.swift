import Forwarding
import MediaBase

/// Statistics of one peer.
extension PeerStatistics {
    init(of peer: WebRTCPeer, _ quiesced: borrowing Quiesced) {
        peer.outbound?.session.follow(quiesced)
        if let inbound = peer.inbound { published = inbound.sections.map(Self.published) }
        guard let outbound = peer.outbound else { return }
        subscribed = outbound.tracks.map { Self.subscribed($0, outbound) }
        availableBitrate = outbound.estimator?.target
        roundTrip = outbound.roundTrip
        let drops = outbound.session.router.drops(path: outbound.path)
        for cause in SendDropCause.allCases where drops[cause] > 0 { unsent[cause.label] = drops[cause] }
    }

    private static func published(_ section: PublishTransport.Section) -> PeerStatistics.Track {
        let kind = section.track.kind
        let stream = section.stream
        var track = PeerStatistics.Track(stream: stream.name, kind: kind)
        var bits: Int64 = 0
        for producer in stream.producers where producer.kind == kind {
            track.packets &+= producer.packets
            track.bytes &+= producer.bytes
            track.lost += Int64(producer.statistics.cumulativeLost)
            track.jitter = max(track.jitter ?? .zero, producer.statistics.jitter)
            bits += stream.bitrate[producer.tag]?.rawValue ?? 0
        }
        track.bitrate = Bitrate(rawValue: bits)
        if kind == .video {
            track.width = stream.video?.frameSize?.width
            track.height = stream.video?.frameSize?.height
        }
        return track
    }

    private static func subscribed(_ sent: SubscribedTrack, _ outbound: SubscribeTransport) -> PeerStatistics.Track {
        var track = PeerStatistics.Track(stream: sent.streamName, kind: sent.kind)
        let progress = sent.currentProgress
        track.packets = progress.packets
        track.bytes = progress.payloadBytes
        track.lost = sent.lost
        track.bitrate = sent.bitrate
        track.jitter = sent.jitter
        track.isPaused =
            sent.isUnwanted || sent.isPausedByBandwidth || outbound.paused.contains(sent.kind)
        guard sent.kind == .video, let producer = sent.producer else { return track }
        let stream = outbound.session.stream(named: sent.streamName)
        track.encoding = stream?.encodings.first { $0.producer === producer }?.rid
        let layer = SentLayer(of: sent, from: producer, in: stream)
        track.temporalLayer = layer.temporal
        track.width = layer.size?.width
        track.height = layer.size?.height
        return track
    }
}
