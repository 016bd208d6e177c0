import CLinuxNet
import Containers
package import MediaBase
import SFrame

/// Decodes a recorded file (WebM or Matroska of this or another program, IVF, Ogg Opus) into frames and audio, and reports damage.
///
/// ```swift
/// let decoder = try FileDecoder(path: "cam1.webm", threads: 2)
/// let report = try decoder.run(to: [FingerprintOutput(stem: "cam1") { print($0) }])
/// ```
package final class FileDecoder {
    package struct Progress: Sendable {
        package var bytes: Int64
        package var totalBytes: Int64
        package var frames: Int
        /// Time reached in the recording.
        package var time: MediaTime
    }

    package let file: EncodedFile
    private let threads: Int
    private let wantsVideo: Bool
    private let wantsAudio: Bool
    private let decryptor: RecordingDecryptor?

    /// - Parameters:
    ///   - threads: decoder threads for video, 1 to 16.
    ///   - video, audio: whether the kind is decoded, if the file has it.
    ///   - decryptor: for a recording that was encrypted end to end.
    package init(
        path: String, threads: Int = 1, video: Bool = true, audio: Bool = true, decryptor: RecordingDecryptor? = nil
    ) throws(DecodeError) {
        self.decryptor = decryptor
        file = try EncodedFile(path: path)
        self.threads = threads
        wantsVideo = video
        wantsAudio = audio
    }

    /// Decodes to the end and finishes the consumers.
    ///
    /// - Parameters:
    ///   - consumers: receive frames and audio.
    ///   - progress: called about every 2 MiB of the file.
    /// - Returns: the report. A damaged file is decoded as far as possible.
    /// - Throws: if the file cannot be read or a consumer cannot write.
    package func run(
        to consumers: [any DecodedMediaConsumer], progress: ((Progress) -> Void)? = nil
    ) throws(DecodeError) -> DecodeReport {
        let began = millrace_monotonic_ns()
        var video: VideoTrackDecoder?
        var audio: AudioTrackDecoder?
        do {
            if wantsVideo, let frames = file.video {
                video = try VideoTrackDecoder(frames, threads: threads)
            }
            if wantsAudio, let track = file.audio { audio = try AudioTrackDecoder(track) }
        } catch {
            throw .codec(error)
        }
        var toldAt: Int64 = 0
        var sealed = 0
        while var packet = try file.next() {
            if let decryptor, !packet.bytes.isEmpty {
                do throws(SFrameFailure) { try decryptor.open(&packet) } catch {
                    sealed += 1
                    continue
                }
            }
            switch packet.kind {
            case .video: try video?.decode(packet, to: consumers)
            case .audio: try audio?.decode(packet, to: consumers)
            }
            let (done, total) = file.progress
            if let progress, done - toldAt >= 2 << 20 {
                toldAt = done
                progress(
                    Progress(bytes: done, totalBytes: total, frames: video?.report.frames ?? 0, time: packet.time))
            }
        }
        for consumer in consumers { try consumer.finish() }
        var report = self.report(video, audio)
        report.undecryptable = sealed
        report.elapsed = Double(millrace_monotonic_ns() - began) / 1e9
        return report
    }

    private func report(_ video: VideoTrackDecoder?, _ audio: AudioTrackDecoder?) -> DecodeReport {
        var report = DecodeReport(file: file.path, container: file.container.rawValue)
        report.writer = file.origin?.application
        report.bytes = file.progress.total
        report.video = video?.report
        report.audio = audio?.report
        if let videoStart = video?.report.start, let audioStart = audio?.report.start {
            report.audioOffset = audioStart - videoStart
        }
        report.claimedDuration = file.claimedDuration?.seconds
        if let structure = file.structure {
            report.clusters = structure.clusters
            report.isClosed = structure.segmentSizeIsKnown
            report.hasCues = structure.hasCues
        }
        report.ignoredTracks = file.ignoredTracks
        report.damage = file.damage.notes.map(\.description)
        report.damageCount = file.damage.count
        report.isBeingWritten = file.isBeingWritten
        report.isCutOff = file.isCutOff
        report.lostBytes = file.damage.lostBytes
        report.errors = (video?.errors ?? []) + (audio?.errors ?? [])
        return report
    }
}
