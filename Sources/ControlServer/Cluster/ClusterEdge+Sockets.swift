import Cluster
import ClusterLink
import Conference
import HTTPTypes
import Signaling

/// WebSockets of clients whose sessions other relays run.
extension ClusterEdge {
    /// Returns whether a proxied client asks for a session that this relay does not run.
    func isElsewhere(_ target: ProxiedTarget) async -> Bool {
        let resolution =
            switch target {
            case .session(let key):
                await node.resolve(key, newID: SessionID(rawValue: Secret.id()), isProxied: true)
            case .id(let id): await node.resolve(id)
            }
        if case .there = resolution { return true }
        return false
    }

    /// Opens a WebSocket to the home relay and sends the client's request.
    ///
    /// - Returns: nil if the relay is not the session's home relay, or cannot be reached.
    func proxy(_ transfer: ClientTransfer, _ handshake: ConnectHandshake, _ socket: ClientSocket) async
        -> ProxiedSocket?
    {
        var fields = HTTPFields()
        let client = ProxiedClient(address: socket.peer, isConfidential: socket.isConfidential)
        fields[HTTPField.Name(ProxiedClient.field)!] = client.text
        fields[HTTPField.Name(ProxiedTarget.field)!] = transfer.target.text
        fields[HTTPField.Name(RelayIdentity.field)!] = opensMedia ? node.identity?.fieldText : nil
        fields[HTTPField.Name("Sec-WebSocket-Protocol")!] = handshake.subprotocol
        fields[.authorization] = handshake.token.map { "Bearer \($0)" }
        do {
            let link = try await caller.connect(
                path: ConnectHandshake.path, fields: fields, to: transfer.home.description)
            let proxied = ProxiedSocket(link, socket)
            let home = transfer.home.identity
            proxiedSockets.add(proxied, to: home)
            await proxied.send(transfer.text)
            let hasBegun = await proxied.begin { [proxiedSockets] in proxiedSockets.remove(proxied, of: home) }
            if hasBegun { return proxied }
        } catch {
            try? await Task.sleep(for: Self.pause)
        }
        if case .session(let key) = transfer.target { node.forget(key, at: transfer.home.identity) }
        return nil
    }
}
