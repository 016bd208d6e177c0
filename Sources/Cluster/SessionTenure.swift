/// Home relay and term under which a session runs.
package struct SessionTenure: Hashable, Sendable {
    package let home: RelayIdentity
    package let term: Int64

    package init(home: RelayIdentity, term: Int64) {
        self.home = home
        self.term = term
    }
}
