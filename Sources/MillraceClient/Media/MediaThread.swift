import Foundation
import MediaBase
import NIOConcurrencyHelpers
import NIOCore

/// Thread that receives, sends and assembles a session's packets. It owns a `MediaConnections`; other threads submit work.
final class MediaThread: Sendable {
    typealias Work = @Sendable (MediaConnections) -> Void

    private struct State {
        var work = CircularBuffer<Work>()
        var isStarted = false
        var isOver = false
    }

    /// Maximum number of queued work items for media; further media is dropped.
    static let mediaLimit = 2_048

    /// Maximum time between two turns, whatever the deadlines are.
    private static let longestWait = MediaTime.milliseconds(500)

    private let state = NIOLockedValueBox(State())
    private let pipe: (reading: Int32, writing: Int32)
    private let localAddress: String?

    /// Returns nil if the system has no more file descriptors.
    init?(localAddress: String?) {
        guard let pipe = DatagramSocket.wakePipe() else { return nil }
        self.pipe = pipe
        self.localAddress = localAddress
    }

    deinit {
        DatagramSocket.close(pipe.reading)
        DatagramSocket.close(pipe.writing)
    }

    /// Runs `work` soon, in the order of the calls. After `stop`, further work is ignored.
    func submit(_ work: @escaping Work) {
        let starts = state.withLockedValue { state -> Bool? in
            guard !state.isOver else { return nil }
            state.work.append(work)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard let starts else { return }
        if starts {
            let thread = Thread { [self] in run() }
            thread.name = "millrace-media"
            thread.qualityOfService = .userInteractive
            thread.start()
        } else {
            DatagramSocket.wake(pipe.writing)
        }
    }

    /// Submits media like `submit`, but drops it if the thread does not keep up.
    func submitMedia(_ work: @escaping Work) {
        guard state.withLockedValue({ $0.work.count < Self.mediaLimit }) else { return }
        submit(work)
    }

    /// Runs `work` and returns its result; nil if the thread has ended.
    func call<Answer: Sendable>(_ work: @escaping @Sendable (MediaConnections) -> Answer) async -> Answer? {
        await withCheckedContinuation { (waiting: CheckedContinuation<Answer?, Never>) in
            let once = Once(waiting)
            submit { connections in once.resume(work(connections)) }
            // If the work is refused, releasing `once` resumes the continuation with nil.
        }
    }

    /// Closes all peer connections and ends the thread.
    func stop() {
        submit { connections in connections.isOver = true }
    }

    private func run() {
        let connections = MediaConnections(localAddress: localAddress) { [weak self] stream in
            self?.submit { $0.subscribing?.askForKeyFrame(stream) }
        }
        while !connections.isOver {
            // Work left at the end is refused only after the peer connections have closed and reported their statistics.
            while !connections.isOver, let work = state.withLockedValue({ $0.work.popFirst() }) { work(connections) }
            let deadline = connections.turn(now: ClientClock.now)
            let wait = min(Self.longestWait, max(.zero, deadline - ClientClock.now))
            DatagramSocket.wait(for: [pipe.reading] + connections.descriptors, atMost: wait)
            DatagramSocket.clear(pipe.reading)
            connections.receive(now: ClientClock.now)
        }
        connections.close(now: ClientClock.now)
        let rest = state.withLockedValue { state in
            state.isOver = true
            defer { state.work.removeAll() }
            return state.work
        }
        _ = rest
    }

    /// Resumes a continuation once; with nil if it is released unused.
    private final class Once<Answer: Sendable>: Sendable {
        private let waiting: NIOLockedValueBox<CheckedContinuation<Answer?, Never>?>

        init(_ waiting: CheckedContinuation<Answer?, Never>) { self.waiting = NIOLockedValueBox(waiting) }

        deinit { resume(nil) }

        func resume(_ answer: Answer?) {
            let waiting = self.waiting.withLockedValue { waiting in
                defer { waiting = nil }
                return waiting
            }
            waiting?.resume(returning: answer)
        }
    }
}
