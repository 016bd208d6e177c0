import ClusterLink
import Hummingbird

/// `GET /cluster/state` on the listener of links: whether this relay reaches the store.
struct ClusterStateRoute: Sendable {
    let node: ClusterNode

    func add(to router: Router<ControlContext>) {
        router.get(RouterPath(ClusterStateAnswer.path)) { _, _ -> Response in
            try .json(ClusterStateAnswer(reachesStore: node.reachesStore))
        }
    }
}
