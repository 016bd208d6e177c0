import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase
import RTP
import SRTP

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
