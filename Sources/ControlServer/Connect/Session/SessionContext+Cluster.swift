import Cluster
import ClusterLink

extension SessionContext.Cluster {
    /// - Parameter opensLinks: whether this relay opens media links to others.
    init(_ node: ClusterNode, opensLinks: Bool) {
        self.init {
            node.tenure(of: $0)
        } standing: {
            node.standing
        } mayLink: { edge in
            opensLinks && node.relay(edge).map { $0.linkVersion >= ClusterEdge.mediaVersion } ?? false
        } others: {
            opensLinks ? node.others(linkVersion: ClusterEdge.mediaVersion) : [:]
        }
    }
}
