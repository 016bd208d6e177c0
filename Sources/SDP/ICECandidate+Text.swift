package import MediaBase

extension ICECandidate: CustomStringConvertible {
    /// Maximum number of candidates stored per peer.
    package static let maximumCount = 100

    /// Parses the value of `a=candidate`, with or without the prefix `candidate:`, which scripts include. Related addresses and
    /// extensions are dropped.
    package init?(_ text: some StringProtocol) {
        var fields = text.fields()
        if let head = fields.first, head.hasPrefix("candidate:") {
            fields[0] = head.dropFirst("candidate:".count)
        }
        guard fields.count >= 8, fields[0].isToken, fields[0].utf8.count <= 32,
            let component = fields[1].decimal(as: Int.self), (1...256).contains(component),
            let transport = Transport(rawValue: fields[2].lowercased()),
            let priority = fields[3].decimal(as: UInt32.self), fields[4].isToken, fields[4].utf8.count <= 253,
            let port = fields[5].decimal(as: UInt16.self), fields[6] == "typ",
            let kind = Kind(rawValue: String(fields[7]))
        else { return nil }
        var tcpType: TCPType?
        for index in stride(from: 8, to: fields.count - 1, by: 2) where fields[index] == "tcptype" {
            tcpType = TCPType(rawValue: String(fields[index + 1]))
        }
        guard (transport == .tcp) == (tcpType != nil) else { return nil }
        self.init(
            foundation: String(fields[0]), component: component, transport: transport, priority: priority,
            host: String(fields[4]), port: port, kind: kind, tcpType: tcpType)
    }

    /// The value of `a=candidate`.
    package var description: String {
        "\(foundation) \(component) \(transport.rawValue) \(priority) \(host) \(port) typ \(kind.rawValue)"
            + (kind == .host ? "" : host.contains(":") ? " raddr :: rport 0" : " raddr 0.0.0.0 rport 0")
            + (tcpType.map { " tcptype \($0.rawValue)" } ?? "")
    }

    /// Address to send to; nil if `host` is a name.
    package var address: SocketAddress? { SocketAddress(host, port: port) }
}

// JSON has the value of the attribute.
extension ICECandidate: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.decodeText { ICECandidate($0) } }

    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(description) }
}
