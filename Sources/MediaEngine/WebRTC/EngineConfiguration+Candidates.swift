import MediaBase
import SDP

extension EngineConfiguration {
    /// Returns the candidates of a worker: every advertised address, the first with the highest priority; all TCP candidates have a lower priority
    /// than UDP (RFC 8445 section 5.1.2, RFC 6544 section 4.2).
    /// - Parameter sockets: nil in virtual time.
    func candidates(of sockets: WorkerSockets?, worker: Int) -> [ICECandidate] {
        let port = sockets?.webRTCPort ?? webRTC.port &+ UInt16(worker)
        let advertised = webRTC.advertisedAddresses
        let hosts = advertised.isEmpty ? [advertisedAddress] : advertised
        var all = hosts.enumerated().map { i, host in
            ICECandidate(
                foundation: "\(i + 1)", transport: .udp, priority: Self.priority(type: 126, local: 65_535 - i),
                host: host, port: port)
        }
        guard let tcpPort = sockets?.tcp?.local.port else { return all }
        for (i, host) in hosts.enumerated() {
            // Direction preference 4 of a passive candidate, in the three highest bits (RFC 6544 section 4.2).
            all.append(
                ICECandidate(
                    foundation: "\(hosts.count + i + 1)", transport: .tcp,
                    priority: Self.priority(type: 90, local: 4 << 13 | (8191 - i)), host: host, port: tcpPort,
                    tcpType: .passive))
        }
        return all
    }

    /// Returns the priority of a candidate of component 1.
    private static func priority(type: UInt32, local: Int) -> UInt32 {
        type << 24 | UInt32(truncatingIfNeeded: max(0, local)) << 8 | 255
    }
}
