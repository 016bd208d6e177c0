import DTLS
import MediaBase
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport

/// A client and the relay's transport for it over an emulated network, in virtual time; the whole run follows from a seed. The client is
/// behind a NAT that maps it to a different port for each address of the relay.
final class VirtualCall {
    /// Impairments of datagrams; only the delay applies to streams.
    struct Network {
        var loss = 0.0
        var duplication = 0.0
        var delay = MediaTime.milliseconds(10)
        /// Random additional delay, which lets datagrams overtake each other.
        var jitter = MediaTime.zero
        var letsUDPThrough = true
        var letsTCPThrough = true
        /// False: no STUN of the client reaches the relay, as if it sent no checks once it is connected.
        var letsChecksThrough = true
        /// False: no datagram of the relay reaches the client.
        var reachesClient = true
        /// False: no DTLS of that side reaches the other.
        var letsClientDTLSThrough = true
        var letsRelayDTLSThrough = true
    }

    enum Arrival {
        case datagramAtRelay([UInt8], PeerAddress)
        case datagramAtClient([UInt8], PeerAddress, mapping: Int)
        case streamAtRelay([UInt8], Int32)
        case streamAtClient([UInt8], Int32)
        case opened(Int32, SocketAddress)
    }

    struct Connection {
        let remote: SocketAddress
        let relayNumber: Int32
        var atRelay = StreamFraming()
        var atClient = StreamFraming()
    }

    static let relayIdentity = try! DTLSIdentity.generate(.ecdsaP256)
    static let clientIdentity = try! DTLSIdentity.generate(.ecdsaP256)
    static let mediaInterval = MediaTime.milliseconds(20)

    let relay: WebRTCTransport
    let client: WebRTCClientTransport
    let candidates: [ICECandidate]
    var network: Network
    private(set) var now = MediaTime.zero
    private(set) var ledger = Ledger()
    private(set) var trace: [String] = []
    private(set) var relayKeys: DTLSKeys?
    private(set) var clientKeys: DTLSKeys?
    private(set) var relayEnd: (TransportEnd, MediaTime)?
    private(set) var clientEnd: (TransportEnd, MediaTime)?
    private(set) var relayFailure: (MediaPathFailure, MediaTime)?
    private(set) var clientReport: (MediaPathReport, MediaTime)?
    private(set) var connectedAt: MediaTime?
    /// Arrival times of media packets at either side.
    private(set) var mediaAtRelay: [MediaTime] = []
    private(set) var mediaAtClient: [MediaTime] = []
    private(set) var connections: [Int32: Connection] = [:]
    private var random: SeededGenerator
    private var arrivals: [(at: MediaTime, order: Int, Arrival)] = []
    private var order = 0
    /// Number of times that the NAT assigned new ports.
    private var mapping = 0
    private var nextMedia = MediaTime.never
    private var nextRelayConnection: Int32 = 100

    init(
        seed: UInt64, network: Network = Network(), candidates: [ICECandidate] = VirtualCall.usualCandidates,
        relayRole: DTLSConnection.Role = .server, relayFingerprint: CertificateFingerprint? = nil,
        isNative: Bool = false,
        configure: (inout WebRTCClientTransport.Configuration) -> Void = { _ in }
    ) throws {
        random = SeededGenerator(seed: seed)
        self.network = network
        self.candidates = candidates
        let mine = ICECredentials.random(using: &random)
        let theirs = ICECredentials.random(using: &random)
        let peer = PeerDescription(
            credentials: theirs, fingerprints: [Self.clientIdentity.fingerprint], setup: .actpass)
        var relaySide = WebRTCTransport.Configuration(
            credentials: mine, peer: peer, identity: Self.relayIdentity, role: relayRole)
        let keys = SignalledKeys()
        let taken = isNative ? SignalledKeys.take(keys.offered) : nil
        relaySide.signalled = taken.map { ($0.keys, seed &* 0x9e37_79b9_7f4a_7c15) }
        relay = try WebRTCTransport(relaySide, now: .zero)
        let answer = PeerDescription(
            credentials: mine, isLite: true, fingerprints: [relayFingerprint ?? Self.relayIdentity.fingerprint],
            setup: relayRole == .server ? .passive : .active)
        var configuration = WebRTCClientTransport.Configuration(
            credentials: theirs, peer: answer, identity: Self.clientIdentity,
            role: relayRole == .server ? .client : .server)
        configuration.keys = taken.flatMap { keys.agreed(by: [$0.answer]) }
        configure(&configuration)
        client = try WebRTCClientTransport(configuration, random: SeededGenerator(seed: seed ^ 0xc11e), now: .zero)
        for candidate in candidates { client.add(candidate, now: .zero) }
        drain()
    }

