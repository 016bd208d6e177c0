import Cluster
import ClusterTestKit
import Conference
import Foundation
import MediaBase
import Testing

/// Clusters in virtual time, from seeds.
@Suite("Cluster in virtual time")
struct VirtualClusterTests {
    /// Seeds of this run. `MILLRACE_CLUSTER_SEEDS` sets their number, `MILLRACE_CLUSTER_FIRST_SEED` the first one, which is the time otherwise.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["MILLRACE_CLUSTER_SEEDS"].flatMap(UInt64.init) ?? 200
        let first =
            environment["MILLRACE_CLUSTER_FIRST_SEED"].flatMap(UInt64.init) ?? UInt64(Date.now.timeIntervalSince1970)
        return first..<first + min(count, 10_000_000)
    }()

    /// Runs a cluster with faults, and without.
    private func run(_ seed: UInt64) throws -> VirtualCluster {
        let cluster = try VirtualCluster(
            seed: seed, relays: 2 + Int(seed % 4), clients: 6, unreliability: [0, 10, 50][Int(seed / 4 % 3)])
        cluster.runWithFaults(for: .seconds(45))
        cluster.areClientsActive = false
        cluster.run(for: .seconds(70))
        if cluster.fault == nil { cluster.checkRecovered() }
        // Sessions without clients end after 30 s.
        cluster.run(for: .seconds(40))
        if cluster.fault == nil { cluster.checkIdle() }
        return cluster
    }

    @Test(
        "CLU-3 Random faults lead to no two acting home relays, to no lost answer, to no lost state that the store had, and to nothing that remains"
    )
    func randomFaults() throws {
        var time = 0.0, joins = 0, changes = 0, restorations = 0, lost = 0, faults = 0
        for seed in Self.seeds {
            let cluster = try run(seed)
            time += cluster.now.seconds
            joins += cluster.joins
            changes += cluster.acknowledgements
            restorations += cluster.restorations
            lost += cluster.lostChanges
            guard let fault = cluster.fault else { continue }
            faults += 1
            Issue.record("\(fault)")
            if faults == 5 { break }
        }
        print(
            "cluster: seeds \(Self.seeds), \(Int(time / 3_600)) virtual hours, \(joins) joins, \(changes) acknowledged changes,",
            "\(restorations) restored states, \(lost) changes lost that were acknowledged without the store")
        #expect(joins > 0 && changes > 0)
    }

    /// The first one found a relay that ended a session of a lost relay instead of holding it, after the store had lost its data; the others found
    /// faults of the checks.
    @Test("CLU-3 Seeds that found faults", arguments: [1_795_791_131, 1_795_792_870, 1_795_793_839, 1_795_793_087])
    func foundFaults(_ seed: UInt64) throws {
        let fault = try run(seed).fault
        #expect(fault == nil)
    }

    @Test("Another relay takes over within 1.5 s after the lease of a killed home relay", arguments: UInt64(1)...20)
    func takeOver(_ seed: UInt64) throws {
        let cluster = try VirtualCluster(seed: seed, relays: 3)
        let key = cluster.names[0]
        let home = try #require(cluster.home(of: key, from: 0))
        let number = try #require(cluster.relays.firstIndex { $0.member.identity == home })
        cluster.run(for: .milliseconds(Int64(seed) * 50))
        cluster.kill(number)
        let killed = cluster.now, other = (number + 1) % 3
        var new: RelayIdentity?
        while new == nil, cluster.fault == nil, cluster.now - killed < .seconds(10) {
            cluster.run(for: .milliseconds(20))
            new = cluster.home(of: key, from: other, attempts: 1, interval: .zero)
        }
        #expect(cluster.fault == nil)
        #expect(new != home)
        #expect(cluster.now - killed <= ClusterSettings().leaseTime + .milliseconds(1_500))
    }

    @Test(
        "Home relays continue without the store if it is down for all, and keep their sessions",
        arguments: UInt64(1)...10)
    func outage(_ seed: UInt64) throws {
        let cluster = try VirtualCluster(seed: seed, relays: 3)
        let key = cluster.names[0]
        let home = try #require(cluster.home(of: key, from: 0))
        let number = try #require(cluster.relays.firstIndex { $0.member.identity == home })
        for relay in 0..<3 { cluster.relays[relay].store = seed % 2 == 0 ? .refused : .lost }
        for _ in 0..<25 {
            cluster.run(for: .seconds(1))
            #expect(cluster.relays[number].acts(cluster.now))
        }
        // The home relay reaches the store last.
        for relay in 0..<3 where relay != number { cluster.relays[relay].store = .open }
        for _ in 0..<200 {
            _ = cluster.home(of: key, from: (number + 1) % 3, attempts: 1, interval: .milliseconds(50))
        }
        #expect(!cluster.relays[number].acts(cluster.now))
        cluster.relays[number].store = .open
        cluster.run(for: .seconds(10))
        #expect(cluster.home(of: key, from: number) != nil)
        #expect(cluster.fault == nil)
    }

    @Test(
        "A relay that loses the store before the others does not act when the store goes down for all",
        arguments: UInt64(1)...10)
    func lostFirst(_ seed: UInt64) throws {
        let cluster = try VirtualCluster(seed: seed, relays: 3)
        let key = cluster.names[0]
        let home = try #require(cluster.home(of: key, from: 0))
        let number = try #require(cluster.relays.firstIndex { $0.member.identity == home })
        cluster.relays[number].store = .refused
        cluster.run(for: .seconds(8))
        let new = cluster.home(of: key, from: (number + 1) % 3)
        #expect(new != nil && new != home)
        for relay in 0..<3 { cluster.relays[relay].store = .lost }
        cluster.run(for: .seconds(20))
        #expect(!cluster.relays[number].acts(cluster.now))
        #expect((0..<3).count { cluster.relays[$0].acts(cluster.now) } == 2)
        #expect(cluster.fault == nil)
    }
}
