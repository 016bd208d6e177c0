import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase
import RTP
import SRTP

/// Order to a `StampedSinkCommand`.
struct StampedSinkOrder: Codable {
    var suite: String
    var key: String
    /// Packets of the first seconds do not count in the delays.
    var warmUp: Double
}

/// Packets of one subscriber.
struct StampedSinkReport: Codable {
    var packets = 0
    /// Sequence numbers between the first and the last one of each stream of which no packet arrived.
    var missing = 0
    var unauthentic = 0
    /// Time from the publisher to the subscriber's program, in microseconds.
    var delayP50 = 0.0
    var delayP99 = 0.0
}

/// Plain subscriber that decrypts packets and measures their delay from the publisher, by the time in their payloads. A separate process, so
/// that its CPU time is not counted as the relay's. The first line of its input is an order; the next one ends it, and is answered by a report.
struct StampedSinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stamped-sink", shouldDisplay: false)

    @Option var sinks: Int
    @Option var base: Int

    private static let slots = 64

    func run() throws {
        var address = millrace_address(SocketAddress("127.0.0.1", port: UInt16(base))!)
        let fd = millrace_udp_open(&address, 8 << 20, 1 << 18, 0)
        guard fd >= 0, let receiver = millrace_receiver_new(Int32(Self.slots), 2048) else {
            throw BenchError("port \(base): errno \(-fd)")
        }
        defer {
            millrace_close(fd)
            millrace_receiver_free(receiver)
        }
        print("ready")
        fflush(nil)
        guard let line = readLine() else { return }
        let order = try JSONDecoder().decode(StampedSinkOrder.self, from: Data(line.utf8))
        guard let suite = SRTPSuite(sdesName: order.suite) else { throw BenchError(order.suite) }
        var sink = StampedSink(key: try SRTPKey(suite: suite, inline: order.key), warmUp: order.warmUp)
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Self.slots) { datagrams in
            while true {
                let ready = millrace_wait([fd, 0], 2, -1)
                var truncated: UInt32 = 0
                let count = Int(millrace_receive(receiver, fd, datagrams.baseAddress, &truncated))
                let now = millrace_monotonic_ns()
                for datagram in datagrams[..<max(0, count)] { sink.take(datagram, now: now) }
                if ready & 2 != 0, count <= 0 { return }
            }
        }
        print(String(decoding: try JSONEncoder().encode(sink.report), as: UTF8.self))
        fflush(nil)
    }
}

private struct StampedSink {
    private var sequences: [SSRC: (unwrapper: SequenceUnwrapper, seen: Set<Int64>)] = [:]
    private var delays: [Int64] = []
    private var unauthentic = 0
    private let context: IngressContext
    private let warmUp: Int64
    private var startedAt: Int64?

    init(key: SRTPKey, warmUp: Double) {
        context = IngressContext(key: key, maximumStreams: 256)
        self.warmUp = Int64(warmUp * 1e9)
    }

    mutating func take(_ datagram: millrace_datagram, now: Int64) {
        guard let bytes = datagram.data else { return }
        var length = Int(datagram.length)
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        guard DatagramKind(view) == .rtp else { return }
        guard (try? context.unprotect(bytes, length: &length)) != nil,
            let header = try? RTPHeader(parsing: UnsafeRawBufferPointer(start: bytes, count: length)), length > 20
        else {
            unauthentic += 1
            return
        }
        var known = sequences[header.ssrc] ?? (SequenceUnwrapper(), [])
        known.seen.insert(known.unwrapper.unwrap(header.sequenceNumber))
        sequences[header.ssrc] = known
        startedAt = startedAt ?? now
        guard now - (startedAt ?? now) >= warmUp else { return }
        delays.append(now - UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: length - 8, as: Int64.self))
    }

    var report: StampedSinkReport {
        var report = StampedSinkReport(unauthentic: unauthentic)
        for (_, seen) in sequences.values {
            report.packets += seen.count
            report.missing += Int((seen.max() ?? 0) - (seen.min() ?? 0)) + 1 - seen.count
        }
        let sorted = delays.sorted()
        guard !sorted.isEmpty else { return report }
        report.delayP50 = Double(sorted[sorted.count / 2]) / 1000
        report.delayP99 = Double(sorted[min(sorted.count - 1, sorted.count * 99 / 100)]) / 1000
        return report
    }
}
