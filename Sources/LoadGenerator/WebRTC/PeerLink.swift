import CLinuxNet
import MediaBase
import MediaEngine
import Transport
import WebRTCClient

/// WebRTC endpoint with its UDP socket.
final class PeerLink {
    let endpoint: WebRTCEndpoint
    let socket: UDPSocket
    private var destination: (address: SocketAddress, kernel: millrace_address)?

    /// - Parameter configuration: has the candidate of `socket`.
    init(_ configuration: WebRTCEndpoint.Configuration, socket: UDPSocket) {
        endpoint = WebRTCEndpoint(configuration)
        self.socket = socket
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, from: millrace_address, now: Int64) {
        guard let source = SocketAddress(from) else { return }
        endpoint.receive(UnsafeRawBufferPointer(datagram), from: PeerAddress(source), now: .nanoseconds(now))
    }

    /// Handles the endpoint's timers that are due.
    func handleTimeout(now: Int64) {
        if endpoint.deadline.rawValue <= now { endpoint.handleTimeout(now: .nanoseconds(now)) }
    }

    /// Sends all pending datagrams and returns the other outputs.
    /// - Parameter drops: selects datagrams that are not sent.
    func drain(
        now: Int64, with sender: PacketSender, drops: ([UInt8]) -> Bool = { _ in false }
    ) -> [WebRTCEndpoint.Output] {
        var others: [WebRTCEndpoint.Output] = []
        while let output = endpoint.nextOutput() {
            switch output {
            case .transmit(let datagram, let to):
                // A candidate of the other IP version cannot be reached from this socket.
                guard !to.isTCP, to.address.isIPv6 == socket.isIPv6, !drops(datagram) else { continue }
                if destination?.address != to.address { destination = (to.address, millrace_address(to.address)) }
                if let kernel = destination?.kernel { sender.queue(datagram, to: kernel, socket: socket.descriptor) }
            case .connect(_, let connection):
                // The generator only supports UDP.
                endpoint.disconnected(connection: connection, now: .nanoseconds(now))
            case .disconnect, .noPath: break
            case .connected, .keyFrameWanted, .ended: others.append(output)
            }
        }
        sender.flush(socket: socket.descriptor)
        return others
    }
}
