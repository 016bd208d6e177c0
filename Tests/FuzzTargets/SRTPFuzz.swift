import SRTP

/// Incoming SRTP and SRTCP: forgeries, authentic packets with any numbers, replays.
enum SRTPFuzz {
    static let history = FuzzHistory(limit: 4_096)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let suites = SRTPSuite.allCases
        guard let peer = ProtectedPeer(suites[Int(bytes.first ?? 0) % suites.count]) else {
            throw FuzzViolation("there is no key")
        }
        try history.run(bytes) { code, input throws(FuzzViolation) in try peer.apply(code, &input) }
    }
}
