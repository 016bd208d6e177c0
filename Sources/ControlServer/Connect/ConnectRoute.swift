import HTTPTypes
import Hummingbird
import Signaling

/// Answers requests to `/v1/connect` that were not upgraded to a WebSocket.
struct ConnectRoute {
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("connect", [.get: refuse])
    }

    @Sendable private func refuse(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard !bodies.isDraining else { throw Problem(.draining, "the relay takes no new connections", retryAfter: 5) }
        guard request.headers[.secWebSocketKey] != nil else {
            throw Problem(.malformedRequest, "this path takes WebSocket handshakes (RFC 6455 section 4.1)")
        }
        var offered: [String] = []
        for field in request.headers[values: .secWebSocketProtocol] {
            offered += field.split(separator: ",").map { $0.filter { $0 != " " } }
        }
        guard offered.isEmpty || offered.contains(SignalingProtocol.subprotocol) else {
            throw Problem(.unsupportedVersion, "the relay supports \(SignalingProtocol.subprotocol)")
        }
        throw Problem(
            .malformedRequest,
            "the handshake is not complete, or not the first request of its connection (RFC 6455 section 4.2.1)")
    }
}
