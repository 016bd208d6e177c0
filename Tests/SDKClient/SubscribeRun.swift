import MediaBase
import MillraceClient
import Signaling
import TestMedia

/// Receives the first stream of the session, and reports its frames and its audio, until the process ends.
struct SubscribeRun {
    private let options: SDKClient

    init(_ options: SDKClient) { self.options = options }

    func run() async throws {
        let session = try await options.join("SDK subscriber")
        let events = session.events
        let stream = try await firstStream(of: session, events)
        let subscriber = try await session.subscribe(to: stream.id)
        let (frames, audio) = (subscriber.canvas.frames(limit: 100), subscriber.canvas.audio(limit: 500))
        Report.write(["state": "subscribed", "codec": stream.codec ?? ""])
        await withTaskGroup { group in
            group.addTask { await Self.report(frames) }
            group.addTask { await Self.report(audio) }
            group.addTask {
                for await event in subscriber.events { Report.write(["event": "\(event)"]) }
            }
        }
    }

    private func firstStream(of session: Session, _ events: Feed<SessionEvent>) async throws -> StreamInfo {
        if let stream = session.streams.values.first { return stream }
        for await event in events {
            if case .streamCreated(let stream) = event { return stream }
        }
        throw SessionError(.unknownStream)
    }

    /// Reports each frame as [wall clock ms, number, latency ms, source, width, height], with number -1 if its bar cannot be read.
    private static func report(_ frames: Feed<I420Frame>) async {
        for await frame in frames {
            let now = Report.clock
            let bar = WallBar(frame)
            let latency = UInt16(truncatingIfNeeded: now) &- (bar?.milliseconds ?? 0)
            Report.write([
                "frame": [
                    now, Int64(bar.map { Int($0.number) } ?? -1), Int64(latency), Int64(bar?.source ?? 0),
                    Int64(frame.width), Int64(frame.height),
                ]
            ])
        }
    }

    /// Reports the share of the tones in the power of each channel, about every second.
    private static func report(_ audio: Feed<PCMBlock>) async {
        var samples: [Int16] = []
        for await block in audio {
            samples += block.samples
            guard samples.count >= 2 * PCMBlock.sampleRate else { continue }
            let whole = PCMBlock(channels: 2, samples: samples)
            let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
            Report.write([
                "left": ToneDetector.share(of: 440, in: whole, channel: 0),
                "right": ToneDetector.share(of: 660, in: whole, channel: 1), "level": power.squareRoot() / 32_767,
            ])
            samples = []
        }
    }
}
