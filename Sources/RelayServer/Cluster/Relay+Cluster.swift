import Cluster
import ClusterLink
import ControlServer
import Foundation
import HTTPTypes
import MediaBase
import MediaEngine
import NIOCore
import Persistence
import TLSChannel

extension Relay {
    /// Maximum size of an answer to the question whether a relay reaches the store.
    private static let stateBytes = 1_024

    /// Returns the parts that make the relay a member of a cluster; nil without `cluster.url`.
    func cluster(_ engine: MediaEngine, _ bodies: OpenBodies, isTLS: Bool) throws(RelayError) -> ClusterParts? {
        guard !configuration.clusterURL.isEmpty else { return nil }
        do {
            return try parts(engine, bodies, isTLS: isTLS)
        } catch {
            throw .cluster("\(error)")
        }
    }

    private func parts(_ engine: MediaEngine, _ bodies: OpenBodies, isTLS: Bool) throws -> ClusterParts {
        let settings = configuration.clusterSettings
        let store = try PostgresClusterStore(url: configuration.clusterURL, settings: settings)
        let identity = try LinkIdentity()
        let caller = LinkCaller(identity)
        let link = configuration.linkAddress
        let description = RelayDescription(
            id: RelayID(rawValue: configuration.clusterID.isEmpty ? Self.hostName : configuration.clusterID),
            link: link.text, fingerprint: identity.fingerprint, region: configuration.clusterRegion,
            version: BuildInfo.version, linkVersion: ClusterEdge.linkVersion)
        let node = ClusterNode(
            description: description, settings: settings, store: store,
            load: {
                let loads = engine.workerSnapshots.map(\.load)
                return RelayLoad(
                    use: loads.reduce(0, +) / Double(max(loads.count, 1)), isDraining: bodies.isDraining)
            },
            ask: { relay in await Self.reachesStore(relay, caller) }, now: { ControlClock.now })
        let listener = try identity.server { node.knows(fingerprint: $0) }
        let edge = ClusterEdge(
            node: node, caller: caller, listener: listener, address: configuration.clusterListenAddress,
            port: link.port, isTLS: isTLS, opensMedia: configuration.clusterPipes)
        return ClusterParts(node: node, edge: edge, store: store)
    }

    /// Asks another relay whether it reaches the store; nil if it does not answer.
    private static func reachesStore(_ relay: RelayDescription, _ caller: LinkCaller) async -> Bool? {
        let request = HTTPRequest(method: .get, scheme: "https", authority: nil, path: ClusterStateAnswer.path)
        guard let response = try? await caller.send(request, to: relay), response.head.status == .ok else { return nil }
        var body = ByteBuffer()
        do {
            for try await part in response.body {
                guard body.readableBytes + part.readableBytes <= stateBytes else { return nil }
                body.writeImmutableBuffer(part)
            }
        } catch {
            return nil
        }
        let data = Data(body.readableBytesView)
        return (try? JSONDecoder().decode(ClusterStateAnswer.self, from: data))?.reachesStore
    }

    /// Name of this host.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
