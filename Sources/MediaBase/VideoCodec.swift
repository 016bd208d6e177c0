/// Video codec that the relay forwards.
public enum VideoCodec: String, Hashable, Sendable, Codable, CaseIterable {
    case vp8 = "VP8"
    case h264 = "H264"
    case vp9 = "VP9"
    case av1 = "AV1"
}
