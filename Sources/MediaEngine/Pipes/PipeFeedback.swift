import Forwarding
import MediaBase

/// Receiving ends of pipes on one worker, and the time at which transport-wide feedback of one of them is due.
struct PipeFeedback {
    /// Minimum time between two visits, so that the feedback of many pipes shares wake-ups.
    private static let visitInterval = MediaTime.milliseconds(10)

    private var pipes: ContiguousArray<PublishTransport> = []
    /// Time at which `takeDue` is due next.
    private(set) var next: MediaTime = .never
    private var last: MediaTime = .zero

    mutating func add(_ pipe: PublishTransport) { pipes.append(pipe) }

    mutating func remove(_ pipe: PublishTransport) { pipes.removeAll { $0 === pipe } }

    /// Notes a packet of a pipe.
    /// - Parameters:
    ///   - sequence: transport-wide sequence number.
    ///   - bytes: length of the datagram.
    @inline(__always)
    mutating func note(_ sequence: UInt16, bytes: Int, of pipe: PublishTransport, now: MediaTime) {
        guard pipe.feedback.receive(sequence: sequence, bytes: bytes, now: now) else { return }
        if let deadline = pipe.feedback.deadline { next = min(next, max(deadline, last + Self.visitInterval)) }
    }

    /// Returns the pipes whose feedback is due.
    mutating func takeDue(now: MediaTime) -> [PublishTransport] {
        last = now
        next = .never
        var due: [PublishTransport] = []
        for pipe in pipes {
            guard let deadline = pipe.feedback.deadline else { continue }
            if deadline <= now { due.append(pipe) } else { next = min(next, max(deadline, now + Self.visitInterval)) }
        }
        return due
    }
}
