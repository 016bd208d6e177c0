import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Testing
import Transport

@testable import MediaEngine

@Suite("Sending without waiting")
struct SendSocketsTests {
    /// A socket whose send buffer is full because the other end is never read. It is connected, so messages need no address.
    private final class FullSocket {
        let near: Int32
        private let far: Int32

        init() throws {
            var pair: (Int32, Int32) = (-1, -1)
            let made = withUnsafeMutableBytes(of: &pair) {
                socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, $0.baseAddress?.assumingMemoryBound(to: Int32.self))
            }
            try #require(made == 0)
            (near, far) = pair
            let bytes = [UInt8](repeating: 0, count: 1_000)
            while Glibc.send(near, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
            try #require(errno == EAGAIN)
        }

        deinit {
            close(near)
            close(far)
        }
    }

    private static func message(_ data: UnsafePointer<UInt8>, _ to: UnsafePointer<millrace_address>, socket: UInt8)
        -> millrace_message
    {
        millrace_message(data: data, to: to, length: 10, segment: 10, local: 0, socket: socket, mark: 7, error: 0)
    }

    /// With a blocking send this test would never end.
    @Test("A full send buffer delays nothing and refuses only messages of its own socket", arguments: [1, 7, 400])
    func fullBuffer(count: Int) throws {
        let full = try FullSocket()
        let sender = try Endpoint()
        let receiver = try Endpoint()
        let destination = try #require(SocketAddress("127.0.0.1", port: receiver.port))
        var addresses = [millrace_address(), millrace_address(destination)]
        var data = (0..<10).map { UInt8($0) }
        var error: Int32 = 0
        var calls: UInt64 = 0
        let c = millrace_sender_new(64)
        defer { millrace_sender_free(c) }
        var outcome: [millrace_message] = []
        let refused = addresses.withUnsafeMutableBufferPointer { addresses in
            data.withUnsafeMutableBufferPointer { data in
                outcome = (0..<(2 * count)).map {
                    Self.message(data.baseAddress!, addresses.baseAddress! + $0 % 2, socket: UInt8($0 % 2))
                }
                return millrace_send_now(c, [full.near, sender.fd], 2, &outcome, Int32(outcome.count), &error, &calls)
            }
        }
        #expect(refused == count && error == EAGAIN)
        for (i, message) in outcome.enumerated() {
            #expect(message.error == (i % 2 == 0 ? UInt16(EAGAIN) : 0) && message.mark == 7)
        }
        for _ in 0..<count { #expect(receiver.receive(within: .seconds(5)) == Array(0..<10)) }
        // A full socket costs a few calls, however many messages are queued for it.
        #expect(calls <= UInt64(MILLRACE_FULL_TRIES) + UInt64(count) / 32 + 2, "\(calls)")
    }

    @Test("A refused message does not stop the following ones from being sent")
    func refusedInBetween() throws {
        let sender = try Endpoint()
        let receiver = try Endpoint()
        let destinations = try [receiver.port, 0, receiver.port, 0, receiver.port].map {
            try #require(SocketAddress("127.0.0.1", port: $0))
        }
        var addresses = destinations.map { millrace_address($0) }
        var data = (0..<10).map { UInt8($0) }
        var error: Int32 = 0
        var calls: UInt64 = 0
        let c = millrace_sender_new(64)
        defer { millrace_sender_free(c) }
        var messages: [millrace_message] = []
        let refused = addresses.withUnsafeMutableBufferPointer { addresses in
            data.withUnsafeMutableBufferPointer { data in
                messages = (0..<5).map { Self.message(data.baseAddress!, addresses.baseAddress! + $0, socket: 0) }
                return millrace_send_now(c, [sender.fd], 1, &messages, 5, &error, &calls)
            }
        }
        #expect(refused == 2)
        #expect(messages.map { $0.error != 0 } == [false, true, false, true, false])
        for _ in 0..<3 { #expect(receiver.receive(within: .seconds(5)) != nil) }
    }

    @Test("A second socket sends from the same port, receives nothing, and keeps the port in use")
    func shared() throws {
        let port = try Endpoint()
        let further = millrace_udp_share(port.fd, 100_000, 0)
        try #require(further >= 0)
        defer { millrace_close(further) }
        let peer = try Endpoint()
        for i in 0..<64 {
            // Without the filter, datagrams from different source ports would be spread over both sockets.
            let stranger = try Endpoint()
            stranger.send([UInt8(i)], to: port.port)
            #expect(port.receive(within: .seconds(5)) == [UInt8(i)])
        }
        let address = try #require(SocketAddress("127.0.0.1", port: peer.port))
        let sent = address.withKernelBytes { raw in
            sendto(further, [UInt8(9)], 1, 0, raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), 16)
        }
        #expect(sent == 1)
        var from = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = peer.receive(within: .zero)
        _ = address.withKernelBytes { raw in
            sendto(further, [UInt8(9)], 1, 0, raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), 16)
        }
        var descriptor = peer.fd
        _ = millrace_wait(&descriptor, 1, 5_000_000_000)
        var byte: UInt8 = 0
        let got = withUnsafeMutableBytes(of: &from) { raw in
            recvfrom(peer.fd, &byte, 1, 0, raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
        }
        #expect(got == 1 && UInt16(bigEndian: from.sin_port) == port.port)
        #expect(throws: EndpointError.self) { try Endpoint(port: port.port) }
    }

    @Test("Peers behind one interface share a socket, and the first interface uses the main socket")
    func interfaces() throws {
        let port = try Endpoint()
        var sockets = SendSockets(port: port.fd, sendBuffer: 100_000)
        for text in ["127.0.0.1", "127.0.0.2", "127.1.2.3"] {
            let address = try #require(SocketAddress(text, port: 9))
            let socket = sockets.socket(for: PeerAddress(address))
            #expect(socket == 0)
            var raw = millrace_address(address)
            #expect(millrace_route_interface(&raw, 0) == Int32(if_nametoindex("lo")))
        }
        let (count, first) = (sockets.count, sockets.descriptors[0])
        #expect(count == 1 && first == port.fd)
        // TCP has a send buffer for each connection.
        let stream = try #require(SocketAddress("192.0.2.1", port: 9))
        let socket = sockets.socket(for: PeerAddress(stream, connection: 3))
        #expect(socket == 0)
    }

    @Test(
        "Each error of the kernel has a drop cause",
        arguments: [
            (EAGAIN, SendDropCause.bufferFull), (ENOBUFS, .bufferFull), (EPERM, .forbidden),
            (ENETUNREACH, .unreachable),
            (EHOSTUNREACH, .unreachable), (ENETDOWN, .unreachable), (ECONNREFUSED, .closed), (EMSGSIZE, .tooLong),
            (EIO, .other), (EINVAL, .other),
        ])
    func causes(error: Int32, cause: SendDropCause) { #expect(SendDropCause(errno: error) == cause) }
}
