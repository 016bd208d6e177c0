import Codecs
import MediaBase
import RTP

/// Converts the packets of one audio track to samples, with a jitter buffer and a decoder. Confined to the media
/// thread.
final class AudioPlayout {
    private var buffer: JitterBuffer
    private let decoder: OpusDecoder
    private var sequences = SequenceUnwrapper()
    private var timestamps = TimestampUnwrapper()
    /// Number of lost packets that were concealed.
    private(set) var concealed: UInt64 = 0
    private(set) var damaged: UInt64 = 0
    /// Offset from RTP timestamps to capture times, if the sender announces capture times.
    private var captureOffset: MediaTime?

    static let channels = 2

    init(_ configuration: JitterBuffer.Configuration) throws(CodecError) {
        buffer = JitterBuffer(configuration)
        decoder = try OpusDecoder(channels: Self.channels)
    }

    var statistics: JitterBuffer.Statistics { buffer.statistics }
    var targetDelay: MediaTime { buffer.targetDelay }
    var jitter: MediaTime { buffer.jitter }
    var deadline: MediaTime { buffer.deadline }

    /// - Parameter captureTime: capture time of the packet's audio on the sender's clock; nil if the packet does
    ///   not contain it.
    func insert(
        sequence: Int64, timestamp: RTPTimestamp, payload: UnsafeRawBufferPointer, captureTime: MediaTime?,
        now: MediaTime
    ) {
        guard let info = try? OpusPayload(parsing: payload) else {
            damaged += 1
            return
        }
        let unwrapped = timestamps.unwrap(timestamp)
        if let captureTime { captureOffset = captureTime - Self.time(unwrapped) }
        buffer.insert(
            JitterBuffer.Packet(
                sequence: sequence, timestamp: unwrapped, duration: info.sampleCount, isSilence: info.isSilence,
                payload: Array(payload)), now: now)
    }

    /// Passes all due audio to `body`.
    func handleTimeout(now: MediaTime, _ body: (PCMBlock) -> Void) {
        buffer.handleTimeout(now: now)
        while let output = buffer.nextOutput() {
            switch output {
            case .packet(let packet):
                do throws(CodecError) {
                    body(try decoder.decode(packet.payload, captureTime: captureTime(packet.timestamp)))
                } catch {
                    damaged += 1
                    body(conceal(packet.duration, packet.timestamp, following: nil))
                }
            case .lost(let samples, let timestamp, let following):
                concealed += 1
                body(conceal(samples, timestamp, following: following))
            case .silence(let samples, let timestamp), .stretch(let samples, let timestamp):
                body(conceal(samples, timestamp, following: nil))
            }
        }
    }

    private func conceal(_ samples: Int, _ timestamp: Int64, following: JitterBuffer.Packet?) -> PCMBlock {
        let time = captureTime(timestamp)
        if samples % 120 == 0, samples <= OpusDecoder.maximumFrameCount {
            let block =
                if let following {
                    try? decoder.decode(following.payload, fec: true, frameCount: samples, captureTime: time)
                } else {
                    try? decoder.decode(nil, frameCount: samples, captureTime: time)
                }
            if let block { return block }
        }
        return PCMBlock(
            channels: Self.channels, samples: Array(repeating: 0, count: samples * Self.channels), captureTime: time)
    }

    private func captureTime(_ timestamp: Int64) -> MediaTime {
        Self.time(timestamp) + (captureOffset ?? .zero)
    }

    private static func time(_ samples: Int64) -> MediaTime {
        let (seconds, rest) = samples.quotientAndRemainder(dividingBy: JitterBuffer.rate)
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / JitterBuffer.rate)
    }
}
