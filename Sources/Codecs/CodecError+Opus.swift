import COpus

extension CodecError {
    /// Converts a negative return code of the library to an error.
    static func opus(_ code: Int32) -> CodecError {
        code == OPUS_INVALID_PACKET
            ? .corruptData(reason: "not an Opus packet")
            : .library("libopus", code: Int(code), text: String(cString: opus_strerror(code)))
    }
}
