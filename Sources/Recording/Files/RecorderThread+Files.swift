import CLinuxNet
import Containers
import Glibc
import MediaBase

/// Files of a recording: opening, writing, closing, and disk errors.
extension RecorderThread {
    /// Maximum number of names that are tried for one file.
    private static let maximumAttempts = 100

    /// Writes the recording's output, or drops it while suspended.
    func drain() {
        while let output = recording.nextOutput() {
            guard retryAt == nil else {
                if case .frame = output { status.statistics.unwrittenFrames &+= 1 }
                continue
            }
            do throws(RecordingError) {
                switch output {
                case .open(let start): try openFile(start)
                case .frame(let frame): try write(frame)
                case .clock(let points): setClock(points)
                case .close: closeFile(failed: nil)
                }
            } catch {
                suspend(error)
            }
        }
    }

    func flush(_ writer: WebMWriter) {
        do throws(ContainerError) { try writer.flush() } catch { suspend(.file(error)) }
        lastWrite = now
    }

    /// Resumes writing when the retry interval is over and the disk has space.
    func retry() {
        let time = now
        if let due = indexRetryAt, time >= due { saveIndex() }
        guard let due = retryAt, time >= due else { return }
        if status.error?.isOutOfSpace == true, let free = RecordingFolder.freeBytes(directory),
            free < options.minimumFreeBytes
        {
            retryAt = time + options.retryInterval
            return
        }
        retryAt = nil
        // The next file begins with a key frame, which the thread now requests.
        recording.startOver()
    }

    /// Closes the file in its current state, and waits before the next attempt.
    private func suspend(_ error: RecordingError) {
        closeFile(failed: error)
        let isNew = status.phase != .suspended
        status.phase = .suspended
        status.error = error
        status.statistics.suspensions &+= isNew ? 1 : 0
        retryAt = now + options.retryInterval
        guard isNew else { return }
        publish()
        notify(.suspended(status))
    }

    private func openFile(_ start: StreamRecording.Start) throws(RecordingError) {
        let wallClock = millrace_realtime_ns() - (now - start.time).rawValue
        var configuration = WebMConfiguration(
            video: start.hasVideo ? start.video(announced: source.size) : nil,
            audio: start.hasAudio ? WebMConfiguration.Audio(channels: 2) : nil, date: wallClock)
        configuration.flushInterval = Self.longestWait
        let (sink, name) = try newFile(wallClock, RecordingFileName.suffix(of: start.hasVideo ? start.codec : nil))
        do throws(ContainerError) {
            writer = try WebMWriter(sink: sink, configuration: configuration)
        } catch {
            unlink(directory + "/" + name)
            throw .file(error)
        }
        let new = RecordingIndex.Entry(
            stream: status.stream, file: name, start: UTCTime(unixNanoseconds: wallClock).extended,
            startUnixNanoseconds: wallClock, startNTP: start.captureNTP.map { String($0) },
            tracks: (start.hasVideo ? ["video"] : []) + (start.hasAudio ? ["audio"] : []),
            codec: start.hasVideo ? start.codec : nil, participant: source.participant, streamName: source.streamName,
            videoType: source.videoType, encryption: source.encryption)
        entry = new
        status.files.append(directory + "/" + name)
        lastWrite = now
        setIndex { index throws(RecordingError) in try index.set(new) }
        let isResumed = status.phase == .suspended
        status.phase = .recording
        status.error = nil
        if isResumed {
            publish()
            notify(.resumed(status))
        }
    }

    private func newFile(_ wallClock: Int64, _ suffix: String) throws(RecordingError) -> (FileSink, String) {
        var attempt = 0
        while true {
            let name = RecordingFileName.file(
                stream: status.stream, startedAt: wallClock, attempt: attempt, suffix: suffix)
            do throws(ContainerError) {
                let sink = try FileSink(
                    path: directory + "/" + name, exclusive: true, mode: RecordingFolder.fileMode)
                return (sink, name)
            } catch {
                guard case .io(EEXIST, _) = error.reason, attempt < Self.maximumAttempts else { throw .file(error) }
                attempt += 1
            }
        }
    }

    private func write(_ frame: StreamRecording.Frame) throws(RecordingError) {
        guard let writer else { return }
        if let rotation = frame.rotation { writer.noteRotation(rotation) }
        if let size = frame.size { writer.noteSize(width: size.width, height: size.height) }
        do throws(ContainerError) {
            try writer.write(
                frame.kind, timestamp: frame.time, duration: frame.duration, isKeyframe: frame.isKeyFrame,
                bytes: frame.bytes)
        } catch {
            throw .file(error)
        }
        lastWrite = now
    }

    /// Writes the clock points to the index at once, so that they survive a crash of the relay.
    private func setClock(_ points: [ClockPoint]) {
        guard var entry else { return }
        entry.clock = points
        self.entry = entry
        let changed = entry
        setIndex { index throws(RecordingError) in try index.set(changed) }
    }

    /// Closes the open file as far as possible, and removes it if it has no frame. Notes an error at the end in the
    /// index.
    /// - Parameter reason: the error that ended the file before the end of the stream.
    func closeFile(failed reason: RecordingError?) {
        guard let writer, var entry else { return }
        self.writer = nil
        self.entry = nil
        var reason = reason
        do throws(ContainerError) { try writer.finish() } catch { reason = reason ?? .file(error) }
        if reason != nil, writer.videoFrames + writer.audioFrames == 0 {
            unlink(directory + "/" + entry.file)
            status.files.removeAll { $0 == directory + "/" + entry.file }
            setIndex { index throws(RecordingError) in try index.remove(file: entry.file) }
            return
        }
        finishedBytes += writer.byteCount
        entry.duration = writer.duration.seconds
        status.statistics.duration = writer.duration.rawValue
        entry.statistics = statistics
        entry.error = reason?.description
        let closed = entry
        setIndex { index throws(RecordingError) in try index.set(closed) }
        if let reason { status.error = status.error ?? reason }
    }

    /// Writes changes of the index that could not be written before.
    func saveIndex() { setIndex { index throws(RecordingError) in try index.retry() } }

    /// Changes the index. If writing it fails, the recording continues; the index keeps the change and is written
    /// later.
    private func setIndex(_ change: (RecordingIndex) throws(RecordingError) -> Void) {
        do throws(RecordingError) {
            try change(index)
            indexRetryAt = nil
        } catch {
            indexRetryAt = now + options.retryInterval
        }
    }

    var statistics: RecordingStatistics {
        var all = recording.statistics
        all.droppedPackets = tap.dropped
        all.keyFrameRequests = status.statistics.keyFrameRequests
        all.suspensions = status.statistics.suspensions
        all.unwrittenFrames = status.statistics.unwrittenFrames
        all.bytes = finishedBytes + (writer?.byteCount ?? 0)
        all.duration = writer?.duration.rawValue ?? status.statistics.duration
        return all
    }
}
