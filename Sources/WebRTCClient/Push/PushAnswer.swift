package import MediaBase

/// Response of a WHIP server.
package struct PushAnswer: Sendable, Hashable {
    package var status: Int
    /// Absolute URL of the `Location` field; nil without one.
    package var location: String?
    package var retryAfter: MediaTime?
    package var body: [UInt8]

    package init(status: Int, location: String? = nil, retryAfter: MediaTime? = nil, body: [UInt8] = []) {
        self.status = status
        self.location = location
        self.retryAfter = retryAfter
        self.body = body
    }
}
