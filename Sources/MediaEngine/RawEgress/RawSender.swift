import CLinuxNet
import Forwarding
import Glibc
import MediaBase

/// Sends short runs of a worker's datagrams as complete frames through a packet ring, which costs less than the kernel's IP layer. All that it
/// does not send is left to the sockets.
///
/// The frames bypass the host's firewall, address translation and queueing disciplines, so that an operator must have chosen them.
final class RawSender {
    /// Interval of reading the kernel's notifications; a change takes effect after this time at the latest.
    private static let followInterval = MediaTime.milliseconds(10)
    private static let idleInterval = MediaTime.seconds(30)
    /// Time for which a refused frame with several datagrams makes the sender write a frame for each.
    private static let segmentRest = MediaTime.seconds(30)
    /// Datagrams of a run that are sent as a frame each, if the interface cannot split frames: more cost as much as one message to a socket.
    private static let framesPerRun = 2
    /// Frames of one batch.
    private static let frameLimit = EgressBatch.maximumPackets
    /// Local addresses whose numbers are looked up once.
    private static let localLimit = 256

    /// Frame that the kernel has not taken yet.
    private struct Pending {
        var message: Int32
        /// The message's socket, in case that it takes the message after all.
        var socket: UInt8
        var splits: Bool
    }

    private let ring: OpaquePointer
    private let routeSocket: RouteSocket
    private var routes: EthernetRoutes
    /// Address that the sockets are bound to; any: each datagram has the one that its peer sent to, or the kernel's choice.
    private let bound: IPv4Host
    private let locals: UnsafeMutablePointer<IPv4Host>
    private let pending: UnsafeMutablePointer<Pending>
    private var pendingCount = 0
    /// Interface of the pending frames.
    private var interface: Int32 = 0
    /// Time from which frames may have several datagrams.
    private var splitsFrom: MediaTime
    /// Whether frames may have several datagrams.
    private let maySplit: Bool
    private var nextFollow: MediaTime = .zero
    private var nextIdle: MediaTime = .zero

    /// Nil if the kernel does not permit packet sockets (CAP_NET_RAW), or the sockets have no IPv4 address.
    /// - Parameters:
    ///   - socket: socket whose time-to-live the frames have.
    ///   - sendBuffer: bytes of frames that may wait in the interface.
    init?(bound address: SocketAddress, socket: Int32, sendBuffer: Int, splits: Bool) {
        // The socket of :: also sends IPv4, but its addresses are in the form of IPv6.
        guard let bound = IPv4Host(address), let routeSocket = RouteSocket() else { return nil }
        var error: Int32 = 0
        guard let ring = millrace_ring_open(Int32(clamping: sendBuffer), &error) else { return nil }
        self.ring = ring
        self.routeSocket = routeSocket
        self.bound = bound
        routes = EthernetRoutes(hopLimit: UInt8(clamping: millrace_hop_limit(socket)))
        locals = .allocate(capacity: Self.localLimit)
        locals.initialize(repeating: .any, count: Self.localLimit)
        locals[0] = bound
        pending = .allocate(capacity: Self.frameLimit)
        maySplit = splits
        splitsFrom = .zero
    }

    deinit {
        millrace_ring_free(ring)
        locals.deallocate()
        pending.deallocate()
    }

    /// Sends the messages of a batch that are short runs to known IPv4 neighbours, and marks them (`EgressMessage.sentSocket`).
    /// - Parameter port: source port of the datagrams.
    func send(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, port: UInt16, now: MediaTime,
        _ counters: inout EngineCounters
    ) {
        if now >= nextFollow { follow(now) }
        for i in messages.indices {
            guard let host = IPv4Host(messages[i].address.pointee), isShort(messages[i], now: now) else { continue }
            guard let origin = source(messages[i].local),
                let route = routes.route(to: host, from: origin, now: now),
                Int(messages[i].segment) + EthernetFrame.packetHeaderBytes <= route.mtu
            else {
                counters.rawFallbacks &+= 1
                continue
            }
            put(i, messages, route, port: port, now: now, &counters)
        }
        flush(messages, now: now, &counters)
    }

