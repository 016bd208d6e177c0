import CAOM

extension CodecError {
    /// Converts a return code of the library to an error.
    static func aom(_ code: aom_codec_err_t) -> CodecError {
        .library("libaom", code: Int(code.rawValue), text: String(cString: aom_codec_err_to_string(code)))
    }
}
