import Glibc
import NIOCore
import NIOPosix

/// Options of a link's TCP connection. They end the connection to a host that has vanished, also while the other relay has nothing to send.
enum LinkSocketOptions {
    /// Seconds without input after which the kernel probes the peer, and between probes.
    private static let probeSeconds = 5
    /// Probes without an answer after which the connection is cut.
    private static let probes = 3
    /// Maximum time in milliseconds that sent bytes stay unacknowledged.
    private static let unacknowledged = 15_000

    static func apply(to bootstrap: ClientBootstrap) -> ClientBootstrap {
        bootstrap
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(tcp(TCP_KEEPIDLE), value: .init(probeSeconds))
            .channelOption(tcp(TCP_KEEPINTVL), value: .init(probeSeconds))
            .channelOption(tcp(TCP_KEEPCNT), value: .init(probes))
            .channelOption(tcp(TCP_USER_TIMEOUT), value: .init(unacknowledged))
    }

    private static func tcp(_ name: Int32) -> ChannelOptions.Types.SocketOption {
        ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: name))
    }
}
