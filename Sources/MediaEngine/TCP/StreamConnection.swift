import CLinuxNet
import Glibc
import MediaBase
import Transport

/// A TCP connection of a ``StreamSockets``: its descriptor, the frame that is being received, and the bytes that wait to be sent.
final class StreamConnection {
    enum Outcome {
        case done
        /// The buffer has no space for the frame.
        case dropped
        /// The connection failed and must be closed.
        case failed
    }

    let number: Int32
    let remote: SocketAddress
    let openedAt: MediaTime
    var lastReceived: MediaTime
    var isProven = false
    var bytesReceived = 0
    private(set) var isOpen = true
    private let descriptor: Int32
    private let poller: Int32
    private var framing: StreamFraming
    /// Frames, or the rest of one, that wait to be sent; bytes before `sent` are already sent.
    private var waiting: [UInt8] = []
    private var sent = 0
    private var isWatchedForRoom = false

    /// Takes ownership of `descriptor` and adds it to `poller`. Returns nil on failure; the caller then keeps the descriptor.
    init?(
        number: Int32, descriptor: Int32, remote: SocketAddress, poller: Int32, datagramBytes: Int, now: MediaTime
    ) {
        guard millrace_poller_add(poller, descriptor, UInt64(UInt32(bitPattern: number))) == 0 else { return nil }
        self.number = number
        self.descriptor = descriptor
        self.remote = remote
        self.poller = poller
        openedAt = now
        lastReceived = now
        framing = StreamFraming(limit: datagramBytes)
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        millrace_close(descriptor)
        waiting = []
    }

    var waitingBytes: Int { waiting.count - sent }

    /// Reads into `buffer` and returns the number of bytes: 0 if none are available, nil if the connection has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = millrace_tcp_receive(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return Int(count) }
        return count == -Int64(EAGAIN) ? 0 : nil
    }

    /// Passes on each datagram that `bytes` complete.
    func unframe(_ bytes: UnsafeRawBufferPointer, _ datagram: (UnsafeRawBufferPointer) -> Void)
        throws(StreamFramingError)
    {
        try framing.receive(bytes, datagram)
    }

    /// Sends one datagram, or queues what the kernel does not accept as long as at most `limit` bytes wait.
    func send(_ datagram: UnsafeRawBufferPointer, limit: Int) -> Outcome {
        var header = StreamFraming.header(length: datagram.count)
        return withUnsafeBytes(of: &header) { header in
            var taken = 0
            if waitingBytes == 0 {
                let count = millrace_tcp_send(
                    descriptor, header.baseAddress, header.count, datagram.baseAddress, datagram.count)
                guard count >= 0 || count == -Int64(EAGAIN) else { return .failed }
                taken = max(0, Int(count))
                if taken == header.count + datagram.count { return .done }
            }
            // The rest of a partly sent frame is queued regardless of the limit, because the peer could not parse the stream without it.
            guard taken > 0 || waitingBytes + header.count + datagram.count <= limit else { return .dropped }
            waiting.append(contentsOf: header.dropFirst(taken))
            waiting.append(contentsOf: datagram.dropFirst(max(0, taken - header.count)))
            return watchForRoom(true) ? .done : .failed
        }
    }

    /// Sends queued bytes. Returns false if the connection failed and must be closed.
    func flush() -> Bool {
        guard waitingBytes > 0 else { return true }
        let count = waiting.withUnsafeBytes {
            millrace_tcp_send(descriptor, $0.baseAddress! + sent, waitingBytes, nil, 0)
        }
        guard count >= 0 || count == -Int64(EAGAIN) else { return false }
        sent += max(0, Int(count))
        if waitingBytes == 0 {
            // The memory is released: most connections never queue bytes again.
            waiting = []
            sent = 0
            return watchForRoom(false)
        }
        if sent > waiting.count / 2 {
            waiting.removeFirst(sent)
            sent = 0
        }
        return true
    }

    private func watchForRoom(_ wanted: Bool) -> Bool {
        guard wanted != isWatchedForRoom else { return true }
        isWatchedForRoom = wanted
        return millrace_poller_watch(poller, descriptor, UInt64(UInt32(bitPattern: number)), wanted ? 1 : 0) == 0
    }
}