    static let usualCandidates = [
        ICECandidate(foundation: "1", transport: .udp, priority: 2_000, host: "203.0.113.1", port: 7_882),
        ICECandidate(foundation: "2", transport: .udp, priority: 1_900, host: "2001:db8::1", port: 7_882),
        ICECandidate(
            foundation: "3", transport: .tcp, priority: 1_000, host: "203.0.113.1", port: 7_882, tcpType: .passive),
    ]

    var areConnected: Bool { relay.isConnected && client.isConnected }

    /// Lets both sides send a packet each 20 ms to their selected address.
    func startMedia() { nextMedia = now + Self.mediaInterval }

    func stopMedia() { nextMedia = .never }

    /// Assigns new ports at the NAT; packets to the old ones are lost.
    func renumber() { mapping += 1 }

    /// Gives both sides new credentials, as signalling would.
    func restartICE() {
        let mine = ICECredentials.random(using: &random)
        let theirs = ICECredentials.random(using: &random)
        relay.restart(local: mine, remote: theirs, now: now)
        client.restart(local: theirs, remote: mine, now: now)
        drain()
    }

    /// Calls a closure with the transports at the current time.
    func act(_ body: (VirtualCall) -> Void) {
        body(self)
        drain()
    }

    func run(for span: MediaTime) { run(until: now + span) { false } }

    /// Runs until `end`, or until `isDone` returns true.
    func run(until end: MediaTime, _ isDone: () -> Bool) {
        var stepsAtOnce = 0
        while !isDone() {
            let due = min(arrivals.first?.at ?? .never, relay.deadline, client.deadline, nextMedia)
            guard due <= end else { break }
            stepsAtOnce = due > now ? 0 : stepsAtOnce + 1
            guard stepsAtOnce < 10_000 else {
                Issue.record("time stands still at \(now)")
                return
            }
            now = max(now, due)
            if let first = arrivals.first, first.at <= now {
                arrivals.removeFirst()
                arrive(first.2)
            }
            if relay.deadline <= now { relay.handleTimeout(now: now) }
            if client.deadline <= now { client.handleTimeout(now: now) }
            if nextMedia <= now { sendMedia() }
            drain()
        }
        if !isDone() { now = max(now, end) }
    }

    private func sendMedia() {
        nextMedia = now + Self.mediaInterval
        if relay.isConnected, let to = relay.selected { sendFromRelay([0x80, 1], to) }
        if client.isConnected, let to = client.selected { sendFromClient([0x80, 2], to) }
    }

