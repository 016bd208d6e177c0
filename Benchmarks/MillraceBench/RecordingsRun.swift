import Foundation
import MediaBase
import MediaEngine
import Recording
import SRTP

/// Publishers of audio and video in real time, on one worker, and a recorder for each of their streams, or none.
struct RecordingsRun {
    struct Result: Codable {
        var isRecorded: Bool
        /// Length of the measured time.
        var seconds: Double
        /// Packets that the worker took from publishers in that time.
        var packets: UInt64
        /// CPU time of the worker's thread as a part of one core, and for each of these packets.
        var workerShare: Double
        var workerNanosecondsPerPacket: Double
        /// CPU time of all recorders' threads together as a part of one core.
        var recorderShare: Double
        /// The same of all threads of the process.
        var processShare: Double
        /// Packets of the whole run that the recorders did not get because their queues were full: metric `tap_packets_dropped_total`.
        var droppedPackets: UInt64
        /// Bytes of all files.
        var bytes: Int64
        /// Files, and those of them that contain what was sent.
        var files = 0
        var wholeFiles = 0
        /// Causes for which the run does not count.
        var faults: [String] = []
    }

    /// Video of 952 kb/s and audio of 48 kb/s, 1 Mb/s together: RTP payload bytes of each packet, packets of each frame, and frames per second.
    private static let video = (payload: 992, burst: 4, rate: 30.0)
    private static let audio = (payload: 120, burst: 1, rate: 50.0)
    private static let session = "recordings"
    /// Seconds of load before the measured time. A file begins about 1 s after its first key frame.
    private static let warmUp = 3.0

    var recordings: Int
    var seconds: Double
    /// Folder in which the session's folder is made.
    var directory: String

    func run(isRecorded: Bool) async throws -> Result {
        let engine = try MediaEngine(configuration: TransportsRun.configuration)
        defer { engine.stop() }
        // An order has one rate of frames, so audio has a process of its own.
        let video = try Peer(sinks: 0, base: 0)
        defer { video.stop() }
        let audio = try Peer(sinks: 0, base: 0)
        defer { audio.stop() }
        let (videoOrder, audioOrder) = try await openPublishers(engine)
        let recorder = SessionRecorder(
            engine: engine, directory: directory, source: { _, _ in RecordingSource(kinds: [.audio, .video]) })
        for number in 0..<recordings where isRecorded {
            try await recorder.start(session: Self.session, stream: Self.stream(number))
        }

        try video.begin(videoOrder)
        try audio.begin(audioOrder)
        try await Task.sleep(for: .seconds(Self.warmUp))
        let before = isRecorded ? try recorderTime() : 0
        let period = try await EnginePeriod(of: engine, seconds: seconds)
        let recorders = isRecorded ? try recorderTime() - before : 0
        let sent = (video: try video.end(), audio: try audio.end())
        // The last packets may still be on the way.
        try await Task.sleep(for: .milliseconds(300))
        await recorder.stopAll()

        let final = await engine.counters()
        let packets = period.count(\.packetsReceived)
        var result = Result(
            isRecorded: isRecorded, seconds: period.seconds, packets: packets, workerShare: period.workerShare,
            workerNanosecondsPerPacket: Double(period.count(\.workerCPU)) / Double(max(1, packets)),
            recorderShare: Double(recorders) / 1e9 / period.seconds, processShare: period.processShare,
            droppedPackets: final.droppedTap, bytes: 0)
        if final.packetsReceived != UInt64(sent.video + sent.audio) {
            result.faults.append("the relay took \(final.packetsReceived) of \(sent.video + sent.audio) packets")
        }
        if isRecorded { check(await recorder.statuses(), sent, &result) }
        return result
    }

    private static func stream(_ number: Int) -> String { "stream-\(number)" }

    /// Opens the publishers, each with one stream of audio and video.
    private func openPublishers(_ engine: MediaEngine) async throws -> (video: PeerOrder, audio: PeerOrder) {
        func order(_ load: (payload: Int, burst: Int, rate: Double)) -> PeerOrder {
            PeerOrder(
                publishers: [], payload: load.payload, burst: load.burst, perSecond: load.rate,
                seconds: Self.warmUp + seconds + 0.5, together: false)
        }
        var (video, audio) = (order(Self.video), order(Self.audio))
        for number in 0..<recordings {
            var request = PlainTransportRequest(direction: .publish, session: Self.session)
            request.stream = Self.stream(number)
            request.video = PlainTrackRequest(codec: .vp8)
            request.audio = PlainTrackRequest()
            let transport = try await engine.openPlain(request)
            guard let videoTrack = transport.video, let audioTrack = transport.audio else {
                throw BenchError("a publisher without a track")
            }
            func publisher(_ track: PlainTrack, isVideo: Bool) -> PeerOrder.Publisher {
                PeerOrder.Publisher(
                    ssrc: track.ssrc, payloadType: track.payloadType, port: track.port, suite: request.suite.sdesName,
                    key: transport.clientKey.base64, isVideo: isVideo)
            }
            video.publishers.append(publisher(videoTrack, isVideo: true))
            audio.publishers.append(publisher(audioTrack, isVideo: false))
        }
        return (video, audio)
    }

    /// Returns the CPU time of all recorders' threads so far, in nanoseconds.
    private func recorderTime() throws -> Int64 {
        let recorders = try ThreadTimes(named: "recorder")
        guard recorders.threads == recordings else {
            throw BenchError("\(recorders.threads) of \(recordings) recorders run")
        }
        return recorders.running
    }

    /// Compares the recordings with what their publishers sent.
    /// - Parameter sent: packets of all publishers.
    private func check(
        _ statuses: [RecordingStatus], _ sent: (video: Int, audio: Int), _ result: inout Result
    ) {
        let media = SentMedia(
            videoFrames: sent.video / Self.video.burst / recordings, audioPackets: sent.audio / recordings,
            videoRate: Self.video.rate, audioRate: Self.audio.rate)
        if statuses.count != recordings { result.faults.append("\(statuses.count) of \(recordings) recordings") }
        for status in statuses {
            let statistics = status.statistics
            result.bytes += statistics.bytes
            result.files += status.files.count
            var faults = status.files.flatMap(media.faults(of:))
            if status.phase != .ended || status.files.count != 1 {
                faults.append("\(status.stream): \(status.phase.rawValue), \(status.files.count) files")
            }
            let counts: [(String, UInt64)] = [
                ("packets dropped at the queue", statistics.droppedPackets), ("packets lost", statistics.lostPackets),
                ("frames dropped", statistics.droppedFrames), ("frames damaged", statistics.damagedFrames),
                ("frames out of order", statistics.unorderedFrames), ("frames not written", statistics.unwrittenFrames),
            ]
            for (what, count) in counts where count > 0 { faults.append("\(status.stream): \(count) \(what)") }
            if faults.isEmpty { result.wholeFiles += 1 }
            result.faults += faults
        }
    }
}
