import MediaEngine
import SRTP

/// Video of a publisher to plain subscribers in real time, on one worker. A reader of the stream's `live.webm` comes and goes.
struct LiveRun {
    struct Window: Codable {
        var hasReader: Bool
        /// CPU time of the worker's thread for each forwarded packet.
        var nanosecondsPerPacket: Double
        var packets: UInt64
        /// CPU time of the worker's thread as a part of one core.
        var workerShare: Double
        /// Bytes that the reader got.
        var readerBytes: Int
    }

    /// Seconds of load before the first measurement.
    static let warmUp = 2.0
    /// Seconds between two measurements. A reader that is opened gets its first bytes with the next key frame, within 1 s.
    static let pause = 2.0
    /// Minimum part of the published bytes that the reader must get. A frame may be read after the end of the measurement.
    private static let minimumRead = 0.9
    /// Minimum part of the packets that must be forwarded. A relay that loses more has no core for itself, and its times have no meaning.
    private static let minimumForwarded = 0.999
    /// VP8 payload descriptor of each packet, in bytes.
    private static let descriptor = 4

    var shape: Shape
    var suite: SRTPSuite
    var seconds: Double
    var base: Int

    /// Measures by turns, without a reader first and last.
    /// - Parameters:
    ///   - readers: number of measurements with a reader; there is one more without.
    ///   - report: called after each measurement.
    func run(readers: Int, report: (Window) throws -> Void) async throws -> [Window] {
        let engine = try MediaEngine(configuration: TransportsRun.configuration)
        defer { engine.stop() }
        let peer = try Peer(sinks: shape.subscribers, base: base)
        defer { peer.stop() }
        let number = 2 * readers + 1
        let order = try await RelayRun.openPublishers(
            shape, suite: suite, engine: engine, seconds: Self.warmUp + Double(number) * (Self.pause + seconds) + 1)
        try await RelayRun.openSubscribers(shape, suite: suite, engine: engine, base: base)
        try peer.begin(order)
        try await Task.sleep(for: .seconds(Self.warmUp))
        var windows: [Window] = []
        for turn in 0..<number {
            let reader =
                turn.isMultiple(of: 2) ? nil : try await LiveReader(engine, session: "bench", stream: "stream-0")
            defer { reader?.close() }
            try await Task.sleep(for: .seconds(Self.pause))
            let window = try await measure(engine, reader)
            try report(window)
            windows.append(window)
        }
        let sent = try peer.end()
        try await Task.sleep(for: .seconds(0.1))
        let forwarded = await engine.counters().packetsForwarded
        guard Double(forwarded) >= Self.minimumForwarded * Double(sent * shape.subscribers) else {
            throw BenchError("the relay forwarded \(forwarded) of \(sent * shape.subscribers) packets")
        }
        return windows
    }

    private func measure(_ engine: MediaEngine, _ reader: LiveReader?) async throws -> Window {
        guard reader?.bytes != 0 else { throw BenchError("the reader got no bytes within \(Self.pause) s") }
        let bytesBefore = reader?.bytes ?? 0
        let period = try await EnginePeriod(of: engine, seconds: seconds)
        let bytes = (reader?.bytes ?? 0) - bytesBefore
        if let reader {
            let expected = Int(period.count(\.packetsReceived)) * (shape.payload - Self.descriptor)
            guard !reader.isFaulty, Double(bytes) >= Self.minimumRead * Double(expected) else {
                throw BenchError("the reader got \(bytes) bytes of \(expected) bytes of frames")
            }
        }
        return Window(
            hasReader: reader != nil, nanosecondsPerPacket: period.workerNanosecondsPerPacket,
            packets: period.count(\.packetsForwarded), workerShare: period.workerShare, readerBytes: bytes)
    }
}
