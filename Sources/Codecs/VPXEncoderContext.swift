import CVPX
import MediaBase

/// Owner of one encoder of libvpx with its settings.
final class VPXEncoderContext {
    struct Packet {
        let bytes: [UInt8]
        let isKeyFrame: Bool
        /// Whether a later frame may depend on this one.
        let isReference: Bool
    }

    let pointer: UnsafeMutablePointer<vpx_codec_ctx_t>
    private var settings: vpx_codec_enc_cfg_t

    /// - Parameter configure: changes libvpx's default settings.
    init(_ interface: OpaquePointer?, _ configure: (inout vpx_codec_enc_cfg_t) -> Void) throws(CodecError) {
        settings = vpx_codec_enc_cfg_t()
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: vpx_codec_ctx_t())
        var code = vpx_codec_enc_config_default(interface, &settings, 0)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        configure(&settings)
        code = vpx_codec_enc_init_ver(pointer, interface, &settings, 0, millrace_vpx_encoder_abi_version)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    deinit {
        _ = vpx_codec_destroy(pointer)
        pointer.deallocate()
    }

    /// Changes the settings from the next frame on.
    func change(_ configure: (inout vpx_codec_enc_cfg_t) -> Void) throws(CodecError) {
        configure(&settings)
        let code = vpx_codec_enc_config_set(pointer, &settings)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    /// Encodes a frame of the configured size, whose result `nextPacket` returns.
    func encode(
        _ frame: I420Frame, timestamp: Int64, duration: Int64, flags: vpx_enc_frame_flags_t
    ) throws(CodecError) {
        let code = frame.bytes.withUnsafeBufferPointer { bytes in
            // `vpx_image_t` has mutable pointers, but the encoder only reads.
            let y = UnsafeMutablePointer(mutating: bytes.baseAddress!)
            var image = vpx_image_t()
            vpx_img_wrap(&image, VPX_IMG_FMT_I420, UInt32(frame.width), UInt32(frame.height), 1, y)
            // `vpx_img_wrap` rounds odd widths up; the rows here have no padding.
            image.planes.0 = y
            image.planes.1 = y + frame.uRange.lowerBound
            image.planes.2 = y + frame.vRange.lowerBound
            image.stride.0 = Int32(frame.width)
            image.stride.1 = Int32(frame.chromaWidth)
            image.stride.2 = Int32(frame.chromaWidth)
            return vpx_codec_encode(pointer, &image, timestamp, UInt(duration), flags, UInt(VPX_DL_REALTIME))
        }
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    /// Returns the encoded frame; nil if rate control dropped it.
    func nextPacket() -> Packet? {
        var iterator: vpx_codec_iter_t?
        while let packet = vpx_codec_get_cx_data(pointer, &iterator) {
            guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
            let frame = packet.pointee.data.frame
            guard frame.sz > 0 else { continue }
            return Packet(
                bytes: [UInt8](UnsafeRawBufferPointer(start: frame.buf, count: frame.sz)),
                isKeyFrame: frame.flags & vpx_codec_frame_flags_t(VPX_FRAME_IS_KEY) != 0,
                isReference: frame.flags & vpx_codec_frame_flags_t(VPX_FRAME_IS_DROPPABLE) == 0)
        }
        return nil
    }
}
