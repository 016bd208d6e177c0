/// Limits of the amounts that one user, one token and one address may hold.
package struct ResourceLimits: Hashable, Sendable {
    /// Largest amount of each resource.
    package struct Share: Hashable, Sendable {
        package var participants: Int
        package var transports: Int
        package var queuedBytes: Int

        package init(participants: Int, transports: Int, queuedBytes: Int) {
            self.participants = participants
            self.transports = transports
            self.queuedBytes = queuedBytes
        }

        package subscript(kind: ResourceKind) -> Int {
            switch kind {
            case .participants: participants
            case .transports: transports
            case .queuedBytes: queuedBytes
            }
        }
    }

    /// A user of an app may hold several tokens, such as one for each device.
    package var user = Share(participants: 32, transports: 64, queuedBytes: 32 << 20)
    /// A token admits one person, possibly in several browser tabs. Including the replay queues of its participants, a
    /// token uses less than 64 MiB of memory.
    package var token = Share(participants: 16, transports: 32, queuedBytes: 16 << 20)
    /// A school or an office may share one address.
    package var address = Share(participants: 1_024, transports: 2_048, queuedBytes: 256 << 20)

    package init() {}

    package subscript(owner: ResourceOwner.Kind) -> Share {
        switch owner {
        case .user: user
        case .token: token
        case .address: address
        }
    }
}
