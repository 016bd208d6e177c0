import CLinuxNet
import Glibc
import MediaBase

/// A UDP socket on loopback that the test's own thread reads.
final class Endpoint: @unchecked Sendable {
    let fd: Int32
    let port: UInt16

    init(port: UInt16 = 0) throws {
        let address = SocketAddress("127.0.0.1", port: port)!
        var raw = millrace_address()
        raw.length = address.length
        address.withKernelBytes { bytes in withUnsafeMutableBytes(of: &raw.bytes) { $0.copyMemory(from: bytes) } }
        fd = millrace_udp_open(&raw, 8 << 20, 8 << 20, 0)
        guard fd >= 0 else { throw EndpointError(errno: -fd) }
        millrace_udp_local(fd, &raw)
        self.port = withUnsafeBytes(of: raw.bytes) { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    deinit { millrace_close(fd) }

    /// RTP on an even port and RTCP on the one after it.
    static func pair() throws -> (rtp: Endpoint, rtcp: Endpoint) {
        for _ in 0..<200 {
            let rtp = try Endpoint()
            if rtp.port % 2 == 0, let rtcp = try? Endpoint(port: rtp.port + 1) { return (rtp, rtcp) }
        }
        throw EndpointError(errno: EADDRINUSE)
    }

    func send(_ bytes: [UInt8], to port: UInt16) {
        let sent = SocketAddress("127.0.0.1", port: port)!.withKernelBytes { address in
            bytes.withUnsafeBytes {
                sendto(fd, $0.baseAddress, $0.count, 0, address.baseAddress!.assumingMemoryBound(to: sockaddr.self), 16)
            }
        }
        precondition(sent == bytes.count || bytes.isEmpty)
    }

    /// Sends many datagrams of `segment` bytes in one call, as a sender with segmentation offload does.
    func sendSegmented(_ bytes: [UInt8], segment: Int, to port: UInt16) -> (refused: Int32, errno: Int32) {
        let sender = millrace_sender_new(1)
        defer { millrace_sender_free(sender) }
        let address = SocketAddress("127.0.0.1", port: port)!
        var to = millrace_address()
        to.length = address.length
        address.withKernelBytes { bytes in withUnsafeMutableBytes(of: &to.bytes) { $0.copyMemory(from: bytes) } }
        var error: Int32 = 0
        var calls: UInt64 = 0
        let refused = bytes.withUnsafeBufferPointer { data in
            withUnsafePointer(to: &to) { to in
                var message = millrace_message(
                    data: data.baseAddress, to: to, length: UInt32(bytes.count), segment: UInt32(segment), local: 0,
                    socket: 0, mark: 0, error: 0)
                return millrace_send(sender, fd, &message, 1, &error, &calls)
            }
        }
        return (refused, error)
    }

    /// Returns the next datagram, or nil if none arrives within `timeout`.
    func receive(within timeout: MediaTime) -> [UInt8]? {
        let deadline = millrace_monotonic_ns() + timeout.rawValue
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return Array(buffer[0..<count]) }
            let left = deadline - millrace_monotonic_ns()
            guard left > 0 else { return nil }
            var descriptor = fd
            _ = millrace_wait(&descriptor, 1, left)
        }
    }
}

struct EndpointError: Error {
    let errno: Int32
}

func monotonicNow() -> MediaTime { MediaTime(rawValue: millrace_monotonic_ns()) }

/// Waits until one of the sockets can be read.
func wait(on endpoints: [Endpoint], at most: MediaTime) {
    var descriptors = endpoints.map(\.fd)
    _ = millrace_wait(&descriptors, Int32(descriptors.count), most.rawValue)
}
