import Cluster
import NIOCore

/// Join or resume of a client whose session another relay runs.
struct ClientTransfer: Sendable {
    let home: RelayRecord
    let target: ProxiedTarget
    /// The request as the client sent it.
    let text: ByteBuffer
}
