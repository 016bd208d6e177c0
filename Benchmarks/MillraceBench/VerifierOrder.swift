/// Keys of the subscribers whose packets a `VerifierCommand` checks, by port.
struct VerifierOrder: Codable {
    /// SRTP suite, as named in SDP.
    var suite: String
    var keys: [String]
}

/// Packets of these subscribers.
struct VerifierReport: Codable {
    /// Packets that libsrtp2 has authenticated and decrypted.
    var verified = 0
    /// Packets that it has not.
    var failures = 0
    /// Status codes of libsrtp2 for these, with their numbers.
    var reasons: [String: Int] = [:]
    /// Sequence numbers between the first and the last one of each stream of which no packet arrived.
    var missing = 0
    var streams = 0
    /// Datagrams that the kernel dropped because a socket's buffer was full.
    var dropped = 0
}
