import ClusterTestKit
import Testing

/// The simulated store passes the tests of the database, so that rules that are tested with it hold with the database.
@Suite struct StoreTests {
    @Test("the simulated store", arguments: StoreBehaviour.all)
    func simulated(_ behaviour: StoreBehaviour) async throws { try await behaviour.run(SimulatedTestedStore()) }
}
