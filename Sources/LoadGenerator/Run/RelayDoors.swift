import DTLS

/// Interface to the relay that a run uses, by transport.
enum RelayDoors: Sendable {
    case plain(any RelayDoor)
    /// All participants use the same certificate.
    case webRTC(any WebRTCRelayDoor, DTLSIdentity)

    func usage() async -> RelayUsage? {
        switch self {
        case .plain(let door): await door.usage()
        case .webRTC(let door, _): await door.usage()
        }
    }

    func stop() async {
        switch self {
        case .plain(let door): await door.stop()
        case .webRTC(let door, _): await door.stop()
        }
    }

    func close(_ seat: Seat) async {
        switch (self, seat) {
        case (.plain(let door), .plain(let transport, _)): await door.close(transport)
        case (.webRTC(let door, _), .webRTC(let resource)): await door.close(resource)
        case (.plain, .webRTC), (.webRTC, .plain): break
        }
    }
}
