/// Database that records the relays of a cluster, and the home relay and the lasting state of each session.
package protocol ClusterStore: Sendable {
    /// Carries a request out. Returns or throws within a few seconds, also if the database does not answer.
    func perform(_ request: StoreRequest) async throws(StoreFailure) -> StoreAnswer
}
