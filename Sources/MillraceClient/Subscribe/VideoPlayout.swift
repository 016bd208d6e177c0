import Codecs
import MediaBase
import RTP

/// Assembles the packets of one video track into complete encoded frames, in order. Confined to the media thread; frames are decoded
/// elsewhere.
final class VideoPlayout {
    private var assembler = FrameAssembler(maximumWait: maximumWait)
    /// Frames dropped by the assemblers of earlier codecs.
    private var earlierDroppedFrames: UInt64 = 0
    /// Sequence number of the newest packet.
    private var newest: Int64?
    private var timestamps = TimestampUnwrapper()
    private var captureOffset: MediaTime?
    /// Rotation from the last packet that contained one.
    private var rotation = Rotation.none
    /// Frames received completely.
    private(set) var frames: UInt64 = 0
    private(set) var lostPackets: UInt64 = 0
    private(set) var keyFrames: UInt64 = 0
    private(set) var width = 0
    private(set) var height = 0

    private static let rate: Int64 = 90_000
    /// Time to wait for a missing packet.
    private static let maximumWait = MediaTime.milliseconds(250)

    var droppedFrames: UInt64 { earlierDroppedFrames &+ assembler.droppedFrames }
    var deadline: MediaTime { assembler.nextTimeout ?? .never }
    /// Whether frames are unusable until the next key frame.
    var isWaitingForKeyFrame: Bool { assembler.isWaitingForKeyFrame }

    func insert(
        _ codec: VideoCodec = .vp8, sequence: Int64, timestamp: RTPTimestamp, marker: Bool,
        payload: UnsafeRawBufferPointer, rotation newRotation: Rotation? = nil, captureTime: MediaTime?, now: MediaTime
    ) {
        let isNewest = newest.map { sequence > $0 } ?? true
        if isNewest { newest = sequence }
        if codec != assembler.codec {
            // A late packet of the former codec.
            guard isNewest else { return }
            earlierDroppedFrames &+= assembler.droppedFrames
            assembler = FrameAssembler(codec, maximumWait: Self.maximumWait)
        }
        let unwrapped = timestamps.unwrap(timestamp)
        if let captureTime { captureOffset = captureTime - Self.time(unwrapped) }
        if let newRotation { rotation = newRotation }
        assembler.insert(
            sequence: sequence, timestamp: unwrapped, marker: marker, rotation: rotation, payload: payload, now: now)
    }

    /// Passes complete frames with their capture times to `body`.
    /// - Returns: true if a key frame has to be requested.
    func take(now: MediaTime, _ body: (EncodedFrame) -> Void) -> Bool {
        assembler.handleTimeout(now: now)
        var needsKeyFrame = false
        while let event = assembler.nextEvent() {
            switch event {
            case .frame(let frame):
                frames += 1
                if frame.isKeyFrame {
                    keyFrames += 1
                    if frame.width > 0 {
                        (width, height) = (frame.width, frame.height)
                    } else if frame.codec == .vp8,
                        let size = frame.bytes.withUnsafeBytes({ VP8FrameHeader.keyFrameSize(of: $0) })
                    {
                        (width, height) = size
                    }
                }
                body(
                    EncodedFrame(
                        codec: frame.codec, bytes: frame.bytes, isKeyFrame: frame.isKeyFrame, rotation: frame.rotation,
                        captureTime: Self.time(frame.timestamp) + (captureOffset ?? .zero)))
            case .gap(let gap):
                lostPackets += UInt64(max(0, gap.count))
                needsKeyFrame = needsKeyFrame || gap.needsKeyFrame
            }
        }
        return needsKeyFrame
    }

    private static func time(_ ticks: Int64) -> MediaTime {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: rate)
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / rate)
    }
}
