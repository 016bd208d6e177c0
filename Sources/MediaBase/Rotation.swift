/// Clockwise rotation that a frame needs before display (3GPP TS 26.114, coordination of video orientation).
public enum Rotation: Int, Hashable, Sendable, Codable, CaseIterable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
}
