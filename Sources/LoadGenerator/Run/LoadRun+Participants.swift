import MillraceClient
import SFrame
import SRTP
import TestMedia

/// Parts that all participants of a run need.
extension LoadRun {
    /// Returns the thread of a subscriber.
    func receiver(of index: Int) -> EndpointThread { receivers[index % receivers.count] }

    /// Adds an endpoint to a thread. If it does not become ready, closes its feed and its seat.
    func add(
        _ index: Int, to thread: EndpointThread, _ seat: @escaping Seat, feed: SampleFeed? = nil,
        _ make: @escaping @Sendable () throws(LoadError) -> any LoadEndpoint
    ) async throws(LoadError) -> Seat {
        do {
            try await thread.add(index, make)
            return seat
        } catch {
            feed?.close(now: LoadClock.now)
            await seat()
            throw error
        }
    }

    /// Returns the media of a publisher. Publishers of one source spread their sending over the interval of frames and packets.
    func media(of publisher: Int) throws(LoadError) -> MediaSchedule.Source {
        MediaSchedule.Source(
            video: videoSources.isEmpty ? nil : videoSources[publisher % videoSources.count], audio: audioSource,
            tone: tone(of: publisher),
            videoOffset: videoOffset(of: publisher),
            audioOffset: Int64(publisher) * AudioSource.interval.rawValue / Int64(plan.totalPublishers),
            key: try frameKey(of: publisher))
    }

    /// Returns the decoder's queue of a subscriber; nil if its media is not decoded.
    /// - Parameter key: nil if packets arrive decrypted.
    func feed(
        of join: Join, key: SRTPKey?, audioSSRC: UInt32?, videoSSRC: UInt32?
    ) throws(LoadError) -> SampleFeed? {
        guard join.isSampled else { return nil }
        let encryption = try frameKey(of: join.publisher)
        let feed = SampleFeed(
            source: SampleFeed.Source(
                relayKey: key, audioSSRC: audioSSRC, videoSSRC: videoSSRC,
                tone: plan.audio ? TestTone(publisher: tone(of: join.publisher)) : nil, format: plan.video,
                sendOffset: videoOffset(of: join.publisher), joined: join.started,
                keys: encryption.map { FrameKeys(epochs: [$0]) }),
            wakeUp: decoder.thread.event)
        decoder.add(feed)
        return feed
    }

    /// Returns the key of a publisher's end-to-end encryption; nil if the run does not encrypt. A publisher by WHIP or a plain transport
    /// has no connection id; its stream's name is used instead.
    private func frameKey(of publisher: Int) throws(LoadError) -> FrameKey? {
        guard let secret = plan.secret else { return nil }
        do {
            return FrameKey(
                epoch: EncryptionSecret.epoch,
                bytes: try secret.baseKey(
                    session: plan.session(ofPublisher: publisher), connection: plan.stream(ofPublisher: publisher)))
        } catch {
            throw .media("end-to-end encryption: \(error)")
        }
    }

    private func tone(of publisher: Int) -> Int { publisher % (audioSource?.toneCount ?? 1) }

    private func videoOffset(of publisher: Int) -> Int64 {
        guard let format = plan.video, !plan.distinctVideo else { return 0 }
        return Int64(publisher) * format.interval.rawValue / Int64(plan.totalPublishers)
    }
}
