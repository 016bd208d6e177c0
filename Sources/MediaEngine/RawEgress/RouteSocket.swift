import CLinuxNet
import Forwarding
import Glibc
import MediaBase

/// Conversation of `EthernetRoutes` with the kernel, without waiting. A thread of its own passes on the requests, since the kernel makes them wait
/// while another process changes the network configuration; it ends with this object.
struct RouteSocket: ~Copyable {
    /// Requests for each call of `follow`.
    private static let requestsAtOnce = 32
    /// Reads of answers, and of notifications, for each call of `follow`, which bounds its time. Others stay in the sockets.
    private static let readsAtOnce = 64
    private static let bufferBytes = 32 << 10

    /// End of the pair whose other end the thread has.
    private let requests: Int32
    private let notifications: Int32
    private let buffer: UnsafeMutableRawBufferPointer

    /// Nil if the kernel does not permit it.
    init?() {
        var ends: (Int32, Int32) = (-1, -1)
        let hasPair = withUnsafeMutableBytes(of: &ends) {
            millrace_routes_pair($0.baseAddress?.assumingMemoryBound(to: Int32.self)) == 0
        }
        requests = hasPair ? ends.0 : -1
        notifications = millrace_routes_open(1)
        buffer = .allocate(byteCount: Self.bufferBytes, alignment: 8)
        guard hasPair else { return nil }
        let (end, kernel) = (ends.1, millrace_routes_open(0))
        let started =
            notifications >= 0 && kernel >= 0
            && DetachedThread.run("media routes", { millrace_routes_serve(end, kernel) }) == 0
        guard started else {
            millrace_close(end)
            millrace_close(kernel)
            return nil
        }
    }

    deinit {
        millrace_close(requests)
        millrace_close(notifications)
        buffer.deallocate()
    }

    /// Reads answers and notifications, and asks the next questions.
    func follow(_ routes: inout EthernetRoutes, now: MediaTime) {
        // Answers first: the notification of a change that is newer than an answer is read after it.
        for _ in 0..<Self.readsAtOnce {
            let length = millrace_routes_answer(requests, buffer.baseAddress, buffer.count)
            guard length > 0 else { break }
            routes.receive(answers: received(length), now: now)
        }
        for _ in 0..<Self.readsAtOnce {
            let length = millrace_routes_receive(notifications, buffer.baseAddress, buffer.count)
            if length == 0 { break }
            if length > 0 {
                routes.receive(notifications: received(length))
            } else {
                // ENOBUFS: the socket was full.
                routes.receiveLoss()
                if length != -ENOBUFS { break }
            }
        }
        for _ in 0..<Self.requestsAtOnce {
            let length = routes.writeRequest(to: buffer)
            guard length > 0, millrace_routes_ask(requests, buffer.baseAddress, length) == 0 else { break }
        }
    }

    private func received(_ length: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[..<Int(length)])
    }
}