    private func drain() {
        while let output = relay.nextOutput() {
            switch output {
            case .transmit(let bytes, let to):
                ledger.send(bytes.count, to: to, nominated: relay.selected == to, isConfirmed: relay.isConnected)
                sendFromRelay(bytes, to)
            case .selected(let address): note("relay selects \(address.address) \(address.connection)")
            case .connected(let keys):
                note("relay connected")
                relayKeys = keys
            case .noPath(let failure):
                note("relay has no path: \(failure)")
                relayFailure = (failure, now)
            case .ended(let reason):
                note("relay ends: \(reason)")
                relayEnd = (reason, now)
            }
        }
        while let output = client.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): sendFromClient(bytes, to)
            case .connect(let address, let connection):
                note("client opens \(connection)")
                schedule(.opened(connection, address), after: network.delay + network.delay)
            case .disconnect(let connection): closeConnection(connection)
            case .selected(let address): note("client selects \(address.address) \(address.connection)")
            case .connected(let keys):
                note("client connected")
                clientKeys = keys
                connectedAt = now
            case .noPath(let report):
                note("client has no path")
                clientReport = (report, now)
            case .ended(let reason):
                note("client ends: \(reason)")
                clientEnd = (reason, now)
            }
        }
    }

    /// Closes a connection; the relay notices.
    func closeConnection(_ number: Int32) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        note("connection \(number) closed")
        relay.disconnected(
            PeerAddress(address(toward: connection.remote), connection: connection.relayNumber), now: now)
        client.disconnected(connection: number, now: now)
        drain()
    }

    /// Returns the client's address as one of the relay's addresses sees it.
    private func address(toward remote: SocketAddress) -> SocketAddress {
        let index = candidates.firstIndex { SocketAddress($0.host, port: $0.port) == remote } ?? 0
        let port = UInt16(30_000 + mapping * 8 + index)
        return remote.isIPv6 ? SocketAddress("2001:db8::c", port: port)! : SocketAddress("198.51.100.7", port: port)!
    }

    private func sendFromClient(_ bytes: [UInt8], _ to: PeerAddress) {
        note("client > \(kind(bytes)) \(to.address.port)")
        if to.isTCP { return sendStream(bytes, to.connection) { .streamAtRelay($0, to.connection) } }
        let from = PeerAddress(address(toward: to.address))
        sendDatagram { .datagramAtRelay(bytes, from) }
    }

    private func sendFromRelay(_ bytes: [UInt8], _ to: PeerAddress) {
        note("relay > \(kind(bytes)) \(to.address.port)")
        if to.isTCP {
            guard let number = connections.first(where: { $0.value.relayNumber == to.connection })?.key else { return }
            return sendStream(bytes, number) { .streamAtClient($0, number) }
        }
        let number = Int(to.address.port) - 30_000
        let candidate = candidates[number & 7]
        let source = PeerAddress(SocketAddress(candidate.host, port: candidate.port)!)
        sendDatagram { .datagramAtClient(bytes, source, mapping: number >> 3) }
    }

    private func sendDatagram(_ arrival: () -> Arrival) {
        guard network.letsUDPThrough, Double(random.below(100_000)) >= network.loss * 100_000 else { return }
        let copies = Double(random.below(100_000)) < network.duplication * 100_000 ? 2 : 1
        for _ in 0..<copies {
            let jitter = network.jitter.rawValue == 0 ? 0 : Int64(random.below(Int(network.jitter.rawValue)))
            schedule(arrival(), after: network.delay + .nanoseconds(jitter))
        }
    }

    private func sendStream(_ bytes: [UInt8], _ number: Int32, _ arrival: ([UInt8]) -> Arrival) {
        guard connections[number] != nil else { return }
        var rest = StreamFraming.frame(bytes)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + random.below(200))
            rest = rest[piece.endIndex...]
            schedule(arrival(Array(piece)), after: network.delay)
        }
    }

    private func schedule(_ arrival: Arrival, after delay: MediaTime) {
        order += 1
        let entry = (at: now + delay, order: order, arrival)
        let index = arrivals.lastIndex { $0.at <= entry.at }.map { $0 + 1 } ?? 0
        arrivals.insert(entry, at: index)
    }

    private func arrive(_ arrival: Arrival) {
        switch arrival {
        case .datagramAtRelay(let bytes, let from): atRelay(bytes, from)
        case .datagramAtClient(let bytes, let from, let mapping):
            if mapping == self.mapping { atClient(bytes, from) }
        case .streamAtRelay(let bytes, let number):
            guard let connection = connections[number] else { return }
            let from = PeerAddress(address(toward: connection.remote), connection: connection.relayNumber)
            receive(bytes, number, \.atRelay) { self.atRelay($0, from) }
        case .streamAtClient(let bytes, let number):
            guard let connection = connections[number] else { return }
            receive(bytes, number, \.atClient) { self.atClient($0, PeerAddress(connection.remote, connection: number)) }
        case .opened(let number, let remote):
            guard network.letsTCPThrough else { return client.disconnected(connection: number, now: now) }
            connections[number] = Connection(remote: remote, relayNumber: nextRelayConnection)
            nextRelayConnection += 1
            client.connected(connection: number, now: now)
        }
    }

    private func receive(
        _ bytes: [UInt8], _ number: Int32, _ side: WritableKeyPath<Connection, StreamFraming>,
        _ take: ([UInt8]) -> Void
    ) {
        var datagrams: [[UInt8]] = []
        bytes.withUnsafeBytes { bytes in
            do {
                try connections[number]?[keyPath: side].receive(bytes) { datagrams.append(Array($0)) }
            } catch {
                Issue.record(error)
            }
        }
        for datagram in datagrams { take(datagram) }
    }

    private func atRelay(_ bytes: [UInt8], _ from: PeerAddress) {
        ledger.receive(bytes.count, from: from)
        bytes.withUnsafeBytes { view in
            switch DatagramKind(view) {
            case .stun: if network.letsChecksThrough { relay.receiveSTUN(view, from: from, now: now) }
            case .dtls: if network.letsClientDTLSThrough { relay.receiveDTLS(view, from: from, now: now) }
            default: if relay.received(from: from, now: now) { mediaAtRelay.append(now) }
            }
        }
    }

    private func atClient(_ bytes: [UInt8], _ from: PeerAddress) {
        guard network.reachesClient else { return }
        bytes.withUnsafeBytes { view in
            switch DatagramKind(view) {
            case .stun: client.receiveSTUN(view, from: from, now: now)
            case .dtls: if network.letsRelayDTLSThrough { client.receiveDTLS(view, from: from, now: now) }
            default: mediaAtClient.append(now)
            }
        }
    }

    /// Describes a datagram: STUN with all its bytes, which follow from the seed; DTLS, whose keys are random, only as DTLS.
    private func kind(_ bytes: [UInt8]) -> String {
        switch bytes[0] {
        case 0...3: "stun \(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })"
        case 20...63: "dtls"
        default: "media"
        }
    }

    private func note(_ text: String) { trace.append("\(now.rawValue) \(text)") }
}
