import NIOConcurrencyHelpers
import TestMedia

/// Thread that decodes the media of sampled subscribers.
final class SampleDecoder: Sendable {
    /// Sums over all sampled subscribers, including those that have left.
    struct Totals: Sendable {
        var video = VideoStatistics()
        var audio = AudioStatistics()
        var refused: UInt64 = 0
        var dropped: UInt64 = 0
        var subscribers = 0

        mutating func add(_ subscriber: SampledSubscriber) {
            video.merge(subscriber.video)
            audio.merge(subscriber.audio)
            refused += subscriber.refused
            dropped += subscriber.feed.dropped
            subscribers += 1
        }
    }

    let thread = LoadThread(name: "load-decode")
    private let clock: LoadClock
    private let state = NIOLockedValueBox(State())

    private struct State {
        var joining: [SampleFeed] = []
        var totals = Totals()
        var recentLatency = Distribution()
    }

    init(clock: LoadClock) { self.clock = clock }

    func start() throws(LoadError) { try thread.start { [self] meter in try run(&meter) } }

    /// Ends the thread, after decoding the packets that are still in feeds.
    func stop() { thread.stop() }

    func add(_ feed: SampleFeed) {
        state.withLockedValue { $0.joining.append(feed) }
        thread.wake()
    }

    var totals: Totals { state.withLockedValue { $0.totals } }

    /// Returns the latency in microseconds since the last call.
    func takeRecentLatency() -> Distribution {
        state.withLockedValue { state in
            defer { state.recentLatency = Distribution() }
            return state.recentLatency
        }
    }

    private func run(_ meter: inout ThreadMeter) throws(LoadError) {
        var subscribers: [SampledSubscriber] = []
        var finished = Totals()
        var published = LoadClock.now
        while true {
            let isLast = thread.isStopping
            // The wait is limited, because gaps in a stream are given up by time.
            if !isLast { thread.wait(20_000_000) }
            try admit(to: &subscribers)
            subscribers.removeAll { subscriber in
                guard !subscriber.step() else { return false }
                finished.add(subscriber)
                return true
            }
            let now = LoadClock.now
            if now - published >= 200_000_000 || isLast {
                published = now
                publish(subscribers, finished)
            }
            meter.sample(now: now)
            if isLast { return }
        }
    }

    private func admit(to subscribers: inout [SampledSubscriber]) throws(LoadError) {
        let joining = state.withLockedValue { state in
            defer { state.joining.removeAll() }
            return state.joining
        }
        do { subscribers += try joining.map { try SampledSubscriber(feed: $0, clock: clock) } } catch {
            throw .media("decoder: \(error)")
        }
    }

    private func publish(_ subscribers: [SampledSubscriber], _ finished: Totals) {
        var totals = finished
        var recent = Distribution()
        for subscriber in subscribers {
            totals.add(subscriber)
            recent.merge(subscriber.takeRecentLatency())
        }
        state.withLockedValue {
            $0.totals = totals
            $0.recentLatency.merge(recent)
        }
    }
}
