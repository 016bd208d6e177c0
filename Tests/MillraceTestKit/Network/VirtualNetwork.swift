package import MediaBase

/// A network in virtual time: endpoints behind addresses, a link with its own conditions for each pair of addresses and direction, one
/// queue of events. The same seed and the same endpoints give the same run, datagram by datagram; `trace` verifies it.
///
///     let network = VirtualNetwork(seed: 7)
///     network.conditions = LinkConditions(loss: 0.05, delay: .milliseconds(20))
///     let peer = network.add(VirtualEndpoint(receive: ..., deadline: ..., handleTimeout: ...), at: [address])
///     network.run(until: .milliseconds(5000))
///
/// Not thread-safe.
package final class VirtualNetwork {
    /// A number returned by `add`.
    package typealias ID = Int

    private enum Kind {
        static let datagram: Int32 = 0
        static let timeout: Int32 = 1
        static let action: Int32 = 2
    }

    private struct Attachment {
        var endpoint: VirtualEndpoint?
        /// Time of the event for its next timeout; earlier events are void.
        var scheduled: MediaTime = .never
        var timeoutsAtOnce = 0
    }

    private struct Direction: Hashable {
        var from: SocketAddress
        var to: SocketAddress
    }

    package private(set) var now: MediaTime
    /// Conditions of links that have none of their own.
    package var conditions = LinkConditions()
    /// Number of datagrams to addresses without an endpoint.
    package private(set) var unreachable = 0
    /// Number of datagrams that endpoints received.
    package private(set) var delivered = 0
    /// Hash of all deliveries: time, source, destination and number of bytes. Contents are not included, because keys are random.
    package private(set) var trace: UInt64 = 0xcbf2_9ce4_8422_2325
    private let seed: UInt64
    private var queue = EventQueue()
    private var pool = DatagramPool()
    private var attachments: [Attachment] = []
    private var owners: [SocketAddress: ID] = [:]
    private var links: [NetworkEmulator] = []
    private var linkOf: [Direction: Int] = [:]
    private var actions: [Int32: () -> Void] = [:]
    private var nextAction: Int32 = 0

    package init(seed: UInt64, start: MediaTime = .zero) {
        self.seed = seed
        now = start
    }

    // MARK: Members

    @discardableResult
    package func add(_ endpoint: VirtualEndpoint, at addresses: [SocketAddress]) -> ID {
        attachments.append(Attachment(endpoint: endpoint))
        let id = attachments.count - 1
        for address in addresses { bind(address, to: id) }
        wake(id)
        return id
    }

    /// Removes an endpoint: it receives no more datagrams and timeouts.
    package func remove(_ id: ID) {
        attachments[id].endpoint = nil
        owners = owners.filter { $0.value != id }
    }

    /// Delivers datagrams for `address` to this endpoint from now on: an additional address, or the new one after a move.
    package func bind(_ address: SocketAddress, to id: ID) { owners[address] = id }
    package func unbind(_ address: SocketAddress) { owners[address] = nil }

    /// Updates the timeout; call this after the endpoint's deadline changed outside of its own calls.
    package func wake(_ id: ID) {
        guard let deadline = attachments[id].endpoint?.deadline() else { return }
        guard deadline < attachments[id].scheduled else { return }
        attachments[id].scheduled = max(deadline, now)
        queue.push(time: max(deadline, now), kind: Kind.timeout, index: Int32(id))
    }

    // MARK: Links

    /// Sets the conditions of one direction, from now on.
    package func set(_ conditions: LinkConditions, from: SocketAddress, to: SocketAddress) {
        links[link(from, to)].change(to: conditions, now: now)
    }

    package func statistics(from: SocketAddress, to: SocketAddress) -> LinkStatistics {
        linkOf[Direction(from: from, to: to)].map { links[$0].statistics } ?? LinkStatistics()
    }

    private func link(_ from: SocketAddress, _ to: SocketAddress) -> Int {
        let direction = Direction(from: from, to: to)
        if let link = linkOf[direction] { return link }
        // Seeded by the addresses, not by the order of first use, so that another endpoint does not change the random numbers of the
        // others.
        var mix = seed
        for text in [from.description, ">", to.description] {
            for byte in text.utf8 { mix = (mix ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
        links.append(NetworkEmulator(conditions, seed: mix))
        linkOf[direction] = links.count - 1
        return links.count - 1
    }

    // MARK: Running

    /// Sends a datagram now. Its bytes are copied.
    package func send(_ bytes: UnsafeRawBufferPointer, from: SocketAddress, to: SocketAddress) {
        let arrivals = links[link(from, to)].send(bytes: bytes.count, now: now)
        for time in [arrivals.first, arrivals.duplicate] {
            guard let time else { continue }
            let slot = pool.insert(bytes, from: from, to: to)
            queue.push(time: time, kind: Kind.datagram, index: slot)
        }
    }

    package func send(_ bytes: [UInt8], from: SocketAddress, to: SocketAddress) {
        bytes.withUnsafeBytes { send($0, from: from, to: to) }
    }

    /// Calls `body` at `time`, between events, for example to change conditions or to add or remove an endpoint.
    package func schedule(at time: MediaTime, _ body: @escaping () -> Void) {
        actions[nextAction] = body
        queue.push(time: max(time, now), kind: Kind.action, index: nextAction)
        nextAction += 1
    }

    /// Processes all events up to `end`, inclusive.
    package func run(until end: MediaTime) {
        while let event = queue.first, event.time <= end {
            queue.removeFirst()
            now = max(now, event.time)
            switch event.kind {
            case Kind.datagram: deliver(event.index)
            case Kind.timeout: timeOut(Int(event.index), event.time)
            default: actions.removeValue(forKey: event.index)?()
            }
        }
        now = max(now, end)
    }

    /// Number of datagrams in flight.
    package var inFlight: Int { pool.count }

    private func deliver(_ index: Int32) {
        let slot = pool[index]
        defer { pool.remove(index) }
        guard let id = owners[slot.to], let endpoint = attachments[id].endpoint else {
            unreachable += 1
            return
        }
        delivered += 1
        note(UInt64(bitPattern: now.rawValue))
        note(UInt64(id) << 48 | UInt64(slot.from.port) << 32 | UInt64(slot.length))
        endpoint.receive(UnsafeRawBufferPointer(start: slot.bytes, count: slot.length), slot.from, slot.to, now)
        wake(id)
    }

    private func timeOut(_ id: ID, _ time: MediaTime) {
        guard attachments[id].scheduled == time, let endpoint = attachments[id].endpoint else { return }
        attachments[id].scheduled = .never
        if endpoint.deadline() <= now {
            endpoint.handleTimeout(now)
            attachments[id].timeoutsAtOnce = endpoint.deadline() <= now ? attachments[id].timeoutsAtOnce + 1 : 0
            precondition(attachments[id].timeoutsAtOnce < 10_000, "endpoint \(id) wants a timeout at \(now) for ever")
        }
        wake(id)
    }

    private func note(_ value: UInt64) {
        trace = (trace ^ value) &* 0x9e37_79b9_7f4a_7c15
        trace ^= trace >> 29
    }
}
