import MediaBase
import MillraceTestKit

@testable import SFrame

/// A session whose participants agree on keys, in virtual time. The relay announces participants reliably and in order to each, and loses,
/// delays, repeats and forges signals. Participants that left keep receiving all signals.
struct AgreementWorld {
    struct Client {
        var agreement: KeyAgreement
        var isPresent = true
        /// Latest time at which the client is told of participants.
        var toldUntil = MediaTime.zero
        var failures: [KeyAgreement.Failure] = []
    }

    enum Delivery {
        case members([KeyAgreementMember])
        case signal(String, from: String)
    }

    /// Behaviour of the relay, in percent of the signals.
    struct Faults {
        var lost = 0
        var repeated = 0
        var forged = 0
        /// Longest delay of a signal or an announcement.
        var delay = MediaTime.milliseconds(50)
    }

    static let session = "session"

    var generator: SeededGenerator
    var faults: Faults
    var now = MediaTime.seconds(1)
    var clients: [String: Client] = [:]
    /// Participants as they are.
    private(set) var members: [KeyAgreementMember] = []
    private var deliveries: [(at: MediaTime, order: Int, to: String, Delivery)] = []
    private var order = 0
    private var signals: [(String, from: String)] = []
    /// Connections for which each secret was made.
    private(set) var audience: [EncryptionSecret: Set<String>] = [:]
    private(set) var epochs = 0
    private(set) var signalsSent = 0
    private(set) var faultsFound: [String] = []
    /// Replaces the participants that one client is shown.
    var shows: (_ client: String, [KeyAgreementMember]) -> [KeyAgreementMember] = { $1 }
    /// Whether a client's signals are sent.
    var sends: (_ client: String) -> Bool = { _ in true }

    init(seed: UInt64, _ faults: Faults = Faults()) {
        generator = SeededGenerator(seed: seed)
        self.faults = faults
    }

    // MARK: participants

    mutating func join(_ name: String) throws {
        let identity = try KeyAgreementIdentity(using: &generator)
        clients[name] = Client(agreement: KeyAgreement(identity, session: Self.session, connection: name))
        members.append(
            KeyAgreementMember(
                connection: name, publicKey: identity.publicKey, joinedAt: now.rawValue / 1_000_000, isConnected: true)!
        )
        announce()
    }

    mutating func leave(_ name: String) {
        members.removeAll { $0.connection == name }
        clients[name]?.isPresent = false
        announce()
    }

    mutating func setConnected(_ name: String, _ isConnected: Bool) throws {
        guard let index = members.firstIndex(where: { $0.connection == name }),
            let identity = clients[name]?.agreement.identity
        else { return }
        members[index] = KeyAgreementMember(
            connection: name, publicKey: identity.publicKey, joinedAt: members[index].joinedAt,
            isConnected: isConnected)!
        announce()
    }

    private mutating func announce() {
        for (name, client) in clients.sorted(by: { $0.key < $1.key }) where client.isPresent {
            let at = max(client.toldUntil, now + delay())
            clients[name]?.toldUntil = at
            deliver(.members(shows(name, members)), to: name, at: at)
        }
    }

    // MARK: time

    mutating func run(for time: MediaTime) {
        let end = now + time
        while true {
            let next = min(
                deliveries.first?.at ?? .never,
                clients.values.lazy.filter(\.isPresent).map(\.agreement.deadline).min() ?? .never)
            guard next <= end else { break }
            now = max(now, next)
            while let first = deliveries.first, first.at <= now {
                deliveries.removeFirst()
                take(first.3, at: first.to)
            }
            for name in clients.keys.sorted() where clients[name]!.isPresent {
                guard clients[name]!.agreement.deadline <= now else { continue }
                clients[name]!.agreement.handleTimeout(now: now, using: &generator)
                perform(name)
            }
        }
        now = end
    }

    private mutating func take(_ delivery: Delivery, at name: String) {
        switch delivery {
        case .members(let members):
            clients[name]?.agreement.setMembers(members, isComplete: true, now: now)
        case .signal(let data, let sender): clients[name]?.agreement.receive(data, from: sender, now: now)
        }
        perform(name)
    }

    private mutating func perform(_ name: String) {
        guard let effects = clients[name]?.agreement.takeEffects() else { return }
        note(name)
        for effect in effects {
            switch effect {
            case .send(let data, let receiver): if sends(name) { pass(data, from: name, to: receiver) }
            case .failed(let failure): clients[name]?.failures.append(failure)
            case .keysChanged: break
            }
        }
    }

    /// Records for whom a new secret was made, and checks that no other client has it.
    private mutating func note(_ name: String) {
        guard let agreement = clients[name]?.agreement else { return }
        if let epoch = agreement.current, epoch.maker == name, audience[epoch.secret] == nil {
            audience[epoch.secret] = Set(agreement.roster!.members.map(\.connection))
            epochs += 1
        }
        for epoch in agreement.openingEpochs where audience[epoch.secret]?.contains(name) != true {
            faultsFound.append("\(name) has a secret that was not made for it")
        }
        if agreement.former.count > KeyAgreement.Limit.formerEpochs { faultsFound.append("too many former secrets") }
    }

    // MARK: signals

    private mutating func pass(_ data: String, from sender: String, to receiver: String?) {
        signalsSent += 1
        signals.append((data, sender))
        for name in clients.keys.sorted() where receiver == nil || receiver == name || !clients[name]!.isPresent {
            if generator.below(100) < faults.lost { continue }
            deliver(.signal(data, from: sender), to: name, at: now + delay())
            if generator.below(100) < faults.repeated {
                let old = signals[generator.below(signals.count)]
                deliver(.signal(old.0, from: old.from), to: name, at: now + delay() + delay())
            }
            if generator.below(100) < faults.forged { forge(data, from: sender, to: name) }
        }
    }

    private mutating func forge(_ data: String, from sender: String, to name: String) {
        var text = Array(data.utf8)
        switch generator.below(3) {
        case 0: text[generator.below(text.count)] = UInt8(ascii: "A")
        case 1: text.removeLast(generator.below(text.count))
        default: break
        }
        let names = clients.keys.sorted()
        let pretended = generator.below(2) == 0 ? sender : names[generator.below(names.count)]
        deliver(.signal(String(decoding: text, as: UTF8.self), from: pretended), to: name, at: now + delay())
    }

    private mutating func delay() -> MediaTime {
        .milliseconds(Int64(generator.below(Int(faults.delay.rawValue / 1_000_000) + 1)))
    }

    private mutating func deliver(_ delivery: Delivery, to name: String, at: MediaTime) {
        order += 1
        let item = (at, order, name, delivery)
        let index = deliveries.firstIndex { ($0.at, $0.order) > (at, item.1) } ?? deliveries.endIndex
        deliveries.insert(item, at: index)
    }

    // MARK: results

    /// Faults after a time without changes: all present participants have one secret, which was made for exactly them.
    func violations() -> [String] {
        var faults = faultsFound
        let present = Set(members.map(\.connection))
        let agreements = present.compactMap { clients[$0]?.agreement }
        for agreement in agreements where !agreement.isSettled {
            faults.append("\(agreement.connection) is not settled")
        }
        if Set(agreements.map(\.sealing?.secret)).count > 1 {
            faults.append("participants seal under different secrets")
        }
        if Set(agreements.map(\.safetyNumber)).count > 1 { faults.append("safety numbers differ") }
        for agreement in agreements {
            guard let secret = agreement.sealing?.secret else {
                faults.append("\(agreement.connection) has no secret")
                continue
            }
            if audience[secret] != present { faults.append("the secret was made for others") }
        }
        return faults
    }
}
