package import Codecs
package import MediaBase
package import MediaEngine
import RTP

/// Converts the packets of one video track to frames. Sans-IO: call `insert` and `handleTimeout`, then `nextFrame` until it returns nil.
/// Must be used by one thread at a time.
package final class VideoCanvas {
    private var assembler: FrameAssembler
    private var decoder: VideoDecoder
    private let threads: Int
    private let maximumWait: MediaTime
    private let maximumPixels: Int
    /// Counts of the assemblers of earlier codecs.
    private var earlierDroppedFrames: UInt64 = 0
    /// Whether no decoder could be created for the latest codec.
    private var lacksDecoder = false
    /// Codec of the latest key frame if its format cannot be decoded, such as 10 bits a sample.
    package private(set) var unsupportedCodec: VideoCodec?
    /// Number of decoded frames.
    package private(set) var decodedFrames: UInt64 = 0
    /// Complete frames that the decoder rejected, or could not decode without a key frame.
    package private(set) var decodeErrors: UInt64 = 0
    /// Frames larger than `maximumPixels`; also counted as decode errors.
    package private(set) var oversizedFrames: UInt64 = 0
    /// Key frames that the decoder rejected since the last decoded frame.
    private var refusedKeyFrames = 0
    /// Packets that never arrived.
    package private(set) var lostPackets: UInt64 = 0

    /// - Parameters:
    ///   - threads: decoder threads, 1 to 16.
    ///   - maximumWait: time to wait for a missing packet after a later one has arrived.
    ///   - maximumPixels: maximum pixels of a frame; larger ones are dropped before memory is allocated for them.
    package init(
        threads: Int = 1, maximumWait: MediaTime = .milliseconds(200), maximumPixels: Int = 4096 * 4096
    ) throws(CodecError) {
        self.threads = threads
        self.maximumWait = maximumWait
        self.maximumPixels = maximumPixels
        assembler = FrameAssembler(maximumWait: maximumWait)
        decoder = try VideoDecoder(threads: threads, maximumPixels: maximumPixels)
    }

    /// Frames dropped because of packet loss, including later ones that depend on them.
    package var droppedFrames: UInt64 { earlierDroppedFrames &+ assembler.droppedFrames }
    /// Whether no frame can be decoded before a key frame: at the start, after a loss, and after damage.
    package var needsKeyFrame: Bool { assembler.isWaitingForKeyFrame || decoder.needsKeyFrame }

    /// Numbers of rejected key frames and of malformed frames after which a stream without any decoded frame counts as
    /// undecodable. Packets are authenticated, so their content is what the publisher sent; a single rejected key frame
    /// may be an encoder error.
    private static let refusedLimit = 2
    private static let malformedLimit: UInt64 = 8

    /// Whether the frames that arrive now cannot be decoded: they are in a codec or format that the decoder lacks, or no frame was ever
    /// decoded and the stream is encrypted end to end or larger than `maximumPixels`.
    package var isUndecodable: Bool {
        if lacksDecoder || unsupportedCodec != nil { return true }
        // A stream with decoded frames may have some that are damaged or too large, and continue after them.
        guard decodedFrames == 0 else { return false }
        return refusedKeyFrames >= Self.refusedLimit || assembler.malformedFrames >= Self.malformedLimit
    }

    package func insert(_ packet: borrowing TapPacket) {
        if packet.codec != assembler.codec { change(to: packet.codec) }
        guard !lacksDecoder else { return }
        assembler.insert(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, rotation: packet.rotation,
            payload: packet.payload, now: packet.arrival)
    }

    /// Begins a track of another codec, with the assembler and the decoder of that codec.
    private func change(to codec: VideoCodec) {
        earlierDroppedFrames &+= assembler.droppedFrames
        refusedKeyFrames = 0
        unsupportedCodec = nil
        assembler = FrameAssembler(codec, maximumWait: maximumWait)
        do throws(CodecError) {
            decoder = try VideoDecoder(codec, threads: threads, maximumPixels: maximumPixels)
            lacksDecoder = false
        } catch {
            decodeErrors &+= 1
            lacksDecoder = true
        }
    }

    package func handleTimeout(now: MediaTime) { assembler.handleTimeout(now: now) }

    /// Time when `handleTimeout` is due; nil if no packet is missing.
    package var nextTimeout: MediaTime? { assembler.nextTimeout }

    /// Gives up all missing packets at the end of the stream.
    package func flush() { assembler.flush() }

    /// Returns the next frame, rotated upright.
    package func nextFrame(_ clock: CaptureClock) -> I420Frame? {
        while let event = assembler.nextEvent() {
            switch event {
            case .gap(let gap): lostPackets &+= UInt64(clamping: gap.count)
            case .frame(let frame):
                do {
                    let time = clock.captureTime(.video, timestamp: frame.timestamp, arrival: frame.arrival)
                    guard
                        let decoded = try decoder.decode(frame.bytes, rotation: frame.rotation, captureTime: time)
                    else { continue }
                    decodedFrames &+= 1
                    refusedKeyFrames = 0
                    unsupportedCodec = nil
                    return decoded.upright()
                } catch {
                    switch error {
                    case CodecError.frameTooLarge: oversizedFrames &+= 1
                    case CodecError.unsupportedFormat(let codec, _): unsupportedCodec = codec
                    default: break
                    }
                    decodeErrors &+= 1
                    if frame.isKeyFrame { refusedKeyFrames += 1 }
                }
            }
        }
        return nil
    }
}
