/// Transaction id, which matches a response with its request: 96 bits (RFC 5389 section 6), chosen at random by the client.
package struct STUNTransactionID: Hashable, Sendable {
    /// The first 4 bytes, in network order.
    package var high: UInt32
    /// The last 8 bytes, in network order.
    package var low: UInt64

    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> STUNTransactionID {
        STUNTransactionID(high: .random(in: .min ... .max, using: &generator), low: generator.next())
    }
}
