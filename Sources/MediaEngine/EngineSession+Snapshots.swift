import Forwarding
import MediaBase

extension EngineSession {
    var snapshot: SessionSnapshot {
        SessionSnapshot(
            name: name, streams: isPart ? 0 : streams.count, publishers: publishers.count,
            subscribers: subscribers.count)
    }

    /// Number of subscribers of a stream in this part of the session.
    private func subscriberCount(of stream: String) -> Int {
        subscribers.members.count { !$0.isPipe && $0.tracks.contains { $0.streamName == stream } }
    }

    /// Returns the numbers of subscribers by stream.
    func subscriberCounts() -> [String: Int] {
        Dictionary(streams.map { ($0.name, subscriberCount(of: $0.name)) }, uniquingKeysWith: { first, _ in first })
    }

    func streamSnapshots(now: MediaTime) -> [StreamSnapshot] {
        streams.map { stream in
            StreamSnapshot(
                name: stream.name, audio: stream.audio.map { track($0, of: stream, now: now) },
                video: stream.video.map { track($0, of: stream, now: now) },
                encodings: stream.encodings.map { encoding in
                    let producer = encoding.producer
                    return EncodingSnapshot(
                        id: encoding.rid?.rawValue ?? "", isActive: producer.isActive(now: now),
                        bitrate: bitrate(producer, of: stream, now: now),
                        width: producer.frameSize?.width, height: producer.frameSize?.height)
                },
                codec: stream.codec,
                subscribers: subscriberCount(of: stream.name),
                taps: stream.openTaps,
                isSpeaking: stream.audio.map { audio in subsessions.contains { $0.speakers.activeSpeaker == audio.tag }
                }
                    ?? false,
                createdAt: stream.createdAt)
        }
    }

    /// Returns the bit rate that the publisher sends, also if another relay holds the encoding back.
    private func bitrate(_ producer: Producer, of stream: EngineStream, now: MediaTime) -> Bitrate {
        let announced = producer.isHeldBack(now: now) ? producer.measured(now: now).bitrates.last : nil
        return announced ?? stream.bitrate[producer.tag] ?? Bitrate(rawValue: 0)
    }

    private func track(_ producer: Producer, of stream: EngineStream, now: MediaTime) -> TrackSnapshot {
        TrackSnapshot(
            ssrc: producer.configuration.ssrc.rawValue, packets: producer.packets, bytes: producer.bytes,
            lost: Int64(producer.statistics.cumulativeLost), jitter: producer.statistics.jitter,
            bitrate: bitrate(producer, of: stream, now: now), muted: producer.isMuted,
            reordersFrames: producer.reordersFrames,
            width: producer.frameSize?.width, height: producer.frameSize?.height)
    }
}
