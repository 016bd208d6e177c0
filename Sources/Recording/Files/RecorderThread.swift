internal import CLinuxNet
internal import Containers
internal import Glibc
internal import MediaBase
internal import MediaEngine

/// The loop that reads a tap and writes files, on a thread of its own: a disk that hangs holds up nothing but this recording.
final class RecorderThread {
    private let tap: PacketTap
    private let directory: String
    private let index: RecordingIndex
    private let state: RecorderState
    private let requestKeyFrame: @Sendable () -> Void
    private var recording: StreamRecording
    private var status: RecordingStatus
    private var writer: WebMWriter?
    private var entry: RecordingIndex.Entry?
    private var finishedBytes: Int64 = 0
    private var keyFrameAskedAt: MediaTime?
    private var lastWrite: MediaTime = .zero

    private static let keyFrameInterval: MediaTime = .seconds(1)
    private static let longestWait: MediaTime = .milliseconds(200)

    init(
        tap: PacketTap, directory: String, index: RecordingIndex, kinds: Set<MediaKind>,
        options: StreamRecording.Options,
        state: RecorderState, requestKeyFrame: @escaping @Sendable () -> Void
    ) {
        self.tap = tap
        self.directory = directory
        self.index = index
        self.state = state
        self.requestKeyFrame = requestKeyFrame
        recording = StreamRecording(kinds: kinds, options: options)
        status = state.snapshot
    }

    /// Starts `loop` on a new thread, which then owns all that it refers to. Returns errno.
    static func start(_ loop: sending RecorderThread) -> Int32 {
        let raw = Unmanaged.passRetained(loop).toOpaque()
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        let code = pthread_create(
            &thread, &attributes,
            { raw in
                millrace_thread_name("recorder")
                if let raw { Unmanaged<RecorderThread>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, raw)
        if code != 0 { Unmanaged<RecorderThread>.fromOpaque(raw).release() }
        return code
    }

    private func run() {
        do {
            while !state.isStopWanted {
                askForKeyFrame()
                _ = tap.wait(timeout: wait)
                // A batch at most, so that stopping and time-outs get their turn however fast packets come.
                for _ in 0..<512 { guard takePacket() else { break } }
                recording.handleTimeout(now: now)
                try drain()
                if let writer, now - lastWrite >= Self.longestWait { try flush(writer) }
                publish()
                if tap.isClosed, tap.isEmpty { break }
            }
            tap.close()
            while takePacket() {}
            recording.finish()
            try drain()
            status.phase = .ended
        } catch {
            tap.close()
            status.phase = .failed
            status.error = error
            closeFile(failed: error)
        }
        publish()
        state.end()
    }

    private func takePacket() -> Bool {
        tap.next { packet in
            recording.insert(
                packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                arrival: packet.arrival, captureNTP: packet.captureNTP, payload: packet.payload)
        } != nil
    }

    private func drain() throws(RecordingError) {
        while let output = recording.nextOutput() {
            switch output {
            case .open(let start): try openFile(start)
            case .frame(let frame): try write(frame)
            case .close: closeFile(failed: nil)
            }
        }
        if let error = status.error { throw error }
    }

    private func openFile(_ start: StreamRecording.Start) throws(RecordingError) {
        let wallClock = millrace_realtime_ns() - (now - start.time).rawValue
        var configuration = WebMConfiguration(
            video: start.width.map { WebMConfiguration.Video(width: $0, height: start.height ?? 0) },
            audio: start.hasAudio ? WebMConfiguration.Audio(channels: 2) : nil, date: wallClock)
        configuration.flushInterval = Self.longestWait
        var attempt = 0
        var name = ""
        var opened: FileSink?
        while opened == nil {
            name = RecordingFileName.file(stream: status.stream, startedAt: wallClock, attempt: attempt)
            do throws(ContainerError) {
                opened = try FileSink(path: directory + "/" + name, exclusive: true)
            } catch {
                guard case .io(EEXIST, _) = error.reason, attempt < 100 else { throw .file(error) }
                attempt += 1
            }
        }
        guard let opened else { return }
        do throws(ContainerError) {
            writer = try WebMWriter(sink: opened, configuration: configuration)
        } catch {
            throw .file(error)
        }
        let new = RecordingIndex.Entry(
            stream: status.stream, file: name, start: UTCTime(unixNanoseconds: wallClock).extended,
            startUnixNanoseconds: wallClock, startNTP: start.captureNTP.map { String($0) },
            tracks: (start.width == nil ? [] : ["video"]) + (start.hasAudio ? ["audio"] : []))
        entry = new
        status.files.append(directory + "/" + name)
        status.phase = .recording
        lastWrite = now
        try index.set(new)
    }

    private func write(_ frame: StreamRecording.Frame) throws(RecordingError) {
        guard let writer else { return }
        do throws(ContainerError) {
            try writer.write(
                frame.kind, timestamp: frame.time, duration: frame.duration, isKeyframe: frame.isKeyFrame,
                bytes: frame.bytes)
        } catch {
            throw .file(error)
        }
        lastWrite = now
    }

    private func flush(_ writer: WebMWriter) throws(RecordingError) {
        do throws(ContainerError) { try writer.flush() } catch { throw .file(error) }
        lastWrite = now
    }

    /// Closes as well as it can: an error here is kept, but what is written stays.
    private func closeFile(failed reason: RecordingError?) {
        guard let writer, var entry else { return }
        self.writer = nil
        self.entry = nil
        var reason = reason
        do throws(ContainerError) { try writer.finish() } catch { reason = reason ?? .file(error) }
        finishedBytes += writer.byteCount
        entry.duration = writer.duration.seconds
        status.statistics.duration = writer.duration.rawValue
        entry.statistics = statistics
        entry.error = reason?.description
        do throws(RecordingError) { try index.set(entry) } catch { reason = reason ?? error }
        if let reason {
            status.error = status.error ?? reason
            status.phase = .failed
        }
    }

    private var statistics: RecordingStatistics {
        var all = recording.statistics
        all.droppedPackets = tap.dropped
        all.keyFrameRequests = status.statistics.keyFrameRequests
        all.bytes = finishedBytes + (writer?.byteCount ?? 0)
        all.duration = writer?.duration.rawValue ?? status.statistics.duration
        return all
    }

    private func publish() {
        status.statistics = statistics
        state.publish(status)
    }

    private func askForKeyFrame() {
        guard recording.needsKeyFrame else {
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

    private var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }
}
