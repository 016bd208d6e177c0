import CVPX

extension CodecError {
    /// Converts a return code of the library to an error.
    static func vpx(_ code: vpx_codec_err_t) -> CodecError {
        .library("libvpx", code: Int(code.rawValue), text: String(cString: vpx_codec_err_to_string(code)))
    }
}
