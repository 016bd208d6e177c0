import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/openapi.json`.
struct OpenAPIRoute {
    func add(to table: RouteTable) {
        table.add(
            "openapi.json",
            [
                .get: { _, _ in
                    Response(
                        status: .ok, headers: [.contentType: "application/json"],
                        body: .init(byteBuffer: ByteBuffer(bytes: OpenAPIDocument.bytes)))
                }
            ])
    }
}
