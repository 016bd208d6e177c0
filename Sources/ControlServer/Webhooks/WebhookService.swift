import CLinuxNet
import Foundation
package import HTTPCalls
package import Logging
import MediaBase
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Sends webhook events to the application's server. Posting only takes a lock; separate tasks do the sending.
package final class WebhookService: WebhookSink, Service {
    /// Maximum time to send the rest of the queue when the relay shuts down.
    private static let lastTime = Duration.seconds(2)
    private static let requestTime = Duration.seconds(10)

    private enum Phase {
        case running
        /// The relay shuts down: queued events are still sent.
        case ending
        case over
    }

    private struct Receiver: Sendable {
        /// Nil if no events are sent.
        var url: HTTPTarget?
        var secret: String
    }

    private let caller: HTTPCaller
    private let receiver: NIOLockedValueBox<Receiver>
    private let statistics: WebhookStatistics
    private let logger: Logger
    private let run = UUID().uuidString
    private let queue: NIOLockedValueBox<WebhookQueue>
    private let phase = NIOLockedValueBox(Phase.running)
    /// Yields when there may be an event to send.
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - url: receiver of the events; nil: no events are sent.
    ///   - secret: shared with the receiver, which verifies signatures with it; empty: events are not signed.
    package init(
        url: HTTPTarget?, secret: String, limits: WebhookQueue.Limits = .init(), statistics: WebhookStatistics,
        caller: HTTPCaller = HTTPCaller(agent: "millrace/\(BuildInfo.version)"), logger: Logger
    ) {
        receiver = NIOLockedValueBox(Receiver(url: url, secret: secret))
        self.statistics = statistics
        self.caller = caller
        self.logger = logger
        queue = NIOLockedValueBox(WebhookQueue(limits: limits))
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        if url != nil { statistics.began() }
    }

    /// Sends events to another receiver from now on, also those that wait. Without a receiver the waiting events are refused.
    package func adopt(url: HTTPTarget?, secret: String, limits: WebhookQueue.Limits) {
        receiver.withLockedValue { $0 = Receiver(url: url, secret: secret) }
        change { $0.limits = limits }
        if url != nil { statistics.began() }
        wake.yield()
    }

    package func post(_ event: WebhookEvent) {
        guard receiver.withLockedValue({ $0.url }) != nil else { return }
        change { $0.add(event, now: Self.now) }
        wake.yield()
    }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await send()
        } onGracefulShutdown: {
            self.phase.withLockedValue { $0 = .ending }
            self.wake.yield()
        }
        let left = queue.withLockedValue { $0.waiting }
        statistics.left(left)
        if left > 0 { logger.warning("webhook events were not delivered", metadata: ["count": "\(left)"]) }
    }

    private func send() async {
        await withTaskGroup(of: Void.self) { group in
            var timer: Task<Void, Never>?
            var lastCall: Task<Void, Never>?
            defer {
                timer?.cancel()
                lastCall?.cancel()
            }
            for await _ in wakes {
                while let delivery = change({ $0.next(now: Self.now) }) {
                    group.addTask {
                        let outcome = await self.deliver(delivery)
                        self.change { $0.finished(delivery, outcome, now: Self.now) }
                        self.wake.yield()
                    }
                }
                let (isEmpty, deadline) = queue.withLockedValue { ($0.isEmpty, $0.deadline) }
                switch phase.withLockedValue({ $0 }) {
                case .running: break
                case .ending where !isEmpty:
                    // Events about the shutdown are still sent, within `lastTime`.
                    lastCall = lastCall ?? alarm(after: Self.lastTime) { self.phase.withLockedValue { $0 = .over } }
                case .ending, .over:
                    group.cancelAll()
                    return
                }
                timer?.cancel()
                if deadline != .never {
                    timer = alarm(after: .nanoseconds(max(0, (deadline - Self.now).rawValue))) {}
                }
            }
        }
    }

    /// Runs `body` after a time and wakes the sending loop.
    private func alarm(after time: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task { [wake] in
            try? await Task.sleep(for: time)
            guard !Task.isCancelled else { return }
            body()
            wake.yield()
        }
    }

    private func deliver(_ delivery: WebhookQueue.Delivery) async -> WebhookQueue.Outcome {
        let receiver = receiver.withLockedValue { $0 }
        guard let url = receiver.url else { return .refused }
        let message = WebhookMessage(delivery, run: run)
        var fields = [("Content-Type", "application/json"), (WebhookMessage.idField, message.id)]
        if !receiver.secret.isEmpty {
            let time = Int64(Date().timeIntervalSince1970)
            fields.append((WebhookMessage.signatureField, message.signature(secret: receiver.secret, time: time)))
        }
        let metadata: Logger.Metadata = [
            "session": "\(delivery.event.session.name)", "app": "\(delivery.event.session.app)",
            "event": "\(delivery.event.kind.rawValue)", "attempt": "\(delivery.attempt)",
        ]
        do {
            let call = HTTPCall(method: "POST", target: url, fields: fields, body: message.body)
            let status = try await caller.send(call, within: Self.requestTime).status
            switch status {
            case 200...299: return .delivered
            // Temporary errors, as those of a server: a later try may succeed.
            case 408, 425, 429, 500...: break
            default:
                logger.warning("a webhook was refused with status \(status)", metadata: metadata)
                return .refused
            }
            logger.info("a webhook failed with status \(status)", metadata: metadata)
        } catch {
            logger.info("a webhook failed: \(error)", metadata: metadata)
        }
        return .failed
    }

    @discardableResult
    private func change<R>(_ body: (inout WebhookQueue) -> R) -> R {
        queue.withLockedValue { queue in
            let result = body(&queue)
            statistics.update(queue)
            return result
        }
    }

    private static var now: MediaTime { MediaTime(rawValue: millrace_monotonic_ns()) }
}
