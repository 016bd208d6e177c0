package import Cluster
package import MediaBase

/// The simulated store behind the interface of the shared tests.
package actor SimulatedTestedStore: TestedStore {
    package nonisolated let settings: ClusterSettings
    private var store: SimulatedStore
    private var now = MediaTime.seconds(1_000_000)

    package init() {
        settings = Self.longSettings()
        store = SimulatedStore(settings: settings)
    }

    package func perform(_ request: StoreRequest) -> StoreAnswer {
        now += .microseconds(1)
        return store.perform(request, now: now)
    }

    package func age(_ id: RelayID, by time: MediaTime) { store.age(id, by: time) }
    package func loseData() { store.loseData() }
    package func another() -> any TestedStore { self }
}
