import CLinuxNet
import Containers
import MediaBase
import MediaEngine

/// Loop that reads a tap and writes files, on its own thread, so that a slow disk only delays this recording.
///
/// A disk error suspends the recording: packets are read and dropped, and writing is retried every
/// `StreamRecording.Options.retryInterval`, in a new file (`RecorderThread+Files.swift`).
final class RecorderThread {
    let tap: PacketTap
    let directory: String
    let index: RecordingIndex
    let source: RecordingSource
    let options: StreamRecording.Options
    let notify: @Sendable (RecordingChange) -> Void
    private let state: RecorderState
    private let requestKeyFrame: @Sendable () -> Void
    var recording: StreamRecording
    var status: RecordingStatus
    var writer: WebMWriter?
    var entry: RecordingIndex.Entry?
    var finishedBytes: Int64 = 0
    var lastWrite: MediaTime = .zero
    /// Time of the next attempt to write; nil unless suspended.
    var retryAt: MediaTime?
    /// Time of the next attempt to write the index; nil unless the last one failed.
    var indexRetryAt: MediaTime?
    private var keyFrameAskedAt: MediaTime?
    private var damageReports = DamageReports()

    private static let keyFrameInterval: MediaTime = .seconds(1)
    static let longestWait: MediaTime = .milliseconds(200)

    init(
        tap: PacketTap, directory: String, index: RecordingIndex, kinds: Set<MediaKind>, source: RecordingSource,
        options: StreamRecording.Options, state: RecorderState,
        notify: @escaping @Sendable (RecordingChange) -> Void, requestKeyFrame: @escaping @Sendable () -> Void
    ) {
        self.tap = tap
        self.directory = directory
        self.index = index
        self.source = source
        self.options = options
        self.state = state
        self.notify = notify
        self.requestKeyFrame = requestKeyFrame
        recording = StreamRecording(
            kinds: kinds, codec: tap.codec ?? .vp8, muted: source.muted, isEncrypted: source.encryption != nil,
            options: options)
        status = state.snapshot
    }

    /// Starts `loop` on a new thread, which then owns the objects that it refers to. Returns errno.
    static func start(_ loop: sending RecorderThread) -> Int32 { DetachedThread.run("recorder") { loop.run() } }

    private func run() {
        while !state.isStopWanted {
            askForKeyFrame()
            _ = tap.wait(timeout: wait)
            // Bounded batch, so that stopping and timeouts are handled at any packet rate.
            for _ in 0..<512 { guard takePacket() else { break } }
            recording.handleTimeout(now: now)
            retry()
            drain()
            if let writer, now - lastWrite >= Self.longestWait { flush(writer) }
            publish()
            reportDamage()
            if tap.isClosed, tap.isEmpty { break }
        }
        tap.close()
        while takePacket() {}
        recording.finish()
        drain()
        closeFile(failed: nil)
        saveIndex()
        status.phase = status.error == nil ? .ended : .failed
        publish()
        state.end()
    }

    private func takePacket() -> Bool {
        tap.next { packet in
            recording.insert(
                packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                arrival: packet.arrival, captureNTP: packet.captureNTP, rotation: packet.rotation,
                codec: packet.codec, payload: packet.payload)
        } != nil
    }

    func publish() {
        status.statistics = statistics
        state.publish(status)
    }

    private func reportDamage() {
        let damage = status.statistics.damagedFrames &+ status.statistics.timeJumps
        if damageReports.isDue(damage, now: now) { notify(.damaged(status)) }
    }

    private func askForKeyFrame() {
        guard recording.needsKeyFrame, retryAt == nil else {
            keyFrameAskedAt = nil
            return
        }
        if let at = keyFrameAskedAt, now - at < Self.keyFrameInterval { return }
        keyFrameAskedAt = now
        status.statistics.keyFrameRequests += 1
        requestKeyFrame()
    }

    private var wait: MediaTime {
        guard let due = recording.nextTimeout else { return Self.longestWait }
        return max(.milliseconds(1), min(Self.longestWait, due - now))
    }

    var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }
}
