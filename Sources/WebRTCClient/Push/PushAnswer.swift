package import MediaBase

/// Response of a WHIP server.
package struct PushAnswer: Sendable, Hashable {
    package var status: Int
    /// Absolute URL of the `Location` field; nil without one.
    package var location: String?
    /// Strong tag of the `ETag` field; nil without one.
    package var tag: EntityTag?
    package var retryAfter: MediaTime?
    package var body: [UInt8]

    package init(
        status: Int, location: String? = nil, tag: EntityTag? = nil, retryAfter: MediaTime? = nil, body: [UInt8] = []
    ) {
        self.status = status
        self.location = location
        self.tag = tag
        self.retryAfter = retryAfter
        self.body = body
    }
}
