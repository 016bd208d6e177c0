import Codecs
import Containers
import MediaBase

/// Writes encoded video and audio as one WebM file in order of time.
final class MixWriter {
    private struct Packet {
        var time: MediaTime
        var duration: MediaTime
        var isKeyFrame: Bool
        var bytes: [UInt8]
    }

    private let writer: MatroskaWriter
    /// Packets that are later than what the other track has: less than a second.
    private var video: [Packet] = []
    private var audio: [Packet] = []
    private(set) var videoFrames = 0
    private(set) var audioPackets = 0

    init(sink: FileSink, name: String, size: FrameSize, preSkip: Int, date: Int64) throws(ComposeError) {
        do throws(ContainerError) {
            writer = try MatroskaWriter(
                sink: sink,
                tracks: [
                    MatroskaTrack(
                        name: name, media: .video(.vp8, width: size.width, height: size.height, rotation: .none)),
                    MatroskaTrack(name: name, media: .audio(channels: 2, preSkip: preSkip)),
                ], date: date, documentType: .webm)
        } catch { throw .output(error) }
    }

    var duration: MediaTime { writer.duration }
    var byteCount: Int64 { writer.byteCount }

    func add(_ frame: EncodedVideoFrame, at time: MediaTime, duration: MediaTime) {
        videoFrames += 1
        video.append(Packet(time: time, duration: duration, isKeyFrame: frame.isKeyFrame, bytes: frame.bytes))
    }

    func add(audio packet: [UInt8], at time: MediaTime) {
        audioPackets += 1
        audio.append(Packet(time: time, duration: .milliseconds(20), isKeyFrame: true, bytes: packet))
    }

    /// Writes the packets before a time. Neither track gets earlier ones later.
    func write(until end: MediaTime) throws(ComposeError) {
        var (frames, packets) = (video[...], audio[...])
        while true {
            let frame = frames.first.flatMap { $0.time < end ? $0 : nil }
            let packet = packets.first.flatMap { $0.time < end ? $0 : nil }
            if let frame, packet.map({ frame.time <= $0.time }) ?? true {
                try write(frame, track: 0)
                frames.removeFirst()
            } else if let packet {
                try write(packet, track: 1)
                packets.removeFirst()
            } else {
                break
            }
        }
        if frames.count < video.count { video = Array(frames) }
        if packets.count < audio.count { audio = Array(packets) }
    }

    /// Writes all packets and completes the file.
    func finish(chapters: [MatroskaChapter]) throws(ComposeError) {
        try write(until: .never)
        do throws(ContainerError) { try writer.finish(chapters: chapters) } catch { throw .output(error) }
    }

    private func write(_ packet: Packet, track: Int) throws(ComposeError) {
        do throws(ContainerError) {
            try writer.write(
                track: track, timestamp: packet.time, duration: packet.duration, isKeyframe: packet.isKeyFrame,
                bytes: packet.bytes)
        } catch { throw .output(error) }
    }
}
