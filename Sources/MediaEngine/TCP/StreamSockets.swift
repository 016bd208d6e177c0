import CLinuxNet
import DequeModule
import Glibc
package import MediaBase
import Transport

/// The TCP side of a worker's media port: connections over which ICE peers send framed datagrams (RFC 6544, RFC 4571). It belongs to one
/// thread, never waits and has no thread of its own.
///
/// ```swift
/// let sockets = try StreamSockets(address: "0.0.0.0", port: 7882, limits: StreamLimits())
/// // when `sockets.descriptor` can be read:
/// sockets.process(now) { connection, remote, datagram in … }
/// ```
///
/// Any host can connect. A connection is therefore on probation until ``admit(_:)``: its time and
/// bytes are limited, and newer connections may replace it.
package final class StreamSockets {
    /// Address and port of the listener; with port 0, the port that the kernel picked.
    package let local: SocketAddress
    /// Descriptor to poll: readable whenever `process` has something to do.
    package let descriptor: Int32
    package private(set) var counters = StreamCounters()
    package let limits: StreamLimits

    private let listener: Int32
    private var isListening = true
    private var isOpen = true
    private var connections: [Int32: StreamConnection] = [:]
    /// Numbers of connections in the order of arrival. Numbers of proven and ended connections are removed later.
    private var probation: Deque<Int32> = []
    private var unproven: [SocketAddress: Int] = [:]
    /// Proven connections that ended without a call of `close`, until the owner takes them.
    private var ended: [(connection: Int32, remote: SocketAddress)] = []
    private var nextNumber: Int32 = 0
    private var nextHousekeeping = MediaTime.zero
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: StreamSockets.readBytes, alignment: 16)
    private let datagramBuffer: UnsafeMutableRawBufferPointer
    private let tags = UnsafeMutablePointer<UInt64>.allocate(capacity: StreamSockets.eventsAPass)

    private static let listenerTag = UInt64.max
    private static let readBytes = 65_536
    private static let eventsAPass = 64
    private static let acceptsAPass = 64
    private static let backlog: Int32 = 256
    private static let housekeepingInterval = MediaTime.milliseconds(500)

    /// - Parameters:
    ///   - address: numeric IPv4 or IPv6 address to listen on.
    ///   - port: 0: any free port.
    package init(address: String, port: UInt16, limits: StreamLimits) throws(EngineError) {
        guard let wanted = SocketAddress(address, port: port) else {
            throw .addressUnusable(address: address, reason: "not a numeric IPv4 or IPv6 address")
        }
        var raw = millrace_address(wanted)
        let listener = millrace_tcp_listen(&raw, Self.backlog)
        guard listener >= 0 else {
            if -listener == EADDRINUSE || -listener == EACCES {
                throw .addressUnusable(
                    address: wanted.description, reason: -listener == EACCES ? "not permitted" : "the port is in use")
            }
            throw .systemCall(name: "listen on \(wanted)", errno: -listener)
        }
        millrace_udp_local(listener, &raw)
        let poller = millrace_poller_open()
        guard poller >= 0, millrace_poller_add(poller, listener, Self.listenerTag) == 0,
            let local = SocketAddress(raw)
        else {
            millrace_close(listener)
            millrace_close(poller)
            throw .systemCall(name: "epoll", errno: poller < 0 ? -poller : ENOMEM)
        }
        self.local = local
        self.listener = listener
        self.limits = limits
        descriptor = poller
        datagramBuffer = .allocate(byteCount: limits.datagramBytes, alignment: 16)
    }

    /// Closes all connections and the listener. No other function may be called afterwards.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        connections = [:]
        millrace_close(listener)
        millrace_close(descriptor)
    }

    deinit {
        close()
        buffer.deallocate()
        datagramBuffer.deallocate()
        tags.deallocate()
    }

    package var connectionCount: Int { connections.count }

    /// Runs everything that needs no waiting: accepts connections, sends queued bytes, and passes each received datagram to `body`.
    /// `body` may change the bytes until it returns, and may call any other function of this object.
    package func process(
        _ now: MediaTime,
        _ body: (_ connection: Int32, _ from: SocketAddress, _ datagram: UnsafeMutableRawBufferPointer) -> Void
    ) {
        let count = millrace_poller_wait(descriptor, tags, Int32(Self.eventsAPass), 0)
        for index in 0..<max(0, Int(count)) {
            let tag = tags[index]
            guard tag != Self.listenerTag else {
                accept(now)
                continue
            }
            guard let connection = connections[Int32(bitPattern: UInt32(truncatingIfNeeded: tag))] else { continue }
            guard connection.flush() else {
                end(connection, \.lost)
                continue
            }
            receive(connection, now, body)
        }
        housekeeping(now)
    }

    /// Outcome of sending one datagram.
    package enum SendOutcome: Sendable {
        /// The datagram was sent or queued.
        case sent
        /// The connection's buffer is full because the peer reads too slowly.
        case full
        /// The datagram is empty or longer than `StreamLimits.datagramBytes`.
        case tooLong
        /// The connection has ended.
        case closed
    }

    /// Sends one datagram over a connection, without waiting.
    @discardableResult
    package func send(_ number: Int32, _ datagram: UnsafeRawBufferPointer) -> SendOutcome {
        guard let connection = connections[number] else { return .closed }
        guard !datagram.isEmpty, datagram.count <= limits.datagramBytes else {
            counters.framesDropped += 1
            return .tooLong
        }
        switch connection.send(datagram, limit: limits.sendBytes) {
        case .done:
            counters.framesSent += 1
            counters.bytesSent += UInt64(StreamFraming.headerLength + datagram.count)
            return .sent
        case .dropped:
            counters.framesDropped += 1
            return .full
        case .failed:
            end(connection, \.lost)
            return .closed
        }
    }

    /// Ends a connection's probation, once its peer has authenticated itself.
    package func admit(_ number: Int32) {
        guard let connection = connections[number], !connection.isProven else { return }
        leaveProbation(connection)
        connection.isProven = true
    }

    package func close(_ number: Int32) {
        guard let connection = connections[number] else { return }
        _ = connection.flush()
        end(connection, nil)
    }

    /// Whether `takeEnded` returns connections.
    package var hasEnded: Bool { !ended.isEmpty }

    /// Returns the proven connections that ended since the last call, except those that `close` ended.
    package func takeEnded() -> [(connection: Int32, remote: SocketAddress)] {
        defer { ended = [] }
        return ended
    }

    /// Closes connections that were silent or on probation for too long. `process` calls it; a
    /// worker that does not call `process` must call it.
    package func housekeeping(_ now: MediaTime) {
        guard now >= nextHousekeeping else { return }
        nextHousekeeping = now + Self.housekeepingInterval
        while let oldest = oldestOnProbation, now - oldest.openedAt >= limits.proofTimeout { end(oldest, \.unproven) }
        for connection in connections.values where now - connection.lastReceived >= limits.idleTimeout {
            end(connection, \.idle)
        }
        if !isListening { isListening = millrace_poller_add(descriptor, listener, Self.listenerTag) == 0 }
    }

    /// Time at which `housekeeping` is due next; nil while there are no connections and accepting is not paused.
    package var deadline: MediaTime? { connections.isEmpty && isListening ? nil : nextHousekeeping }

    private func accept(_ now: MediaTime) {
        for _ in 0..<Self.acceptsAPass {
            var raw = millrace_address()
            let socket = millrace_tcp_accept(
                listener, Int32(clamping: limits.kernelSendBytes),
                Int32(clamping: limits.idleTimeout.rawValue / 1_000_000),
                &raw)
            guard socket >= 0 else {
                switch -socket {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: pauseAccepting(now)
                case ECONNABORTED, EPROTO:
                    continue
                default: break
                }
                return
            }
            guard Int(socket) < limits.descriptorCeiling else {
                millrace_close(socket)
                pauseAccepting(now)
                return
            }
            guard let remote = SocketAddress(raw), unproven[remote.network, default: 0] < limits.unprovenPerAddress,
                makeRoom(),
                let connection = StreamConnection(
                    number: freeNumber(), descriptor: socket, remote: remote, poller: descriptor,
                    datagramBytes: limits.datagramBytes, now: now)
            else {
                counters.refused += 1
                millrace_close(socket)
                continue
            }
            counters.accepted += 1
            connections[connection.number] = connection
            probation.append(connection.number)
            unproven[remote.network, default: 0] += 1
        }
    }

    /// Pauses accepting until the next housekeeping. Waiting connections in the kernel's queue would
    /// otherwise wake the worker continuously.
    private func pauseAccepting(_ now: MediaTime) {
        counters.acceptFailures += 1
        guard millrace_poller_remove(descriptor, listener) == 0 else { return }
        isListening = false
        nextHousekeeping = max(nextHousekeeping, now + Self.housekeepingInterval)
    }

    private func receive(
        _ connection: StreamConnection, _ now: MediaTime,
        _ body: (Int32, SocketAddress, UnsafeMutableRawBufferPointer) -> Void
    ) {
        // Each pass reads a connection once, so that a peer that floods gets no more of the worker's time than the others.
        guard let count = connection.read(into: buffer) else { return end(connection, \.lost) }
        guard count > 0 else { return }
        connection.lastReceived = now
        connection.bytesReceived += count
        counters.bytesReceived += UInt64(count)
        do throws(StreamFramingError) {
            try connection.unframe(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { datagram in
                guard connection.isOpen else { return }
                counters.framesReceived += 1
                datagramBuffer.copyMemory(from: datagram)
                body(connection.number, connection.remote, .init(rebasing: datagramBuffer[..<datagram.count]))
            }
        } catch {
            return end(connection, \.broken)
        }
        if !connection.isProven, connection.bytesReceived > limits.unprovenBytes { end(connection, \.unproven) }
    }

    private func end(_ connection: StreamConnection, _ counter: WritableKeyPath<StreamCounters, UInt64>?) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        if let counter {
            counters[keyPath: counter] += 1
            if connection.isProven { ended.append((connection.number, connection.remote)) }
        }
        if !connection.isProven { leaveProbation(connection) }
        connection.close()
    }

    private func leaveProbation(_ connection: StreamConnection) {
        let network = connection.remote.network
        guard let count = unproven[network] else { return }
        unproven[network] = count > 1 ? count - 1 : nil
    }

    private var oldestOnProbation: StreamConnection? {
        while let number = probation.first {
            if let connection = connections[number], !connection.isProven { return connection }
            probation.removeFirst()
        }
        return nil
    }

    private func makeRoom() -> Bool {
        guard connections.count >= limits.connections else { return true }
        guard let oldest = oldestOnProbation else { return false }
        end(oldest, \.unproven)
        return true
    }

    /// Returns an unused number. Numbers repeat only after 2^31 others, so that an outdated number does not name another peer.
    private func freeNumber() -> Int32 {
        repeat { nextNumber = nextNumber == .max ? 0 : nextNumber + 1 } while connections[nextNumber] != nil
        return nextNumber
    }
}
