/// One run of a relay, from its registration in the store to its end.
package struct RelayIdentity: Hashable, Sendable, CustomStringConvertible {
    package let id: RelayID
    /// Number that the store gives to each registration. A later one is larger.
    package let incarnation: Int64

    package init(id: RelayID, incarnation: Int64) {
        self.id = id
        self.incarnation = incarnation
    }

    package var description: String { "\(id)#\(incarnation)" }
}
