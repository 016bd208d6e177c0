package import MediaBase
import RTP

extension CapturedPacket {
    /// Returns the frames of a capture, in the form that decoders take (`FrameDepacketizer`).
    package static func frames(of name: String, _ codec: VideoCodec) throws -> [[UInt8]] {
        var assembler = FrameAssembler(codec)
        for packet in try all(of: name) {
            packet.payload.withUnsafeBytes { payload in
                assembler.insert(
                    sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, payload: payload,
                    now: .zero)
            }
        }
        assembler.flush()
        var frames: [[UInt8]] = []
        while let event = assembler.nextEvent() {
            if case .frame(let frame) = event { frames.append(frame.bytes) }
        }
        return frames
    }
}
