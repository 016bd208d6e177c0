import CVPX

extension CodecError {
    /// The library's return code as an error of ours.
    static func vpx(_ code: vpx_codec_err_t) -> CodecError {
        .library("libvpx", code: Int(code.rawValue), text: String(cString: vpx_codec_err_to_string(code)))
    }
}
