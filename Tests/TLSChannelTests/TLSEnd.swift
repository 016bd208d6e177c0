import NIOCore
import NIOEmbedded
import TLSChannel

/// One end of a TLS connection without a socket.
final class TLSEnd {
    let channel = EmbeddedChannel()
    let socket = HalfCloser()
    let recorder = Recorder()

    init(_ handler: TLSHandler) throws {
        try channel.pipeline.syncOperations.addHandlers([socket, handler, recorder])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443), promise: nil)
    }

    static func server(
        _ certificates: [UInt8] = TestCertificates.leaf, key: [UInt8] = TestCertificates.key
    ) throws -> TLSEnd {
        try TLSEnd(TLSHandler(server: try TLSContext.server(certificates: certificates, key: key)))
    }

    static func client(
        _ host: String = "relay.example", _ trust: TLSTrust = .authorities(TestCertificates.authority)
    ) throws -> TLSEnd {
        try TLSEnd(TLSHandler(client: try TLSContext.client(trust), host: host))
    }

    /// Completed only after the handler has completed the write.
    @discardableResult
    func send(_ bytes: [UInt8]) -> EventLoopFuture<Void> { channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Returns what the end has written, encrypted.
    func output() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
        return bytes
    }

    /// - Returns: false if the channel is closed.
    @discardableResult
    func receive(_ bytes: some Collection<UInt8>) throws -> Bool {
        guard channel.isActive else { return false }
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        return channel.isActive
    }

    /// The peer closes the TCP connection.
    func cut() { channel.pipeline.fireChannelInactive() }

    func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    /// Closes the channel after the time for the peer's `close_notify`.
    func end() {
        channel.close(promise: nil)
        advance(TLSHandler.closingTime)
    }
}
