public struct SubsessionsChanged: Hashable, Sendable, Codable {
    public var change: SubsessionsChange
    /// Complete new state.
    public var state: SubsessionsState
    public init(change: SubsessionsChange, state: SubsessionsState) {
        self.change = change
        self.state = state
    }
}
