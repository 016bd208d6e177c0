import NIOCore

/// Client of another relay of the cluster, as that relay describes it in a header field of each request over a link.
struct ProxiedClient: Hashable, Sendable {
    static let field = "Millrace-Client"
    private static let confidential = "confidential"
    private static let open = "open"

    /// Client whose address the other relay does not know.
    static let unknown = ProxiedClient(address: "0.0.0.0", isConfidential: false)

    /// Numeric address of the client.
    let address: String
    /// Whether no third party can read the client's connection to its relay.
    let isConfidential: Bool

    init(address: String, isConfidential: Bool) {
        self.address = address
        self.isConfidential = isConfidential
    }

    /// Parses the value of the header field: `203.0.113.9 confidential` or `203.0.113.9 open`.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count <= 100, parts.count == 2, [Self.confidential, Self.open].contains(String(parts[1])),
            (try? SocketAddress(ipAddress: String(parts[0]), port: 0)) != nil
        else { return nil }
        self.init(address: String(parts[0]), isConfidential: parts[1] == Self.confidential)
    }

    /// Value of the header field.
    var text: String { "\(address) \(isConfidential ? Self.confidential : Self.open)" }

    /// Address key of the client; see `ClientAddress`.
    var addressGroup: String { ClientAddress.group(of: try? SocketAddress(ipAddress: address, port: 0)) }
}
