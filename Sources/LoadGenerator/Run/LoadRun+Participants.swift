import MillraceClient
import SFrame
import SRTP
import TestMedia

/// Parts that all participants of a run need.
extension LoadRun {
    func receiver(of index: Int) -> EndpointThread { receivers[index % receivers.count] }

    /// Adds a participant to a thread. If it does not become ready, closes its feed and its seat.
    func add(_ index: Int, to thread: EndpointThread, _ opened: OpenParticipant) async throws(LoadError) -> Seat {
        do {
            try await thread.add(index, opened.endpoint)
            return opened.seat
        } catch {
            opened.feed?.close(now: LoadClock.now)
            await opened.seat()
            throw error
        }
    }

    /// Returns the media of a publisher. Publishers of one source spread their sending over the interval of frames and packets.
    func media(of publisher: Int) -> MediaSchedule.Source {
        MediaSchedule.Source(
            video: videoSources.isEmpty ? nil : videoSources[publisher % videoSources.count], audio: audioSource,
            tone: tone(of: publisher), videoOffset: videoOffset(of: publisher),
            audioOffset: Int64(publisher) * AudioSource.interval.rawValue / Int64(plan.totalPublishers),
            key: frameKeys?[publisher])
    }

    /// Returns the decoder's queue of a subscriber; nil if its media is not decoded.
    /// - Parameter key: nil if packets arrive decrypted.
    func feed(of join: Join, key: SRTPKey?, audioSSRC: UInt32?, videoSSRC: UInt32?) -> SampleFeed? {
        guard join.isSampled else { return nil }
        let feed = SampleFeed(
            source: SampleFeed.Source(
                relayKey: key, audioSSRC: audioSSRC, videoSSRC: videoSSRC,
                tone: plan.audio ? TestTone(publisher: tone(of: join.publisher)) : nil, format: plan.video,
                sendOffset: videoOffset(of: join.publisher), joined: join.started,
                keys: frameKeys.map { FrameKeys(epochs: [$0[join.publisher]]) }),
            wakeUp: decoder.thread.event)
        decoder.add(feed)
        return feed
    }

    /// Returns the key of each publisher's end-to-end encryption; nil if the run does not encrypt. A publisher by WHIP or a plain
    /// transport has no connection id; its stream's name is used instead.
    static func frameKeys(_ plan: LoadPlan) throws(LoadError) -> [FrameKey]? {
        guard let secret = plan.secret else { return nil }
        do {
            return try (0..<plan.totalPublishers).map { publisher in
                let (session, stream) = (plan.session(ofPublisher: publisher), plan.stream(ofPublisher: publisher))
                return FrameKey(
                    epoch: EncryptionSecret.epoch, bytes: try secret.baseKey(session: session, connection: stream))
            }
        } catch { throw .media("end-to-end encryption: \(error)") }
    }

    private func tone(of publisher: Int) -> Int { publisher % (audioSource?.toneCount ?? 1) }

    private func videoOffset(of publisher: Int) -> Int64 {
        guard let format = plan.video, !plan.distinctVideo else { return 0 }
        return Int64(publisher) * format.interval.rawValue / Int64(plan.totalPublishers)
    }
}
