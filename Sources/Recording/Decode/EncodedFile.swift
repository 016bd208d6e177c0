import Codecs
package import Containers
package import MediaBase

/// A recorded file opened for decoding, in any supported container: its first video track in a known codec, and
/// its first Opus track.
package final class EncodedFile {
    private enum Reader {
        case webM(WebMReader, video: WebMTrack?, audio: WebMTrack?)
        case ivf(IVFReader)
        case ogg(OggOpusReader)
    }

    package struct Video: Sendable {
        package var codec: VideoCodec
        /// Size in the header; frames may differ.
        package var width: Int
        package var height: Int
        /// Frames per second as a fraction, if the header has it.
        package var rate: (Int, Int)?
        /// Clockwise rotation to apply before frames are shown.
        package var rotation = Rotation.none
        /// Converts the frames for a decoder.
        package var frames = DecoderFrames()
    }

    package struct Audio: Sendable {
        package var channels: Int
        /// Samples at 48 kHz to drop from the start.
        package var preSkip: Int
    }

    package let path: String
    package let container: ContainerKind
    package let video: Video?
    package let audio: Audio?
    /// Descriptions of tracks that are not decoded.
    package let ignoredTracks: [String]
    /// Whether the relay or another `FileSink` has the file open and will append more.
    package let isBeingWritten: Bool
    private let reader: Reader

    package init(path: String) throws(DecodeError) {
        self.path = path
        do throws(ContainerError) {
            let source = try FileSource(path: path)
            // Checked before the first read, because the writer may close the file during the read, and data read
            // before that may be incomplete.
            isBeingWritten = source.isBeingWritten
            var head = [UInt8](repeating: 0, count: 16)
            let count = try Self.read(source, into: &head)
            switch ContainerKind.sniff(Array(head.prefix(count))) {
            case .webm:
                let webM = try WebMReader(source: source)
                let videoTrack = webM.tracks.first { $0.codec.video != nil && !$0.isEncoded }
                let audioTrack = webM.tracks.first {
                    $0.codec == .opus && !$0.isEncoded && (1...2).contains($0.channels)
                }
                container = .webm
                video = videoTrack.map { track in
                    Video(
                        codec: track.codec.video ?? .vp8, width: track.width, height: track.height,
                        rate: Self.rate(of: track.defaultDuration),
                        rotation: track.rotation,
                        frames: DecoderFrames(track.codec.video ?? .vp8, codecPrivate: track.codecPrivate))
                }
                audio = audioTrack.map { track in
                    let head = try? OpusHead(parsing: track.codecPrivate, in: .webm)
                    return Audio(
                        channels: track.channels,
                        preSkip: head?.preSkip ?? Int(track.codecDelay.seconds * 48_000))
                }
                ignoredTracks = webM.tracks.filter { $0 != videoTrack && $0 != audioTrack }.map { track in
                    "track \(track.number) (\(Self.name(of: track)))"
                }
                reader = .webM(webM, video: videoTrack, audio: audioTrack)
            case .ivf:
                let ivf = try IVFReader(source: source)
                container = .ivf
                video = Self.codec(of: ivf.header).map { codec in
                    Video(
                        codec: codec, width: ivf.header.width, height: ivf.header.height,
                        rate: Self.rate(of: ivf.header))
                }
                audio = nil
                ignoredTracks = video != nil ? [] : ["the only track (\(ivf.header.codec))"]
                reader = .ivf(ivf)
            case .ogg:
                let ogg = try OggOpusReader(source: source)
                container = .ogg
                video = nil
                let isPlain = ogg.head.mappingFamily == 0 && ogg.head.channels <= 2
                audio = isPlain ? Audio(channels: ogg.head.channels, preSkip: ogg.head.preSkip) : nil
                ignoredTracks = isPlain ? [] : ["an Opus track of \(ogg.head.channels) channels"]
                reader = .ogg(ogg)
            case let other:
                let what = other.map { "a \($0.rawValue) file has no encoded media" } ?? "neither WebM, IVF nor Ogg"
                throw ContainerError(.file, path, at: 0, .unsupported(what))
            }
        } catch {
            throw .container(error)
        }
        if video == nil, audio == nil {
            throw .unsupported(
                "\(path): it has no video track in a known codec, and no Opus track: \(ignoredTracks.joined(separator: ", "))"
            )
        }
    }

    package var damage: DamageLog {
        switch reader {
        case .webM(let reader, _, _): reader.damage
        case .ivf(let reader): reader.damage
        case .ogg(let reader): reader.damage
        }
    }

    /// Whether the file ends inside an element (`WebMReader.isCutOff`).
    package var isCutOff: Bool {
        if case .webM(let reader, _, _) = reader { return reader.isCutOff }
        return false
    }

    /// Bytes read, and total bytes.
    package var progress: (done: Int64, total: Int64) {
        switch reader {
        case .webM(let reader, _, _): (reader.position, reader.byteCount)
        case .ivf(let reader): (reader.position, reader.byteCount)
        case .ogg(let reader): (reader.position, reader.byteCount)
        }
    }

    /// Structure of a WebM file, complete after the last packet; nil for other containers.
    package var structure: WebMStructure? {
        if case .webM(let reader, _, _) = reader { return reader.structure }
        return nil
    }

    /// Duration in the header.
    package var claimedDuration: MediaTime? {
        if case .webM(let reader, _, _) = reader { return reader.info.duration }
        return nil
    }

    /// Writing application and wall-clock start in the header.
    package var origin: (application: String, date: Int64?)? {
        if case .webM(let reader, _, _) = reader { return (reader.info.muxingApp, reader.info.date) }
        return nil
    }

    /// Returns the next packet of both tracks in file order; nil at the end.
    package func next() throws(DecodeError) -> EncodedPacket? {
        do throws(ContainerError) {
            switch reader {
            case .webM(let reader, let video, let audio):
                while let frame = try reader.next() {
                    if frame.track == video?.number {
                        return EncodedPacket(
                            kind: .video, time: frame.timestamp, isKeyFrame: frame.isKeyframe, position: frame.position,
                            bytes: frame.bytes)
                    }
                    if let audio, frame.track == audio.number {
                        let trim = frame.discardPadding.seconds * 48_000
                        return EncodedPacket(
                            kind: .audio, time: frame.timestamp - audio.codecDelay, isKeyFrame: true,
                            trimEnd: trim > 0 && trim < 1e9 ? Int(trim.rounded()) : 0, position: frame.position,
                            bytes: frame.bytes)
                    }
                }
                return nil
            case .ivf(let reader):
                guard let frame = try reader.next() else { return nil }
                return EncodedPacket(
                    kind: .video, time: reader.time(of: frame),
                    isKeyFrame: video.map { Self.isKeyFrame(frame.bytes, $0.codec) } ?? false,
                    position: frame.position, bytes: frame.bytes)
            case .ogg(let reader):
                guard let packet = try reader.next() else { return nil }
                let (seconds, rest) = packet.timestamp.quotientAndRemainder(dividingBy: 48_000)
                return EncodedPacket(
                    kind: .audio, time: .nanoseconds(seconds &* 1_000_000_000 &+ rest * 1_000_000_000 / 48_000),
                    isKeyFrame: true, trimEnd: packet.trimEnd, position: packet.position, bytes: packet.bytes)
            }
        } catch {
            throw .container(error)
        }
    }

    private static func read(_ source: FileSource, into head: inout [UInt8]) throws(ContainerError) -> Int {
        var count = 0
        var failure: ContainerError?
        head.withUnsafeMutableBytes { buffer in
            do throws(ContainerError) { count = try source.read(at: 0, into: buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        return count
    }

    /// Returns the codec of a FourCC that can be decoded; nil for others.
    private static func codec(of header: IVFHeader) -> VideoCodec? {
        switch header.codec {
        case "VP80": .vp8
        case "VP90": .vp9
        case "H264": .h264
        case "AV01": .av1
        default: nil
        }
    }

    private static func isKeyFrame(_ bytes: [UInt8], _ codec: VideoCodec) -> Bool {
        switch codec {
        case .vp8: bytes.first.map { $0 & 1 == 0 } ?? false
        case .vp9: (try? VP9FrameInfo(bytes))?.isKeyFrame == true
        case .h264: (try? H264FrameInfo(bytes))?.isKeyFrame == true
        case .av1: (try? AV1FrameInfo(bytes))?.isKeyFrame == true
        }
    }

    /// Returns nil for a rate outside 0.1 to 1,000 frames per second: a header may claim 2^32.
    private static func rate(of header: IVFHeader) -> (Int, Int)? {
        guard header.rate > 0, header.scale > 0, header.rate <= 1_000 * header.scale,
            header.scale <= 10 * header.rate
        else { return nil }
        return (header.rate, header.scale)
    }

    private static func rate(of duration: MediaTime?) -> (Int, Int)? {
        guard let duration, duration >= .milliseconds(1), duration <= .seconds(10) else { return nil }
        return FrameRate.snap(1e9 / Double(duration.rawValue))
    }

    private static func name(of track: WebMTrack) -> String {
        switch track.codec {
        case .video(let codec):
            track.isEncoded ? "\(codec.rawValue), compressed or encrypted" : "another \(codec.rawValue) track"
        case .opus:
            track.isEncoded ? "Opus, compressed or encrypted" : "another Opus track, or one with more than two channels"
        case .other(let name): name
        }
    }
}