    private func follow(_ now: MediaTime) {
        nextFollow = now + Self.followInterval
        routeSocket.follow(&routes, now: now)
        guard now >= nextIdle else { return }
        nextIdle = now + Self.idleInterval
        routes.removeIdle(now: now)
    }

    /// Returns the source address of datagrams from a local address; nil if it is not an IPv4 address.
    private func source(_ local: UInt32) -> IPv4Host? {
        guard local != 0 else { return bound }
        guard local < Self.localLimit else { return nil }
        if locals[Int(local)] != .any { return locals[Int(local)] }
        var bytes: (UInt64, UInt64) = (0, 0)
        guard millrace_local_address(local, AF_INET, &bytes) == 1 else { return nil }
        let host = IPv4Host(rawValue: UInt32(bigEndian: UInt32(truncatingIfNeeded: bytes.0)))
        guard host != .any, bound == .any || bound == host else { return nil }
        locals[Int(local)] = host
        return host
    }

    /// Returns whether a message is a run that frames send at less cost than a socket.
    private func isShort(_ message: EgressMessage, now: MediaTime) -> Bool {
        let packets = message.packets
        if packets > 1, splits(message, now: now) { return true }
        return packets <= Self.framesPerRun && fits(message.segment)
    }

    /// Returns whether a message leaves as one frame that the interface splits.
    private func splits(_ message: EgressMessage, now: MediaTime) -> Bool {
        maySplit && message.length > message.segment && fits(message.length) && now >= splitsFrom
    }

    private func fits(_ payload: UInt32) -> Bool {
        EthernetFrame.offloadBytes + EthernetFrame.headerBytes + Int(payload) <= Int(MILLRACE_RING_FRAME_BYTES)
    }

    /// Writes the frames of one message, or none if the ring has too few free slots.
    private func put(
        _ i: Int, _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ route: EthernetRoute, port: UInt16,
        now: MediaTime, _ counters: inout EngineCounters
    ) {
        if route.interface != interface {
            flush(messages, now: now, &counters)
            interface = route.interface
        }
        let message = messages[i]
        let splits = splits(message, now: now)
        let piece = splits ? Int(message.length) : Int(message.segment)
        let to = message.address.pointee.port
        var at = 0
        while at < Int(message.length) {
            let length = min(piece, Int(message.length) - at)
            guard pendingCount < Self.frameLimit, let frame = millrace_ring_next(ring) else {
                counters.rawRefusals &+= 1
                break
            }
            let raw = UnsafeMutableRawPointer(frame)
            EthernetFrame.writeHeaders(
                route, from: port, to: to, payload: length, segment: splits ? Int(message.segment) : 0, at: raw)
            let headers = EthernetFrame.offloadBytes + EthernetFrame.headerBytes
            (raw + headers).copyMemory(from: message.data + at, byteCount: length)
            millrace_ring_push(ring, UInt32(headers + length))
            pending[pendingCount] = Pending(
                message: Int32(truncatingIfNeeded: i), socket: message.socket, splits: splits)
            pendingCount += 1
            at += length
        }
        // If only the first frame of a message fits the ring, the whole message is sent again; receivers drop the duplicate.
        guard at >= Int(message.length) else { return }
        messages[i].socket = EgressMessage.sentSocket
        counters.rawPackets &+= UInt64(message.packets)
    }

    /// Hands the pending frames to the kernel. Messages whose frames it refuses are left to the sockets.
    private func flush(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, now: MediaTime, _ counters: inout EngineCounters
    ) {
        guard pendingCount > 0 else { return }
        let refused = Int(millrace_ring_flush(ring, interface, &counters.sendCalls))
        let taken = max(0, pendingCount - refused)
        for i in taken..<pendingCount {
            let message = Int(pending[i].message)
            guard messages[message].socket == EgressMessage.sentSocket else { continue }
            messages[message].socket = pending[i].socket
            counters.rawPackets &-= UInt64(messages[message].packets)
            counters.rawRefusals &+= 1
        }
        // The interface is full or, if it is the first such frame, cannot split it.
        if taken < pendingCount, pending[taken].splits { splitsFrom = now + Self.segmentRest }
        pendingCount = 0
    }
}
