import Forwarding
import MediaBase

/// Quality of the session's connected peers, once a second. This is not the packet path.
extension EngineSession {
    /// Tracks that one call of housekeeping reads, so that packets do not wait for large sessions.
    private static let tracksPerSlice = 2_048
    /// Time in which a publisher has sent video and nothing was forwarded, after which the video counts as frozen.
    private static let freeze = MediaTime.milliseconds(500)

    /// Adds the points that are due to the timelines of the peers.
    func noteQuality(now: MediaTime) {
        guard now >= qualityAt else { return }
        var tracks = 0
        for transport in subscribers.members where !transport.isPlain && transport.quality.isDue(now: now) {
            guard tracks < Self.tracksPerSlice else { return }
            tracks += transport.tracks.count + 1
            transport.quality.append(quality(of: transport, now: now))
        }
        for transport in publishers.members where !transport.isPlain && transport.quality.isDue(now: now) {
            guard tracks < Self.tracksPerSlice else { return }
            tracks += transport.sections.count + 1
            transport.quality.append(quality(of: transport, now: now))
        }
        qualityAt = now + QualityTimeline.interval
    }

    private func quality(of transport: SubscribeTransport, now: MediaTime) -> QualityPoint {
        var point = QualityPoint(at: now)
        var bytes: UInt64 = 0
        for track in transport.tracks {
            let progress = track.currentProgress
            let counts = TrackCounts(packets: progress.packets, bytes: progress.payloadBytes, lost: track.lost)
            let added = counts.added(since: &track.noted)
            point.add(added)
            bytes &+= added.bytes
            guard track.kind == .video, !track.isUnwanted, !transport.paused.contains(.video),
                let producer = track.producer, !producer.isMuted, let stream = stream(named: track.streamName)
            else {
                // The wait for a video that is switched off says nothing about the relay.
                track.firstFrameSince = nil
                continue
            }
            if let since = track.firstFrameSince, progress.hasSent {
                track.firstFrameSince = nil
                // Frames that the relay had before are sent at once.
                emit(.firstFrame(after: max(.zero, progress.firstArrival - since)))
            }
            if !track.isPausedByBandwidth {
                let layer = SentLayer(of: track, from: producer, in: stream)
                point.take(.init(layer: layer.spatial, temporalLayer: layer.temporal, height: layer.size?.height))
            }
            let newest = stream.encodings.map(\.producer.lastArrival).max() ?? .zero
            if newest - max(progress.sentAt, transport.startedAt) > Self.freeze { point.frozen += 1 }
        }
        point.bitrate = Self.bitrate(bytes, since: transport.quality.last, now: now)
        point.roundTrip = transport.roundTrip
        point.estimate = transport.estimator?.target
        return point
    }

    private func quality(of transport: PublishTransport, now: MediaTime) -> QualityPoint {
        var point = QualityPoint(at: now)
        var counts = TrackCounts()
        for section in transport.sections {
            let stream = section.stream
            for producer in stream.producers where producer.kind == section.track.kind {
                counts += TrackCounts(
                    packets: producer.packets, bytes: producer.bytes, lost: producer.statistics.cumulativeLost)
            }
            guard section.track.kind == .video, !stream.muted.contains(.video), !stream.encodings.isEmpty else {
                continue
            }
            if let active = stream.encodings.lastIndex(where: { $0.producer.isActive(now: now) }) {
                point.take(.init(layer: active, height: stream.encodings[active].producer.frameSize?.height))
            } else {
                point.frozen += 1
            }
        }
        let added = counts.added(since: &transport.noted)
        point.add(added)
        point.bitrate = Self.bitrate(added.bytes, since: transport.quality.last, now: now)
        return point
    }

    private static func bitrate(_ bytes: UInt64, since: MediaTime, now: MediaTime) -> Bitrate {
        Bitrate(saturating: Double(bytes) * 8 / (now - since).seconds)
    }
}
