import COpus

extension CodecError {
    /// The library's negative return code as an error of ours.
    static func opus(_ code: Int32) -> CodecError {
        code == OPUS_INVALID_PACKET
            ? .corruptData(reason: "not an Opus packet")
            : .library("libopus", code: Int(code), text: String(cString: opus_strerror(code)))
    }
}
