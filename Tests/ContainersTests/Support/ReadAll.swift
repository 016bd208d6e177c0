import Containers
import MediaBase

extension WebMReader {
    func all() throws -> [WebMFrame] {
        var frames: [WebMFrame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }
}

extension OggOpusReader {
    func all() throws -> [OggOpusPacket] {
        var packets: [OggOpusPacket] = []
        while let packet = try next() { packets.append(packet) }
        return packets
    }
}

extension IVFReader {
    func all() throws -> [IVFFrame] {
        var frames: [IVFFrame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }
}

extension Y4MReader {
    func all() throws -> [I420Frame] {
        var frames: [I420Frame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }
}
