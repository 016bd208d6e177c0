import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase
import RTP
import SRTP

/// Plain subscribers whose packets libsrtp2 checks. A separate process, like `PeerCommand`. The first line of its input is an order; each
/// further one is answered by a report.
struct VerifierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "verifier", shouldDisplay: false)

    @Option var sinks: Int
    @Option var base: Int

    func run() throws {
        let loop = try VerifierLoop(sinks: sinks, base: base)
        print("ready")
        fflush(nil)
        guard let line = readLine() else { return }
        try loop.run(try JSONDecoder().decode(VerifierOrder.self, from: Data(line.utf8)))
    }
}

final class VerifierLoop {
    private struct Stream {
        var unwrapper = SequenceUnwrapper()
        var first: Int64
        var last: Int64
        var count = 1
    }

    private static let sweepInterval = MediaTime.milliseconds(5)
    private static let slots = 64

    private let sockets: [Int32]
    private let receiver: OpaquePointer
    private var streams: [[SSRC: Stream]]
    private var report = VerifierReport()

    init(sinks: Int, base: Int) throws {
        guard let receiver = millrace_receiver_new(Int32(Self.slots), 2048) else {
            throw BenchError("no memory for the sockets' buffers")
        }
        self.receiver = receiver
        sockets = try (0..<sinks).map { i in
            guard let local = SocketAddress("127.0.0.1", port: UInt16(base + i)) else { throw BenchError("address") }
            var address = millrace_address(local)
            let fd = millrace_udp_open(&address, 4 << 20, 1 << 18, 0)
            guard fd >= 0 else { throw BenchError("port \(base + i): errno \(-fd)") }
            return fd
        }
        streams = sockets.map { _ in [:] }
    }

    deinit {
        for fd in sockets { millrace_close(fd) }
        millrace_receiver_free(receiver)
    }

    func run(_ order: VerifierOrder) throws {
        guard let suite = SRTPSuite(sdesName: order.suite), order.keys.count == sockets.count else {
            throw BenchError("suite or number of keys")
        }
        let contexts = try order.keys.map {
            try SRTPContext(key: try SRTPKey(suite: suite, inline: $0), direction: .inbound)
        }
        let input = [Int32(0)]
        while true {
            let ready = millrace_wait(input, 1, Self.sweepInterval.rawValue)
            sweep(contexts)
            guard ready & 1 != 0 else { continue }
            guard readLine() != nil else { return }
            print(String(decoding: try JSONEncoder().encode(summary), as: UTF8.self))
            fflush(nil)
        }
    }

    private func sweep(_ contexts: [SRTPContext]) {
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Self.slots) { datagrams in
            for index in sockets.indices {
                while true {
                    var truncated: UInt32 = 0
                    let count = Int(millrace_receive(receiver, sockets[index], datagrams.baseAddress, &truncated))
                    for datagram in datagrams[..<max(0, count)] { take(datagram, at: index, contexts[index]) }
                    if count < Self.slots { break }
                }
            }
        }
    }

    private func take(_ datagram: millrace_datagram, at index: Int, _ context: SRTPContext) {
        guard let bytes = datagram.data else { return }
        var length = Int(datagram.length)
        guard DatagramKind(UnsafeRawBufferPointer(start: bytes, count: length)) == .rtp else { return }
        do {
            try context.unprotect(bytes, length: &length)
            let header = try RTPHeader(parsing: UnsafeRawBufferPointer(start: bytes, count: length))
            report.verified += 1
            note(header, at: index)
        } catch {
            report.failures += 1
            report.reasons["\(error)", default: 0] += 1
        }
    }

    private func note(_ header: RTPHeader, at index: Int) {
        guard var stream = streams[index][header.ssrc] else {
            var unwrapper = SequenceUnwrapper()
            let number = unwrapper.unwrap(header.sequenceNumber)
            streams[index][header.ssrc] = Stream(unwrapper: unwrapper, first: number, last: number)
            return
        }
        let number = stream.unwrapper.unwrap(header.sequenceNumber)
        stream.first = min(stream.first, number)
        stream.last = max(stream.last, number)
        stream.count += 1
        streams[index][header.ssrc] = stream
    }

    private var summary: VerifierReport {
        var report = report
        for stream in streams.lazy.flatMap(\.values) {
            report.streams += 1
            report.missing += Int(stream.last - stream.first) + 1 - stream.count
        }
        report.dropped = sockets.reduce(0) { $0 + Int(max(0, millrace_udp_drops($1))) }
        return report
    }
}
