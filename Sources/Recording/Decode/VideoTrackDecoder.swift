import Codecs
import MediaBase

/// Decodes the video of a recording and counts its errors.
struct VideoTrackDecoder {
    private let decoder: VideoDecoder
    private let frames: DecoderFrames
    private let rotation: Rotation
    private(set) var report = DecodeReport.Video()
    private(set) var errors: [String] = []
    private var packets = 0
    private var lastTime: MediaTime?
    private var lastSize: (Int, Int)?
    /// Moving average of the time between frames, which shows gaps.
    private var pace: Double = 0

    init(_ video: EncodedFile.Video, threads: Int) throws(CodecError) {
        decoder = try VideoDecoder(video.codec, threads: threads)
        frames = video.frames
        rotation = video.rotation
        report.codec = video.codec.rawValue
        report.rotation = rotation.rawValue
    }

    mutating func decode(_ packet: EncodedPacket, to consumers: [any DecodedMediaConsumer]) throws(DecodeError) {
        noteTime(packet.time)
        packets += 1
        guard !packet.bytes.isEmpty else {
            report.empty += 1
            return
        }
        var failure: DecodeError?
        var size: (Int, Int)?
        let number = packets
        let shownNumber = report.frames + 1
        let shown: Bool?
        do throws(CodecError) {
            shown = try frames.frame(of: packet).withRawBuffer { bytes throws(CodecError) in
                try decoder.withDecodedPlanes(bytes) { planes in
                    size = (planes.width, planes.height)
                    let info = DecodedFrame(
                        number: number, shownNumber: shownNumber, time: packet.time, isKeyFrame: packet.isKeyFrame,
                        rotation: rotation)
                    do throws(DecodeError) {
                        for consumer in consumers { try consumer.take(planes, info) }
                    } catch { failure = error }
                    return true
                }
            }
        } catch .missingKeyFrame {
            report.skipped += 1
            return
        } catch {
            report.errors += 1
            if errors.count < 64 { errors.append("frame at byte \(packet.position), \(packet.time): \(error)") }
            return
        }
        if let failure { throw failure }
        if packet.isKeyFrame { report.keyFrames += 1 }
        guard shown == true, let size else {
            report.hidden += 1
            return
        }
        report.frames += 1
        if let lastSize, lastSize != size { report.sizeChanges += 1 }
        if size.0 * size.1 > report.width * report.height { (report.width, report.height) = size }
        lastSize = size
    }

    private mutating func noteTime(_ time: MediaTime) {
        if report.start == nil { report.start = time.seconds }
        report.end = max(report.end ?? 0, time.seconds)
        defer { lastTime = time }
        guard let lastTime, time > lastTime else { return }
        let step = (time - lastTime).seconds
        if pace > 0, step > max(0.1, pace * 3.5) {
            report.gapCount += 1
            if report.gaps.count < DecodeReport.listedGaps {
                report.gaps.append(DecodeReport.Gap(at: lastTime.seconds, duration: step))
            }
        } else {
            pace = pace == 0 ? step : pace * 0.9 + step * 0.1
        }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` with typed throws.
    fileprivate func withRawBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let result: Result<R, E> = withUnsafeBytes { bytes in
            do throws(E) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
