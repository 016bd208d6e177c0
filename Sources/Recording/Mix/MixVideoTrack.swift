import Codecs
import MediaBase

/// Decodes the video of one recorded file, and keeps the last frame at the size of its tile.
struct MixVideoTrack {
    private let decoder: VideoDecoder
    private let frames: DecoderFrames
    private let rotation: Rotation
    private var scaler = I420Scaler()
    /// Last frame, upright.
    private(set) var image: I420Frame?
    /// Number of frames that were shown, so that a new one is noticed.
    private(set) var shown = 0
    /// Time of the last frame that was decoded.
    private(set) var lastTime: MediaTime?
    private(set) var errors = 0

    init(_ codec: VideoCodec, codecPrivate: [UInt8], rotation: Rotation) throws(CodecError) {
        // Files are decoded in parallel, so one thread suffices for each.
        decoder = try VideoDecoder(codec, threads: 1)
        frames = DecoderFrames(codec, codecPrivate: codecPrivate)
        self.rotation = rotation
    }

    /// Decodes a frame.
    /// - Parameter area: area of the tile; nil if the participant is not shown. The frame is then decoded, because later ones refer to it.
    mutating func decode(_ packet: EncodedPacket, area: MixRectangle?) {
        let decoder = decoder
        let rotation = rotation
        // Taken out of `self`, which the closure may not access.
        var (image, scaler) = (self.image, self.scaler)
        self.image = nil
        var isShown = false
        do {
            let bytes = try frames.frame(of: packet)
            try bytes.withUnsafeBytes { bytes in
                _ = try decoder.withDecodedPlanes(bytes) { planes in
                    guard let area, planes.width > 0, planes.height > 0 else { return }
                    let fitted =
                        rotation.isSideways
                        ? area.fitting(width: planes.height, height: planes.width)
                        : area.fitting(width: planes.width, height: planes.height)
                    var target =
                        image.flatMap { $0.width == fitted.width && $0.height == fitted.height ? $0 : nil }
                        ?? I420Frame(width: fitted.width, height: fitted.height)
                    image = nil
                    scaler.scale(planes, rotation: rotation, into: &target)
                    image = target
                    isShown = true
                }
            }
        } catch {
            errors += 1
        }
        self.image = image
        self.scaler = scaler
        lastTime = packet.time
        if isShown { shown += 1 }
    }
}
