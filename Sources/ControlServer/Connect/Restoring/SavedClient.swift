import Conference
import Foundation

/// State of a client in the cluster's store: its seat in the session, and what the relay knows of its connection.
struct SavedClient: Hashable, Codable {
    var seat: Seat
    /// Key of its resume token (`Secret.key`).
    var resumeKey: String
    var program: String?
    /// Key by which its reports are counted.
    var reporter: String
    /// Owners that its resources are counted for.
    var holder: ResourceHolder
}

extension SavedClient {
    init(_ seat: Seat, _ client: LiveConnection) {
        self.init(
            seat: seat, resumeKey: client.resumeKey, program: client.program, reporter: client.reporter,
            holder: client.lease.holder)
    }
}
