import CLinuxNet
import Canvas
import MediaBase
import MediaEngine

/// Loop that reads a tap and passes frames to the reader's backlog, on its own thread. It never waits for the reader.
///
/// It ends with the stream, when the owner stops it, when the reader is too slow, and when the header no longer fits the
/// stream: another codec, or a track that came later.
final class LiveThread {
    private let tap: PacketTap
    private let state: LiveState
    private let notify: @Sendable (LiveChange) -> Void
    private let requestKeyFrame: @Sendable () -> Void
    private var recording: StreamRecording
    /// Arrival time before which cached video is ignored.
    private let oldest: MediaTime
    private var hasBegun = false
    private var keyFrameAskedAt: MediaTime?

    private static let keyFrameInterval: MediaTime = .seconds(1)
    private static let longestWait: MediaTime = .milliseconds(200)

    init(
        tap: PacketTap, kinds: Set<MediaKind>, muted: Set<MediaKind>, options: LiveOptions, state: LiveState,
        notify: @escaping @Sendable (LiveChange) -> Void, requestKeyFrame: @escaping @Sendable () -> Void
    ) {
        self.tap = tap
        self.state = state
        self.notify = notify
        self.requestKeyFrame = requestKeyFrame
        oldest = .nanoseconds(millrace_monotonic_ns()) - options.maximumReplay
        var recordingOptions = StreamRecording.Options()
        recordingOptions.alignmentWait = options.alignmentWait
        // A player would stay behind by these times.
        recordingOptions.settlingWait = .zero
        recordingOptions.maximumLead = TimeJumpDetector.threshold
        recordingOptions.videoWait = muted.contains(.video) ? .zero : options.videoWait
        recordingOptions.splitsAtRotation = false
        recording = StreamRecording(kinds: kinds, codec: tap.codec ?? .vp8, muted: muted, options: recordingOptions)
    }

    /// Starts `loop` on a new thread, which then owns the objects that it refers to. Returns errno.
    static func start(_ loop: sending LiveThread) -> Int32 { DetachedThread.run("live") { loop.run() } }

    private func run() {
        var goesOn = true
        while goesOn, !state.isStopWanted {
            askForKeyFrame()
            _ = tap.wait(timeout: wait)
            // Bounded batch, so that stopping and timeouts are handled at any packet rate.
            for _ in 0..<256 { guard takePacket() else { break } }
            recording.handleTimeout(now: now)
            if tap.isClosed, tap.isEmpty {
                recording.finish()
                goesOn = false
            }
            if !deliver() { goesOn = false }
        }
        tap.close()
        state.end()
    }

    private func takePacket() -> Bool {
        tap.next { packet in
            guard packet.kind == .audio || packet.arrival >= oldest else { return }
            recording.insert(
                packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                arrival: packet.arrival, captureNTP: packet.captureNTP, rotation: packet.rotation,
                codec: packet.codec, payload: packet.payload)
        } != nil
    }

    /// Passes all output to the backlog; returns false when the live stream must end.
    private func deliver() -> Bool {
        while let output = recording.nextOutput() {
            switch output {
            case .open(let start):
                guard !hasBegun else { return false }
                hasBegun = true
                state.begin(start)
            case .frame(let frame):
                let (isSkipped, isTooSlow) = state.append(frame, now: now)
                if isSkipped { notify(.skipped) }
                if isTooSlow {
                    notify(.tooSlow)
                    return false
                }
            case .clock: break
            case .close: return false
            }
        }
        return true
    }

    private func askForKeyFrame() {
        guard recording.needsKeyFrame || state.needsKeyFrame else {
            keyFrameAskedAt = nil
            return
        }
        if let at = keyFrameAskedAt, now - at < Self.keyFrameInterval { return }
        keyFrameAskedAt = now
        requestKeyFrame()
    }

    private var wait: MediaTime {
        guard let due = recording.nextTimeout else { return Self.longestWait }
        return max(.milliseconds(1), min(Self.longestWait, due - now))
    }

    private var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }
}
