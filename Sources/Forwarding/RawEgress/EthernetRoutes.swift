package import MediaBase

/// Routes of IPv4 destinations that packets may be sent to as complete frames, without the kernel's IP layer.
///
/// The caller asks with `route(to:from:now:)` for each message. A destination without a usable answer is sent through the kernel, and put into
/// the queue of questions, which `writeRequest` takes out. Answers and notifications of the kernel come in by `receive`. A change of any
/// route, address or rule makes all routes unusable until the kernel has been asked again; a change of a neighbour or of an interface takes
/// effect at once.
///
/// Each second a message to each destination leaves through the kernel, so that it checks whether the neighbour is reachable, and its
/// firewall keeps the state of the connection.
package struct EthernetRoutes: ~Copyable {
    /// Maximum number of destinations. Others are sent through the kernel.
    package static let limit = 16_384
    /// Maximum number of hops, and of interfaces.
    static let maximumHops = 4_096
    static let maximumLinks = 64
    /// Maximum number of questions in the queue, and of those without an answer.
    static let questionLimit = 1_024
    static let unansweredLimit = 256
    /// Length of the longest request in bytes.
    package static let requestBytes = NetlinkRequest.maximumBytes
    /// Slots that a search examines, so that its time is bounded if peers choose addresses whose hashes are equal.
    private static let searchLimit = 16
    /// Time after which the route of a destination in use is asked for again, since the kernel does not notify of a path's MTU.
    private static let refreshInterval = MediaTime.seconds(10)
    /// Time after which a question without an answer is asked again.
    private static let retryInterval = MediaTime.seconds(1)
    private static let kernelInterval = MediaTime.seconds(1)
    /// Time after its last use at which a destination is removed.
    private static let idleTimeout = MediaTime.seconds(60)

    private var destinations: UnsafeMutablePointer<EthernetDestination>
    private var mask = 255
    /// Number of destinations.
    package private(set) var count = 0
    let hops: UnsafeMutablePointer<NextHop>
    private(set) var hopCount = 0
    private var hopNumbers: [NextHop.Key: Int32] = [:]
    var links: [EthernetInterface] = []
    /// Number of the routing tables' state that answers belong to; from 1.
    private(set) var generation: UInt32 = 1
    private var questions: [RouteQuestion] = []
    private var nextQuestion = 0
    private var unanswered: [UInt32: (question: RouteQuestion, generation: UInt32)] = [:]
    private var sequence: UInt32 = 0
    /// Time-to-live of packets, unless the route has one.
    private let hopLimit: UInt8

    /// - Parameter hopLimit: time-to-live of packets, unless the route has one.
    package init(hopLimit: UInt8) {
        self.hopLimit = hopLimit
        destinations = .allocate(capacity: mask + 1)
        destinations.initialize(repeating: EthernetDestination(origin: .any, host: .any), count: mask + 1)
        hops = .allocate(capacity: Self.maximumHops)
    }

    deinit {
        destinations.deallocate()
        hops.deallocate()
    }

    // MARK: routes

    /// Returns the route to a destination; nil if the message must be sent through the kernel.
    /// - Parameter origin: source address of the packets; any: the kernel's choice.
    @inline(__always)
    package mutating func route(to host: IPv4Host, from origin: IPv4Host, now: MediaTime) -> EthernetRoute? {
        guard let entry = find(host, origin) else {
            add(host, origin, now: now)
            return nil
        }
        entry.pointee.usedAt = now
        if now >= entry.pointee.askAt || entry.pointee.asked != generation { ask(entry, now: now) }
        guard entry.pointee.generation == generation, entry.pointee.hop >= 0,
            let link = hops[Int(entry.pointee.hop)].link
        else { return nil }
        guard now < entry.pointee.kernelDue else {
            entry.pointee.kernelDue = now + Self.kernelInterval
            return nil
        }
        return EthernetRoute(
            ethernet: link.ethernet, source: entry.pointee.source, destination: host,
            interface: hops[Int(entry.pointee.hop)].key.interface, mtu: min(link.mtu, entry.pointee.mtu),
            hopLimit: entry.pointee.hopLimit)
    }

    /// Removes destinations that have not been used for a minute, if they are a quarter of all. Removes everything, so that it is learned
    /// again, if the limit of hops is reached.
    package mutating func removeIdle(now: MediaTime) {
        guard count > 0 else { return }
        let isFull = hopCount == Self.maximumHops
        let isIdle = { (destination: EthernetDestination) in isFull || now - destination.usedAt >= Self.idleTimeout }
        var idle = 0
        for i in 0...mask where destinations[i].isUsed && isIdle(destinations[i]) { idle += 1 }
        guard idle * 4 >= count else { return }
        rebuild(slots: mask + 1) { !isIdle($0) }
        guard count == 0 else { return }
        hopCount = 0
        hopNumbers = [:]
        links = []
    }

    @inline(__always)
    private func home(_ host: IPv4Host, _ origin: IPv4Host) -> Int {
        let mixed = (UInt64(host.rawValue) << 32 | UInt64(origin.rawValue)) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: (mixed ^ mixed >> 29) >> 20) & mask
    }

    @inline(__always)
    private func find(_ host: IPv4Host, _ origin: IPv4Host) -> UnsafeMutablePointer<EthernetDestination>? {
        let first = home(host, origin)
        for offset in 0..<Self.searchLimit {
            let entry = destinations + ((first &+ offset) & mask)
            guard entry.pointee.isUsed else { return nil }
            if entry.pointee.host == host, entry.pointee.origin == origin { return entry }
        }
        return nil
    }

    private mutating func add(_ host: IPv4Host, _ origin: IPv4Host, now: MediaTime) {
        guard count < Self.limit else { return }
        if (count + 1) * 2 > mask + 1 { rebuild(slots: (mask + 1) * 2) { _ in true } }
        var destination = EthernetDestination(origin: origin, host: host)
        destination.usedAt = now
        destination.isUsed = true
        guard let entry = store(destination) else { return }
        ask(entry, now: now)
    }

    /// - Returns: nil if all slots that a search would examine are in use.
    private mutating func store(_ destination: EthernetDestination) -> UnsafeMutablePointer<EthernetDestination>? {
        let first = home(destination.host, destination.origin)
        for offset in 0..<Self.searchLimit {
            let entry = destinations + ((first &+ offset) & mask)
            guard !entry.pointee.isUsed else { continue }
            entry.pointee = destination
            count += 1
            return entry
        }
        return nil
    }

    /// Moves the destinations that `keeps` accepts to a table of the given size, a power of two.
    private mutating func rebuild(slots: Int, _ keeps: (EthernetDestination) -> Bool) {
        let (old, oldSlots) = (destinations, mask + 1)
        destinations = .allocate(capacity: slots)
        destinations.initialize(repeating: EthernetDestination(origin: .any, host: .any), count: slots)
        mask = slots - 1
        count = 0
        for i in 0..<oldSlots where old[i].isUsed && keeps(old[i]) { _ = store(old[i]) }
        old.deallocate()
    }

    // MARK: questions

    /// Writes the next request for the kernel. Its answer must be passed to `receive(answers:now:)`.
    /// - Parameter buffer: at least `requestBytes` bytes.
    /// - Returns: the length of the request; 0 if there is none.
    package mutating func writeRequest(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard nextQuestion < questions.count, buffer.count >= Self.requestBytes, let raw = buffer.baseAddress else {
            return 0
        }
        let question = questions[nextQuestion]
        nextQuestion += 1
        if nextQuestion == questions.count {
            questions.removeAll(keepingCapacity: true)
            nextQuestion = 0
        }
        // Answers that have been lost; their questions are asked again later.
        if unanswered.count >= Self.unansweredLimit { unanswered.removeAll(keepingCapacity: true) }
        sequence &+= 1
        unanswered[sequence] = (question, generation)
        switch question {
        case .route(let host, let origin):
            return NetlinkRequest.route(to: host, from: origin, sequence: sequence, at: raw)
        case .neighbour(let key):
            return NetlinkRequest.neighbour(key.host, interface: key.interface, sequence: sequence, at: raw)
        case .link(let interface): return NetlinkRequest.link(interface, sequence: sequence, at: raw)
        }
    }

    private mutating func ask(_ entry: UnsafeMutablePointer<EthernetDestination>, now: MediaTime) {
        guard ask(.route(to: entry.pointee.host, from: entry.pointee.origin)) else { return }
        entry.pointee.asked = generation
        entry.pointee.askAt = now + Self.retryInterval
    }

    /// - Returns: false if the queue is full.
    @discardableResult
    private mutating func ask(_ question: RouteQuestion) -> Bool {
        guard questions.count < Self.questionLimit else { return false }
        questions.append(question)
        return true
    }

    /// Returns the question that an answer belongs to, and the generation in which it was asked.
    mutating func takeQuestion(_ sequence: UInt32) -> (question: RouteQuestion, generation: UInt32)? {
        unanswered.removeValue(forKey: sequence)
    }

    // MARK: changes

    /// Makes all routes unusable until the kernel has been asked again.
    mutating func invalidate() {
        generation &+= 1
        if generation == 0 { generation = 1 }
    }

    /// Takes the kernel's route to a destination.
    /// - Parameter route: nil if the kernel has none that frames can take.
    mutating func set(
        _ route: RouteMessage?, to host: IPv4Host, from origin: IPv4Host, generation: UInt32, now: MediaTime
    ) {
        guard let entry = find(host, origin) else { return }
        entry.pointee.generation = generation
        entry.pointee.askAt = now + Self.refreshInterval
        entry.pointee.hop = -1
        guard let route, route.isPlain, route.destination == host,
            let source = origin == .any ? route.source : origin, source != .any,
            let hop = hop(NextHop.Key(interface: route.interface, host: route.gateway ?? host), now: now)
        else { return }
        entry.pointee.source = source
        entry.pointee.mtu = route.mtu ?? .max
        entry.pointee.hopLimit = route.hopLimit ?? hopLimit
        entry.pointee.hop = hop
    }

    /// Returns the number of a hop, and asks the kernel for what is not known about it.
    /// - Returns: nil if there are too many hops or interfaces.
    private mutating func hop(_ key: NextHop.Key, now: MediaTime) -> Int32? {
        guard learn(key.interface, now: now) else { return nil }
        if let number = hopNumbers[key] {
            if hops[Int(number)].address == nil { ask(.neighbour(key)) }
            return number
        }
        guard hopCount < Self.maximumHops else { return nil }
        (hops + hopCount).initialize(to: NextHop(key))
        let number = Int32(hopCount)
        hopNumbers[key] = number
        hopCount += 1
        ask(.neighbour(key))
        return number
    }

    /// Asks the kernel about an interface, unless that is known.
    /// - Returns: false if there are too many interfaces.
    private mutating func learn(_ interface: Int32, now: MediaTime) -> Bool {
        let i = links.firstIndex { $0.interface == interface } ?? links.count
        if i == links.count {
            guard i < Self.maximumLinks else { return false }
            links.append(EthernetInterface(interface: interface, askAt: now))
        }
        if links[i].state == nil, now >= links[i].askAt, ask(.link(interface)) {
            links[i].askAt = now + Self.retryInterval
        }
        return true
    }

    /// Returns the number of a hop that is in use.
    func hopNumber(_ key: NextHop.Key) -> Int? { hopNumbers[key].map(Int.init) }

    /// Forgets the state of all hops and interfaces, and asks for them again.
    mutating func forgetStates() {
        for i in links.indices {
            links[i].state = nil
            ask(.link(links[i].interface))
        }
        for i in 0..<hopCount {
            hops[i].address = nil
            hops[i].link = nil
            ask(.neighbour(hops[i].key))
        }
    }
}
