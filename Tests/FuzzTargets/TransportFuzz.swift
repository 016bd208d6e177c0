import MediaBase

/// The relay's side of one WebRTC transport: STUN and DTLS datagrams from several addresses, and time steps.
enum TransportFuzz {
    static let history = FuzzHistory(limit: 256)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard let peer = TransportPeer(asClient: bytes.first.map { $0 & 1 == 1 } ?? false) else {
            throw FuzzViolation("the transport was not made")
        }
        try history.run(bytes) { code, input throws(FuzzViolation) in
            peer.apply(code, &input)
            try peer.check()
        }
    }
}
