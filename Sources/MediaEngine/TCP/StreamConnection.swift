import CLinuxNet
import Glibc
import MediaBase
import Transport

/// One TCP connection of a ``StreamSockets``: its descriptor, the frame that is arriving and the bytes that wait to go out.
final class StreamConnection {
    enum Outcome {
        case done
        /// The frame found no room.
        case dropped
        /// The connection is of no use any more.
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
    /// Frames, or the rest of one, from `sent` on.
    private var waiting: [UInt8] = []
    private var sent = 0
    private var isWatchedForRoom = false

    /// Takes `descriptor` over and has `poller` wait for it; nil where that fails, and the descriptor is the caller's still.
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

    /// Bytes read into `buffer`: 0 where there are none now, nil where the stream has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = millrace_tcp_receive(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return Int(count) }
        return count == -Int64(EAGAIN) ? 0 : nil
    }

    /// Hands over the datagrams that `bytes` complete.
    func unframe(_ bytes: UnsafeRawBufferPointer, _ datagram: (UnsafeRawBufferPointer) -> Void)
        throws(StreamFramingError)
    {
        try framing.receive(bytes, datagram)
    }

    /// Sends one datagram, or keeps what the kernel does not take while no more than `limit` bytes wait.
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
            // The rest of a frame that has begun has to go out whatever the limit: the stream would be broken without it.
            guard taken > 0 || waitingBytes + header.count + datagram.count <= limit else { return .dropped }
            waiting.append(contentsOf: header.dropFirst(taken))
            waiting.append(contentsOf: datagram.dropFirst(max(0, taken - header.count)))
            return watchForRoom(true) ? .done : .failed
        }
    }

    /// Sends what waits; false where the connection is of no use any more.
    func flush() -> Bool {
        guard waitingBytes > 0 else { return true }
        let count = waiting.withUnsafeBytes {
            millrace_tcp_send(descriptor, $0.baseAddress! + sent, waitingBytes, nil, 0)
        }
        guard count >= 0 || count == -Int64(EAGAIN) else { return false }
        sent += max(0, Int(count))
        if waitingBytes == 0 {
            // The memory goes too: most connections never need it again.
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
