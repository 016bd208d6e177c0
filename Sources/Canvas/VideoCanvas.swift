package import Codecs
package import MediaBase
package import MediaEngine
import RTP

/// From the packets of one VP8 track to its pictures. Sans-IO: `insert` and `handleTimeout`, then `nextPicture` until
/// nil. Belongs to one thread at a time.
package final class VideoCanvas {
    private var assembler: VP8FrameAssembler
    private let decoder: VP8Decoder
    /// Pictures that were decoded.
    package private(set) var decodedPictures: UInt64 = 0
    /// Whole frames that the decoder refused, or could not use for want of a key frame.
    package private(set) var decodeErrors: UInt64 = 0
    /// Frames larger than `maximumPixels`; counted among the decode errors too.
    package private(set) var oversizedFrames: UInt64 = 0
    /// Key frames that the decoder refused since it decoded a frame.
    private var refusedKeyFrames = 0
    /// Packets that never came.
    package private(set) var lostPackets: UInt64 = 0

    /// - Parameters:
    ///   - threads: of the decoder, 1 to 16.
    ///   - maximumWait: how long a packet is waited for from when one behind it came.
    ///   - maximumPixels: larger frames are dropped before memory is taken for them.
    package init(
        threads: Int = 1, maximumWait: MediaTime = .milliseconds(200), maximumPixels: Int = 4096 * 4096
    ) throws(CodecError) {
        assembler = VP8FrameAssembler(maximumWait: maximumWait)
        decoder = try VP8Decoder(threads: threads, maximumPixels: maximumPixels)
    }

    /// Frames that losses cost, those after a loss included.
    package var droppedFrames: UInt64 { assembler.droppedFrames }
    /// Nothing can be shown until a key frame comes: at the start, after a loss, after damage.
    package var needsKeyFrame: Bool { assembler.isWaitingForKeyFrame || decoder.needsKeyFrame }

    /// Refused key frames, and malformed frames, after which a stream that has given no frame yet is given up. Packets are authenticated,
    /// so their content is what the publisher sent: one refused key frame may be a fault of its encoder, two are none.
    private static let refusedLimit = 2
    private static let malformedLimit: UInt64 = 8

    /// Nothing was decoded and nothing will be: the stream is encrypted end to end, larger than `maximumPixels`, or no VP8.
    package var isUndecodable: Bool {
        decodedPictures == 0
            && (refusedKeyFrames >= Self.refusedLimit || assembler.malformedFrames >= Self.malformedLimit)
    }

    package func insert(_ packet: borrowing TapPacket) {
        assembler.insert(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, rotation: packet.rotation,
            payload: packet.payload, now: packet.arrival)
    }

    package func handleTimeout(now: MediaTime) { assembler.handleTimeout(now: now) }

    /// When `handleTimeout` is due; nil when no packet is waited for.
    package var nextTimeout: MediaTime? { assembler.nextTimeout }

    /// Nothing more will come: gives up what is waited for.
    package func flush() { assembler.flush() }

    /// The next frame, turned upright.
    package func nextPicture(_ clock: CaptureClock) -> I420Frame? {
        while let event = assembler.nextEvent() {
            switch event {
            case .gap(let gap): lostPackets &+= UInt64(clamping: gap.count)
            case .frame(let frame):
                do {
                    let time = clock.captureTime(.video, timestamp: frame.timestamp, arrival: frame.arrival)
                    guard
                        let picture = try decoder.decode(frame.bytes, rotation: frame.rotation, captureTime: time)
                    else { continue }
                    decodedPictures &+= 1
                    refusedKeyFrames = 0
                    return picture.upright()
                } catch {
                    if case CodecError.pictureTooLarge = error { oversizedFrames &+= 1 }
                    decodeErrors &+= 1
                    if frame.isKeyFrame { refusedKeyFrames += 1 }
                }
            }
        }
        return nil
    }
}
