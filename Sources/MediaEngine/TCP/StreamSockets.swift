import CLinuxNet
import Glibc
package import MediaBase
import Transport

/// The TCP side of a worker's media port: connections over which ICE peers send datagrams in frames (RFC 6544, RFC 4571). It belongs to
/// one thread, never waits and has no thread of its own.
///
/// ```swift
/// let sockets = try StreamSockets(address: "0.0.0.0", port: 7882, limits: StreamLimits())
/// // when `sockets.descriptor` can be read:
/// sockets.process(now) { connection, remote, datagram in … }
/// ```
///
/// Anybody can connect, so a connection is on probation until ``admit(_:)``: it gets little time and few bytes, and gives way to others.
package final class StreamSockets {
    /// The address that is listened on, with the port that was picked where 0 was asked for.
    package let local: SocketAddress
    /// Can be read whenever `process` has something to do; for waiting only.
    package let descriptor: Int32
    package private(set) var counters = StreamCounters()
    package let limits: StreamLimits

    private let listener: Int32
    private var isListening = true
    private var isOpen = true
    private var connections: [Int32: StreamConnection] = [:]
    /// Numbers of connections in the order they came; those that proved themselves or are gone are taken out late.
    private var probation: [Int32] = []
    private var probationStart = 0
    private var unproven: [SocketAddress: Int] = [:]
    /// Connections that had proved themselves and ended by themselves, for the owner to learn of.
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
    ///   - port: 0 for any.
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

    /// Ends all connections and stops to listen; nothing else may be called after it.
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

    /// Does what can be done without waiting: takes connections, sends what waited, hands each datagram that came to `body`. The bytes are
    /// `body`'s to change until it returns; it may call any other function of this object.
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

    /// Fate of one datagram.
    package enum SendOutcome: Sendable {
        /// It was sent, or is in the connection's buffer.
        case sent
        /// The connection's buffer is full: its peer reads too slowly.
        case full
        /// It is empty or longer than `StreamLimits.datagramBytes`.
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

    /// Ends a connection's probation: its peer has authenticated itself.
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

    /// Whether `takeEnded` has something to tell.
    package var hasEnded: Bool { !ended.isEmpty }

    /// Connections that ended since the last call, those left out that never proved themselves or that `close` ended.
    package func takeEnded() -> [(connection: Int32, remote: SocketAddress)] {
        defer { ended = [] }
        return ended
    }

    /// Closes what has been silent or on probation for too long. `process` does it too; a worker that calls nothing else has to.
    package func housekeeping(_ now: MediaTime) {
        guard now >= nextHousekeeping else { return }
        nextHousekeeping = now + Self.housekeepingInterval
        while let oldest = oldestOnProbation, now - oldest.openedAt >= limits.proofTimeout { end(oldest, \.unproven) }
        for connection in connections.values where now - connection.lastReceived >= limits.idleTimeout {
            end(connection, \.idle)
        }
        if !isListening { isListening = millrace_poller_add(descriptor, listener, Self.listenerTag) == 0 }
    }

    /// When `housekeeping` has something to do next; nil while there is no connection.
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

    /// Leaves further connections in the kernel's queue until the next housekeeping; they would wake the worker without end otherwise.
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
        // One read a pass: a peer that floods gets no more of the worker than the others.
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
        while probationStart < probation.count {
            if let connection = connections[probation[probationStart]], !connection.isProven { return connection }
            probationStart += 1
            if probationStart > 64, probationStart > probation.count / 2 {
                probation.removeFirst(probationStart)
                probationStart = 0
            }
        }
        return nil
    }

    private func makeRoom() -> Bool {
        guard connections.count >= limits.connections else { return true }
        guard let oldest = oldestOnProbation else { return false }
        end(oldest, \.unproven)
        return true
    }

    /// Numbers come again only after two thousand million others, so that one that is kept too long does not name another peer.
    private func freeNumber() -> Int32 {
        repeat { nextNumber = nextNumber == .max ? 0 : nextNumber + 1 } while connections[nextNumber] != nil
        return nextNumber
    }
}
