import Codecs
import Dispatch
import MediaBase
import NIOConcurrencyHelpers
import NIOCore

/// Decodes the frames of one track on its own queue and passes them to the canvas. If decoding does not keep up, all frames up to the
/// next key frame are skipped and counted.
final class FrameDecoder: Sendable {
    /// Maximum number of queued frames.
    static let limit = 30

    struct Statistics: Hashable, Sendable {
        var decoded: UInt64 = 0
        var damaged: UInt64 = 0
        /// Frames skipped because decoding did not keep up.
        var skipped: UInt64 = 0
    }

    private struct State {
        var waiting = CircularBuffer<EncodedFrame>()
        var isRunning = false
        /// Whether frames are skipped until the next key frame.
        var isSkipping = false
        var statistics = Statistics()
    }

    private let queue = DispatchQueue(label: "millrace.decoder", qos: .userInitiated)
    private let state = NIOLockedValueBox(State())
    /// Accessed only on `queue`.
    nonisolated(unsafe) private var decoder: VideoDecoder?
    /// Whether the latest key frame is valid and cannot be decoded here. Accessed only on `queue`.
    nonisolated(unsafe) private var isUndecodable = false
    private let output: @Sendable (I420Frame) -> Void
    private let needsKeyFrame: @Sendable () -> Void
    private let undecodable: @Sendable (CodecError) -> Void

    /// - Parameter undecodable: called once when the track begins to have a size or a format that the decoder lacks.
    init(
        output: @escaping @Sendable (I420Frame) -> Void, needsKeyFrame: @escaping @Sendable () -> Void,
        undecodable: @escaping @Sendable (CodecError) -> Void = { _ in }
    ) {
        self.output = output
        self.needsKeyFrame = needsKeyFrame
        self.undecodable = undecodable
    }

    var statistics: Statistics { state.withLockedValue { $0.statistics } }

    func add(_ frame: EncodedFrame) {
        let (starts, asks) = state.withLockedValue { state -> (Bool, Bool) in
            if frame.isKeyFrame { state.isSkipping = false }
            guard !state.isSkipping else {
                state.statistics.skipped += 1
                return (false, false)
            }
            if state.waiting.count >= Self.limit {
                state.statistics.skipped += UInt64(state.waiting.count)
                state.waiting.removeAll()
                guard frame.isKeyFrame else {
                    state.statistics.skipped += 1
                    state.isSkipping = true
                    return (false, true)
                }
            }
            state.waiting.append(frame)
            defer { state.isRunning = true }
            return (!state.isRunning, false)
        }
        if asks { needsKeyFrame() }
        if starts { queue.async { [self] in run() } }
    }

    private func run() {
        while let frame = next() {
            do throws(CodecError) {
                if let decoded = try openDecoder(frame.codec).decode(
                    frame.bytes, rotation: frame.rotation, captureTime: frame.captureTime)
                {
                    output(FrameRotator.upright(decoded))
                }
                isUndecodable = false
                state.withLockedValue { $0.statistics.decoded += 1 }
            } catch {
                state.withLockedValue { $0.statistics.damaged += 1 }
                refuse(error, isKeyFrame: frame.isKeyFrame)
            }
        }
    }

    private func refuse(_ error: CodecError, isKeyFrame: Bool) {
        switch error {
        case .unsupportedFormat, .frameTooLarge, .codecNotDecodable:
            guard !isUndecodable else { return }
            isUndecodable = true
            undecodable(error)
        case .missingKeyFrame, .corruptData, .invalidArgument, .library:
            // Another key frame of an undecodable track would not help.
            if isKeyFrame || !isUndecodable { needsKeyFrame() }
        }
    }

    private func openDecoder(_ codec: VideoCodec) throws(CodecError) -> VideoDecoder {
        if let decoder, decoder.codec == codec { return decoder }
        isUndecodable = false
        let made = try VideoDecoder(codec)
        decoder = made
        return made
    }

    private func next() -> EncodedFrame? {
        state.withLockedValue { state in
            if state.waiting.isEmpty { state.isRunning = false }
            return state.waiting.popFirst()
        }
    }
}
