import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase

/// Path between two relays that loses a share of the packets in both directions. It waits at a port for packets of the first relay, passes
/// them on to the second one, and passes the answers back. Its input is the port of the second relay.
struct LossyPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lossy-path", shouldDisplay: false)

    @Option var sinks: Int
    @Option var base: Int

    private static let slots = 64

    func run() throws {
        var address = millrace_address(SocketAddress("127.0.0.1", port: UInt16(base))!)
        let fd = millrace_udp_open(&address, 8 << 20, 8 << 20, 0)
        guard fd >= 0, let receiver = millrace_receiver_new(Int32(Self.slots), 2048),
            let sender = millrace_sender_new(1)
        else { throw BenchError("port \(base): errno \(-fd)") }
        print("ready")
        fflush(nil)
        guard let line = readLine() else { return }
        let words = line.split(whereSeparator: { !$0.isNumber && $0 != "." })
        guard words.count == 2, let port = UInt16(words[0]), let loss = Double(words[1]) else { throw BenchError(line) }
        let second = millrace_address(SocketAddress("127.0.0.1", port: port)!)
        var first = second
        var random = SystemRandomNumberGenerator()
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Self.slots) { datagrams in
            while true {
                let ready = millrace_wait([fd, 0], 2, -1)
                var truncated: UInt32 = 0
                let count = Int(millrace_receive(receiver, fd, datagrams.baseAddress, &truncated))
                for datagram in datagrams[..<max(0, count)] {
                    let isAnswer = SocketAddress(datagram.from)?.port == port
                    if !isAnswer { first = datagram.from }
                    guard Double.random(in: 0..<1, using: &random) >= loss else { continue }
                    withUnsafePointer(to: isAnswer ? first : second) { to in
                        var message = millrace_message(
                            data: datagram.data, to: to,
                            length: UInt32(datagram.length), segment: 0, local: 0, socket: 0, mark: 0, error: 0)
                        var error: Int32 = 0
                        var calls: UInt64 = 0
                        _ = millrace_send(sender, fd, &message, 1, &error, &calls)
                    }
                }
                if ready & 2 != 0, count <= 0 { return }
            }
        }
    }
}
