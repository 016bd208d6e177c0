import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Transport

/// Sockets that send from one media port: one for each network interface that leads to a peer, so that each interface has its own send
/// buffer. Datagrams that a slow interface has not sent yet stay in the socket's send buffer; with a single socket, the full buffer would
/// drop the media of all other interfaces as well.
///
/// The first socket is the port itself, which receives; the first interface uses it. Other sockets are opened when they are
/// needed: a host with one interface has one socket.
struct SendSockets: ~Copyable {
    /// Maximum number of sockets of one port. Further interfaces share them.
    static let limit = 8

    /// Array of `count` descriptors, for the C sender.
    let descriptors: UnsafeMutablePointer<Int32>
    private(set) var count = 1
    /// Interface of each socket, in the order of the descriptors.
    private var interfaces: [Int32] = []
    private let sendBuffer: Int32
    private let separatesRTCP: Bool

    /// - Parameters:
    ///   - port: descriptor of the bound socket; its owner closes it.
    ///   - sendBuffer: bytes of send buffer requested for each further socket.
    ///   - separatesRTCP: RTCP arrives at another socket of the port.
    init(port: Int32, sendBuffer: Int, separatesRTCP: Bool = false) {
        descriptors = .allocate(capacity: Self.limit)
        descriptors.initialize(repeating: port, count: Self.limit)
        self.sendBuffer = Int32(clamping: sendBuffer)
        self.separatesRTCP = separatesRTCP
    }

    /// Closes all sockets but the port.
    mutating func close() {
        for i in 1..<max(1, count) { millrace_close(descriptors[i]) }
        count = 1
    }

    deinit {
        for i in 1..<max(1, count) { millrace_close(descriptors[i]) }
        descriptors.deallocate()
    }

    /// Sends messages through the sockets that they name, without waiting.
    /// - Returns: the number of refused messages; their `error` is set.
    func send(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, with sender: OpaquePointer, error: inout Int32,
        calls: inout UInt64
    ) -> Int {
        Int(
            millrace_send_now(
                sender, descriptors, Int32(count),
                UnsafeMutableRawPointer(messages.baseAddress!).assumingMemoryBound(to: millrace_message.self),
                Int32(messages.count), &error, &calls))
    }

    /// Returns the index of the socket for a peer, by the interface that leads to it at present; 0 if the interface is unknown. It costs
    /// two system calls: call it when a path begins or a peer moves, not for each packet.
    mutating func socket(for address: PeerAddress) -> UInt8 {
        guard !address.isTCP else { return 0 }
        var to = millrace_address(address.address)
        let interface = millrace_route_interface(&to, address.local)
        guard interface > 0 else { return 0 }
        if let known = interfaces.firstIndex(of: interface) { return UInt8(known) }
        guard !interfaces.isEmpty else {
            interfaces.append(interface)
            return 0
        }
        guard count < Self.limit else { return UInt8(Int(interface) % Self.limit) }
        let descriptor = millrace_udp_share(descriptors[0], sendBuffer, separatesRTCP ? 1 : 0)
        guard descriptor >= 0 else { return 0 }
        descriptors[count] = descriptor
        count += 1
        interfaces.append(interface)
        return UInt8(count - 1)
    }
}
