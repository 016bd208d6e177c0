import DTLS
import MediaBase

/// Two connections and the datagrams between them, in virtual time.
final class Network {
    enum Side: Int { case client, server }

    struct Datagram {
        var from: Side
        /// Number of the datagram among those of its side, from 0.
        var number: Int
        var bytes: [UInt8]
    }

    let client: DTLSConnection
    let server: DTLSConnection
    private(set) var now = MediaTime.seconds(100)
    private(set) var sent: [Datagram] = []
    /// Returns the delay of each copy of a datagram; empty if it is lost.
    var fate: (Datagram) -> [MediaTime] = { _ in [.milliseconds(10)] }
    /// Returns the datagrams that the network delivers in place of a datagram.
    var transform: (Datagram) -> [[UInt8]] = { [$0.bytes] }
    private var flying: [(at: MediaTime, order: Int, datagram: Datagram)] = []
    private var counts = [0, 0]
    private var order = 0

    init(client: DTLSConnection, server: DTLSConnection) {
        self.client = client
        self.server = server
    }

    var isConnected: Bool { keys(.client) != nil && keys(.server) != nil }

    func connection(_ side: Side) -> DTLSConnection { side == .client ? client : server }

    func keys(_ side: Side) -> DTLSKeys? {
        if case .connected(let keys) = connection(side).state { keys } else { nil }
    }

    func start() {
        client.start(now: now)
        server.start(now: now)
        collect()
    }

    /// Advances the time until nothing is pending or `seconds` are over.
    func run(seconds: Double = 60) {
        let end = now + .seconds(seconds)
        while step(until: end) {}
    }

    /// Advances the time until `done` returns true.
    func run(until done: () -> Bool) {
        while !done(), step(until: now + .seconds(60)) {}
    }

    func collect() {
        for side in [Side.client, .server] {
            while let bytes = connection(side).nextDatagram() {
                let datagram = Datagram(from: side, number: counts[side.rawValue], bytes: bytes)
                counts[side.rawValue] += 1
                sent.append(datagram)
                for delay in fate(datagram) {
                    for bytes in transform(datagram) {
                        flying.append((now + delay, order, Datagram(from: side, number: datagram.number, bytes: bytes)))
                        order += 1
                    }
                }
            }
        }
    }

    private func step(until end: MediaTime) -> Bool {
        let arrival = flying.indices.min { (flying[$0].at, flying[$0].order) < (flying[$1].at, flying[$1].order) }
        let due = [client.deadline, server.deadline, arrival.map { flying[$0].at }].compactMap { $0 }.min()
        guard let due, due <= end else { return false }
        now = max(now, due)
        if let arrival, flying[arrival].at <= now {
            let datagram = flying.remove(at: arrival).datagram
            let receiver = connection(datagram.from == .client ? .server : .client)
            datagram.bytes.withUnsafeBytes { receiver.receive($0, now: now) }
        } else {
            client.handleTimeout(now: now)
            server.handleTimeout(now: now)
        }
        collect()
        return true
    }
}
