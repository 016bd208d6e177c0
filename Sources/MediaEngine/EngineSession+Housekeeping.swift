import Forwarding
import MediaBase

/// Timers of a session.
extension EngineSession {
    /// Interval of housekeeping and reports of a session in which no packets arrive: the minimum interval of RFC 3550 section 6.2. Visits to
    /// such sessions are due at its multiples, so that they share one wake-up.
    private static let quietInterval = MediaTime.seconds(5)
    /// Time without packets after which housekeeping visits a session rarely. Longer than the time after which an encoding counts as stopped.
    private static let quietAfter = MediaTime.seconds(5)

    /// Runs the timers: emits reports, closes silent plain publishers, drops closed taps and notes the quality of peers.
    func lookAfter(_ inbound: inout InboundTable, now: MediaTime, _ quiesced: borrowing Quiesced) {
        for producer in router.takeHeldKeyFrameRequests(now: now) { emit(.requestKeyFrame(producer, isAwaited: false)) }
        startPlainSubscribersAgain(now: now, quiesced)
        lookAfterSpeakers(inbound, now: now)
        follow(quiesced)
        var expired: [PublishTransport] = []
        var hasNewRates = false
        for stream in streams {
            if stream.encodings.count > 1, stream.chooseBest(now: now) { moveOthers(to: stream, now: now, quiesced) }
            if stream.hasNewRates(now: now) { hasNewRates = true }
            if !isPart, !stream.source.isPipe {
                reportDimensions(of: stream)
                reportOrder(of: stream)
            }
            if !stream.taps.isEmpty { stream.taps.removeAll { $0.isClosed } }
            if !stream.choosingTaps.isEmpty {
                stream.choosingTaps.removeAll { $0.tap.isClosed }
                chooseForTaps(of: stream, now: now)
            }
            if let due = expiry(of: stream), now >= due.at { expired.append(due.publisher) }
        }
        if hasNewRates { allocateAll() }
        for transport in expired { close(transport, &inbound, quiesced) }
        demandEncodings(inbound, now: now)
        reportNeeds(inbound)
        announceRates(now: now)
        report(inbound, now: now)
        noteQuality(now: now)
    }

    /// Returns the time of the next visit after one at `now`: the next round while packets arrive or a timer runs. Streams that never had
    /// packets have no timers at all.
    func nextVisit(now: MediaTime) -> MediaTime {
        guard isQuiet(now: now) else { return now }
        let beat = Self.quietInterval.rawValue
        var due = MediaTime.never
        for stream in streams where !stream.producers.isEmpty || stream.hasTaps {
            due = min(due, MediaTime(rawValue: (now.rawValue / beat + 1) * beat))
            if let expiry = expiry(of: stream) { due = min(due, expiry.at) }
        }
        return due
    }

    /// Returns the time at which a plain publisher is closed unless it sends. A WebRTC publisher may send no media for as long as it
    /// keeps giving consent.
    private func expiry(of stream: EngineStream) -> (at: MediaTime, publisher: PublishTransport)? {
        guard limits.publisherTimeout > .zero, case .plain = stream.source, let publisher = publisher(of: stream) else {
            return nil
        }
        return (publisher.lastAuthentic + limits.publisherTimeout + .nanoseconds(1), publisher)
    }

    /// Returns whether no packet has arrived for a while and no timer of the session runs, so that time alone changes nothing.
    private func isQuiet(now: MediaTime) -> Bool {
        starting.isEmpty && !router.holdsKeyFrameRequests && subsessions.allSatisfy { $0.speakers.deadline == nil }
            && streams.allSatisfy { $0.producers.allSatisfy { now - $0.lastArrival >= Self.quietAfter } }
    }

    private func reportOrder(of stream: EngineStream) {
        guard !stream.hasReportedOrder, stream.encodings.contains(where: { $0.producer.reordersFrames }) else { return }
        stream.hasReportedOrder = true
        emit(
            .event(.framesReordered(session: name, transport: stream.source.transport, stream: stream.name)))
    }

    private func reportDimensions(of stream: EngineStream) {
        guard let size = stream.encodings.last?.producer.frameSize,
            stream.dimensions.map({ $0 != size }) ?? true
        else { return }
        stream.dimensions = size
        emit(
            .event(
                .dimensions(
                    session: name, transport: stream.source.transport, stream: stream.name, width: size.width,
                    height: size.height)))
    }
}
