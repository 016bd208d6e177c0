import Cluster
import HTTPCalls
import MediaBase
import Persistence

extension Doctor {
    /// Number of requests of which the database's latency is the median.
    private static let storeRequests = 9
    /// Latency above which joins through the cluster become slow.
    private static let slowStore = Duration.milliseconds(20)
    /// Time for a connection to another relay's port of links.
    private static let linkTime = Duration.seconds(2)

    /// Checks the database of the cluster, its latency, and the ports of links of the other relays; nothing without `cluster.url`.
    package func cluster() async -> [DoctorFinding] {
        guard !configuration.clusterURL.isEmpty else { return [] }
        let check = "cluster store"
        let advice = "check cluster.url, the database and its user (docs/cluster.md)"
        do throws(StoreFailure) {
            let store = try PostgresClusterStore(url: configuration.clusterURL, settings: configuration.clusterSettings)
            defer { store.close() }
            guard case .listing(let relays, _) = try await store.perform(.list(limit: 0)) else {
                return [DoctorFinding(check, .fail, "the database gave another answer", advice: advice)]
            }
            var times: [Duration] = []
            for _ in 0..<Self.storeRequests {
                let began = ContinuousClock.now
                _ = try await store.perform(.list(limit: 0))
                times.append(.now - began)
            }
            let latency = times.sorted()[times.count / 2]
            let found = DoctorFinding(
                check, latency < Self.slowStore ? .ok : .warn, "answers in \(Self.text(latency))",
                advice: latency < Self.slowStore ? nil : "move the database closer: new sessions wait for it")
            return [found, linkPort()] + (await links(relays))
        } catch {
            return [DoctorFinding(check, .fail, "\(error)", advice: advice)]
        }
    }

    private func linkPort() -> DoctorFinding {
        tcp(
            "links", configuration.clusterListenAddress, configuration.linkAddress.port,
            keys: ("cluster.listenAddress", "cluster.link"))
    }

    /// Checks whether the ports of links of the other relays accept connections.
    private func links(_ relays: [RelayRecord]) async -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        for relay in relays where relay.isAlive {
            let check = "relay \(relay.identity.id)"
            let link = relay.description.link
            guard let target = HTTPTarget("http://\(link)/") else {
                findings.append(DoctorFinding(check, .fail, "its cluster.link \(link) is no host and port"))
                continue
            }
            let result = await Self.answer(of: target)
            findings.append(
                result.map {
                    DoctorFinding(
                        check, .fail, "its port of links \(link) cannot be reached: \($0)",
                        advice: "check cluster.link of that relay, and the firewall between the relays")
                } ?? DoctorFinding(check, .ok, "its port of links \(link) accepts connections"))
        }
        return findings
    }

    /// Returns the reason for which a port accepts no connection; nil if it does. The port requires TLS, so the request itself fails.
    private static func answer(of target: HTTPTarget) async -> String? {
        do throws(HTTPCallError) {
            _ = try await HTTPCaller().send(HTTPCall(method: "GET", target: target), within: linkTime)
            return nil
        } catch {
            if case .connect(_, let reason) = error { return reason }
            return nil
        }
    }
}
