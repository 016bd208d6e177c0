import ArgumentParser
import CLinuxNet
import DTLS
import Foundation
import MediaBase
import MediaEngine
import SRTP

/// Subscribers with one socket each, plain or WebRTC. Sockets are polled at intervals, and no thread blocks on them, so that an arriving
/// packet causes no wake-up, which the relay's process would pay for on loopback. A separate process, like `PeerCommand`.
struct SinksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "sinks", shouldDisplay: false)

    @Option var sinks: Int
    @Option var base: Int

    func run() throws {
        let loop = try SinkLoop(sinks: sinks, base: base)
        try loop.run()
    }
}

final class SinkLoop {
    private static let sweepInterval = MediaTime.milliseconds(20)
    /// Polling interval while connections are established.
    private static let hurry = MediaTime.milliseconds(1)
    /// Number of connections that are established at the same time.
    private static let atATime = 32
    private static let patience = MediaTime.seconds(30)
    private static let slots = 64

    let identity: DTLSIdentity
    private let sockets: [Int32]
    private let receiver: OpaquePointer
    private let sender: OpaquePointer
    private var clients: [SinkClient?]
    private var report = SinkReport()

    init(sinks: Int, base: Int, host: String = "127.0.0.1") throws {
        identity = try DTLSIdentity.generate()
        guard let receiver = millrace_receiver_new(Int32(Self.slots), 2048), let sender = millrace_sender_new(4) else {
            throw BenchError("no memory for the sockets' buffers")
        }
        self.receiver = receiver
        self.sender = sender
        sockets = try (0..<sinks).map { i in
            guard let local = SocketAddress(host, port: UInt16(base + i)) else { throw BenchError("address \(host)") }
            var address = millrace_address(local)
            let fd = millrace_udp_open(&address, 1 << 20, 1 << 18, 0)
            guard fd >= 0 else { throw BenchError("port \(base + i): errno \(-fd)") }
            return fd
        }
        clients = sockets.map { _ in nil }
        report.fingerprint = identity.fingerprint.description
    }

    deinit {
        for fd in sockets { millrace_close(fd) }
        millrace_receiver_free(receiver)
        millrace_sender_free(sender)
    }

    /// Answers each line of input with a report until the input ends.
    func run() throws {
        try answer()
        let input = [Int32(0)]
        while true {
            let ready = millrace_wait(input, 1, Self.sweepInterval.rawValue)
            sweep()
            guard ready & 1 != 0 else { continue }
            guard let line = readLine() else { return }
            let order = try JSONDecoder().decode(SinkOrder.self, from: Data(line.utf8))
            if !order.clients.isEmpty { try connect(order.clients) }
            try answer()
        }
    }

    /// Whether every subscriber is connected.
    var isConnected: Bool { clients.allSatisfy { $0?.isDone == true && $0?.isEnded == false } }

    private func answer() throws {
        report.connected = clients.count { $0?.isDone == true }
        report.ended = clients.count { $0?.isEnded == true }
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        fflush(nil)
    }

    func connect(_ orders: [SinkClientOrder]) throws {
        let end = now + Self.patience
        var begun = 0
        while now < end {
            let open = orders[..<begun].count { clients[$0.index].map { !$0.isDone && !$0.isEnded } ?? false }
            if begun == orders.count, open == 0 { return }
            for order in orders[begun..<min(orders.count, begun + max(0, Self.atATime - open))] {
                try begin(order)
                begun += 1
            }
            sweep()
            _ = millrace_wait([-1], 1, Self.hurry.rawValue)
        }
    }

    private func begin(_ order: SinkClientOrder) throws {
        let fd = sockets[order.index]
        clients[order.index] = try SinkClient(order, identity: identity, opens: order.index == 0, now: now) {
            [sender] bytes, to in
            var address = millrace_address(to)
            withUnsafePointer(to: &address) { address in
                var message = millrace_message(
                    data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), to: address,
                    length: UInt32(bytes.count), segment: 0, local: 0,
                    socket: 0, mark: 0, error: 0)
                var error: Int32 = 0
                var calls: UInt64 = 0
                _ = millrace_send(sender, fd, &message, 1, &error, &calls)
            }
        }
    }

    private var now: MediaTime { MediaTime(rawValue: millrace_monotonic_ns()) }

    private func sweep() {
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Self.slots) { datagrams in
            for index in sockets.indices {
                while true {
                    var truncated: UInt32 = 0
                    let count = Int(millrace_receive(receiver, sockets[index], datagrams.baseAddress, &truncated))
                    for datagram in datagrams[..<max(0, count)] { take(datagram, at: index) }
                    if count < Self.slots { break }
                }
                clients[index]?.handleTimeout(now: now, &report)
            }
        }
    }

    private func take(_ datagram: millrace_datagram, at index: Int) {
        guard let bytes = datagram.data else { return }
        guard let client = clients[index] else {
            report.packets += 1
            report.bytes += Int(datagram.length)
            return
        }
        guard let from = SocketAddress(datagram.from) else { return }
        client.receive(bytes, length: Int(datagram.length), from: from, now: now, &report)
    }
}
