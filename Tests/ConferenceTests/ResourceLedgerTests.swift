@testable import Conference
import MillraceTestKit
import Testing

@Suite("Resources of users, tokens and addresses")
struct ResourceLedgerTests {
    private static var limits: ResourceLimits {
        var limits = ResourceLimits()
        limits.user = .init(participants: 4, transports: 6, queuedBytes: 400)
        limits.token = .init(participants: 2, transports: 3, queuedBytes: 200)
        limits.address = .init(participants: 5, transports: 9, queuedBytes: 700)
        return limits
    }

    private let ada = ResourceHolder(token: "t1", app: "shop", user: "ada", address: "192.0.2.1")

    @Test("Each owner has its own limit, and a refusal names the configuration key of the lowest exceeded one")
    func limits() throws {
        var ledger = ResourceLedger(limits: Self.limits)
        try ledger.take(2, of: .participants, for: ada)
        #expect(throws: ResourceExcess(kind: .participants, owner: .token, limit: 2)) {
            try ledger.take(1, of: .participants, for: ada)
        }
        // Another token of the same user, then another user of the same address.
        let second = ResourceHolder(token: "t2", app: "shop", user: "ada", address: "192.0.2.2")
        try ledger.take(2, of: .participants, for: second)
        let third = ResourceHolder(token: "t3", app: "shop", user: "ada", address: "192.0.2.3")
        #expect(throws: ResourceExcess(kind: .participants, owner: .user, limit: 4)) {
            try ledger.take(1, of: .participants, for: third)
        }
        let anonymous = ResourceHolder(address: "192.0.2.1")
        try ledger.take(3, of: .participants, for: anonymous)
        let excess = #expect(throws: ResourceExcess.self) { try ledger.take(1, of: .participants, for: anonymous) }
        #expect(excess?.key == "limit.participantsPerAddress" && excess?.limit == 5)
        #expect(excess?.error.code == .limitReached && excess?.error.limit == "limit.participantsPerAddress")
    }

    @Test("A refusal takes nothing from any owner")
    func refusal() throws {
        var ledger = ResourceLedger(limits: Self.limits)
        #expect(throws: ResourceExcess.self) { try ledger.take(201, of: .queuedBytes, for: ada) }
        #expect(throws: ResourceExcess.self) { try ledger.take(.max, of: .queuedBytes, for: ada) }
        #expect(ledger.isEmpty)
        try ledger.take(200, of: .queuedBytes, for: ada)
        #expect(throws: ResourceExcess.self) { try ledger.take(.max, of: .queuedBytes, for: ada) }
        ledger.give(200, of: .queuedBytes, for: ada)
        #expect(ledger.isEmpty)
    }

    @Test("Users of different apps with the same id are different users")
    func apps() throws {
        var ledger = ResourceLedger(limits: Self.limits)
        try ledger.take(2, of: .transports, for: ResourceHolder(app: "a", user: "ada", address: ""))
        try ledger.take(6, of: .transports, for: ResourceHolder(app: "b", user: "ada", address: ""))
    }

    @Test("The operator's own clients have no limits")
    func unlimited() throws {
        var ledger = ResourceLedger(limits: Self.limits)
        try ledger.take(1_000_000, of: .transports, for: .unlimited)
        ledger.give(1_000_000, of: .transports, for: .unlimited)
        #expect(ledger.isEmpty)
    }

    @Test("No limit is ever exceeded, and nothing remains after all have left", arguments: UInt64(1)...20)
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ledger = ResourceLedger(limits: Self.limits)
        var held: [(amount: Int, kind: ResourceKind, holder: ResourceHolder)] = []
        var refusals = 0
        for _ in 0..<5_000 {
            if !held.isEmpty, Bool.random(using: &random) {
                let item = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                ledger.give(item.amount, of: item.kind, for: item.holder)
                continue
            }
            let kind = ResourceKind.allCases.randomElement(using: &random) ?? .transports
            let amount = kind == .queuedBytes ? Int.random(in: 0...250, using: &random) : 1
            let holder = Self.holder(&random)
            do {
                try ledger.take(amount, of: kind, for: holder)
                held.append((amount, kind, holder))
            } catch {
                refusals += 1
            }
            for owner in ResourceOwner.Kind.allCases {
                let amount = ledger.amount(of: kind, owner, of: holder)
                #expect(amount <= Self.limits[owner][kind])
                // The ledger equals the amounts that were taken and not given back.
                if owner == .address {
                    let expected = held.filter { $0.kind == kind && Self.shareAddress($0.holder, holder) }
                        .reduce(0) { $0 + $1.amount }
                    #expect(amount == expected)
                }
            }
        }
        #expect(refusals > 0)
        for item in held { ledger.give(item.amount, of: item.kind, for: item.holder) }
        #expect(ledger.isEmpty)
    }

    private static func shareAddress(_ a: ResourceHolder, _ b: ResourceHolder) -> Bool {
        a.owners.last == b.owners.last
    }

    private static func holder(_ random: inout SeededGenerator) -> ResourceHolder {
        let address = "192.0.2.\(Int.random(in: 1...3, using: &random))"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return ResourceHolder(address: address)
        case 1: return ResourceHolder(token: "t\(Int.random(in: 1...4, using: &random))", address: address)
        default:
            let number = Int.random(in: 1...6, using: &random)
            return ResourceHolder(token: "t\(number)", app: "shop", user: "u\(number % 2)", address: address)
        }
    }
}
