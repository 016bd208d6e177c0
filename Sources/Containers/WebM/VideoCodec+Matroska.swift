import MediaBase

extension VideoCodec {
    /// CodecID of a Matroska track (the IETF's Matroska codec mappings).
    var matroskaID: String {
        switch self {
        case .vp8: "V_VP8"
        case .h264: "V_MPEG4/ISO/AVC"
        case .vp9: "V_VP9"
        case .av1: "V_AV1"
        }
    }
}
