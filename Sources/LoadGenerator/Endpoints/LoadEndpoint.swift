import CLinuxNet

/// Participant of a run with its sockets; confined to an `EndpointThread`.
protocol LoadEndpoint: AnyObject {
    /// The sockets, at most two.
    var sockets: [UDPSocket] { get }
    /// True if `send` must be called when media is due.
    var publishes: Bool { get }

    /// Starts the endpoint, which calls `ready` once, when media can flow or the endpoint has failed.
    func start(with sender: PacketSender, ready: @escaping EndpointThread.Ready)
    /// Processes a datagram of one of the sockets, and may change it in place.
    func receive(_ datagram: UnsafeMutableRawBufferPointer, at socket: Int, from: millrace_address, now: Int64)
    /// Sends packets that respond to received datagrams; called after each batch of them.
    func respond(now: Int64, with sender: PacketSender)
    /// Sends the media that is due. Returns the time of the next known event, or `Int64.max`.
    func send(now: Int64, with sender: PacketSender) -> Int64
    /// Handles timers; called at a regular interval.
    func handleTimeout(now: Int64, with sender: PacketSender)
    func close(now: Int64, with sender: PacketSender)
    /// Adds the endpoint's statistics.
    func add(to totals: inout EndpointTotals, now: Int64)
}

extension LoadEndpoint {
    var publishes: Bool { false }
    func start(with sender: PacketSender, ready: @escaping EndpointThread.Ready) { ready(.success(())) }
    func send(now: Int64, with sender: PacketSender) -> Int64 { .max }
    func handleTimeout(now: Int64, with sender: PacketSender) {}
    func close(now: Int64, with sender: PacketSender) {}
    func add(to totals: inout EndpointTotals, now: Int64) {}
}
