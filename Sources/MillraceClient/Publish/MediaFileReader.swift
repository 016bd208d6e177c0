import Codecs
import Containers
import MediaBase

/// Reads raw frames and audio from a file: Y4M, WAV at 48 kHz, IVF with VP8, or WebM with VP8 and Opus. Used by one task at a
/// time.
final class MediaFileReader {
    private enum Source {
        case y4m(Y4MReader)
        case wav(WAVReader)
        case ivf(IVFReader, VPXDecoder)
        case webm(WebMReader, video: Int?, audio: Int?, VPXDecoder, OpusDecoder)
    }

    /// Samples per channel read from a WAV file at a time.
    private static let audioBlock = 960

    private let source: Source
    private var samplesRead: Int64 = 0

    /// - Throws: `mediaFailed` if the file cannot be read or contains no supported media.
    init(path: String) throws(SessionError) {
        do {
            let file = try FileSource(path: path)
            var head = [UInt8](repeating: 0, count: 16)
            let count = try head.withUnsafeMutableBytes { bytes throws(ContainerError) in
                try file.read(at: 0, into: bytes)
            }
            switch ContainerKind.sniff(Array(head.prefix(count))) {
            case .y4m: source = .y4m(try Y4MReader(source: file))
            case .wav:
                let reader = try WAVReader(source: file)
                guard reader.format.sampleRate == PCMBlock.sampleRate else {
                    throw ContainerError(.wav, "fmt", .unsupported("\(reader.format.sampleRate) Hz; 48,000 are taken"))
                }
                source = .wav(reader)
            case .ivf:
                let reader = try IVFReader(source: file)
                guard reader.header.codec == "VP80" else {
                    throw ContainerError(.ivf, "codec", .unsupported(reader.header.codec))
                }
                source = .ivf(reader, try VPXDecoder())
            case .webm:
                let reader = try WebMReader(source: file)
                let video = reader.tracks.first { $0.codec == .vp8 && !$0.isEncoded }?.number
                let audio = reader.tracks.first { $0.codec == .opus && !$0.isEncoded }?.number
                guard video != nil || audio != nil else {
                    throw ContainerError(.webm, "Tracks", .unsupported("neither VP8 nor Opus"))
                }
                source = .webm(reader, video: video, audio: audio, try VPXDecoder(), try OpusDecoder())
            case .ogg, .png, .file, nil:
                throw ContainerError(.file, path, .unsupported("none of Y4M, WAV, IVF and WebM"))
            }
        } catch {
            throw SessionError(.mediaFailed, "\(error)")
        }
    }

    /// Returns the next frame or audio block; nil at the end of the file. Damaged frames are skipped.
    func next() throws(SessionError) -> RawMedia? {
        do {
            switch source {
            case .y4m(let reader): return try reader.next().map { .video($0) }
            case .wav(let reader): return try audio(reader)
            case .ivf(let reader, let decoder):
                while let frame = try reader.next() {
                    if let decoded = try? decoder.decode(frame.bytes, captureTime: reader.time(of: frame)) {
                        return .video(decoded)
                    }
                }
                return nil
            case .webm(let reader, let video, let audio, let videoDecoder, let audioDecoder):
                while let frame = try reader.next() {
                    if frame.track == video {
                        guard let decoded = try? videoDecoder.decode(frame.bytes, captureTime: frame.timestamp) else {
                            continue
                        }
                        return .video(decoded)
                    } else if frame.track == audio {
                        guard let block = try? audioDecoder.decode(frame.bytes, captureTime: frame.timestamp) else {
                            continue
                        }
                        return .audio(block)
                    }
                }
                return nil
            }
        } catch {
            throw SessionError(.mediaFailed, "\(error)")
        }
    }

    private func audio(_ reader: WAVReader) throws(ContainerError) -> RawMedia? {
        let samples = try reader.read(frames: Self.audioBlock)
        guard !samples.isEmpty else { return nil }
        let time = MediaTime.nanoseconds(samplesRead * 1_000_000_000 / Int64(PCMBlock.sampleRate))
        samplesRead += Int64(samples.count / reader.format.channels)
        return .audio(PCMBlock(channels: reader.format.channels, samples: samples, captureTime: time))
    }
}
